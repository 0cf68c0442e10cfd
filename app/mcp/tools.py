"""The tools, derived from the HTTP contract: names, fields and answers are those of the operations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]  # A JSON schema, as the OpenAPI document holds it.
JsonObject = dict[str, Any]  # JSON, whose shape the contract gives.


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a model should know about an operation that its contract does not say."""

    operation_id: str
    title: str
    text: str
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False


# In the order in which an agent meets them. Feedback is called destructive because `reject` is final.
GUIDANCE: Final = (
    Guidance(
        "recall_memory",
        "Recall",
        "Ask the memory. `results` are known: each has a tier and the quoted evidence. Where nothing answers, the "
        "nearest stand there all the same: read in `statement` what each is about. `related_hypotheses` are "
        "guesses of the machine and not known: never state one as a fact, and never store one as evidence. "
        "`conflicts` name what team members disagree about.",
        is_read_only=True,
    ),
    Guidance(
        "remember",
        "Remember",
        "Store what a text says. `evidence[].content` is the text word for word; each proposed relationship cites "
        "the span that states it (half-open, in Unicode code points) in a sentence that names subject, predicate "
        "and object; the resource `densemem://predicates` lists the team's predicates. Only what the cited text "
        "plainly states becomes knowledge. Set `wait_seconds` (10) to get the placement back. "
        "Don't submit your own conclusions or anything recalled from this memory.",
    ),
    Guidance(
        "get_memory_placement",
        "Placement",
        "See where each proposed relationship of a submission landed, and why.",
        is_read_only=True,
    ),
    Guidance(
        "trace_memory",
        "Trace",
        "See what carries one relationship: the quoted spans, verdicts, changes, conflicts, and the Hypotheses "
        "that cite it.",
        is_read_only=True,
    ),
    Guidance(
        "list_dreams",
        "Dreams",
        "List Hypotheses: possible relationships that nobody has confirmed. `sort=review` gives those that still "
        "wait for your opinion. `likelihood` (0 to 1) is the share of such pairs that memory holds, `confidence` "
        "(0 to 1) how much that number rests on; neither makes a guess true. The text of the answer is short; the "
        "structured content has every field.",
        is_read_only=True,
    ),
    Guidance(
        "get_dream",
        "Dream",
        "See one Hypothesis with the premises and paths that speak for it, and what became of confirmations. A "
        "path's rule is known to hold in `support` of `body` cases; `share` is its part in the score.",
        is_read_only=True,
    ),
    Guidance(
        "resolve_dream_feedback",
        "Judge a dream",
        "Say what you think of a Hypothesis: reinforce, stale, reject (final) or ignore, without evidence; or "
        "confirm_true / confirm_false with new, independent evidence and a proposal as in `remember`: of the "
        "Hypothesis itself, to refute it with polarity -, or with the object that it has instead. A "
        "confirmation is submitted to the strict pipeline; only its evidence decides. Set `wait_seconds` (10), "
        "and get_dream shows what it came to.",
        is_destructive=True,
    ),
    Guidance(
        "submit_recall_feedback",
        "Judge a recall",
        "Say which parts of a recall helped. Recorded for the operators; changes no knowledge and no Hypothesis.",
    ),
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One operation as a tool, and how its arguments travel over HTTP.

    Attributes:
        path: the route's template; the arguments that it names travel in it.
        has_body: whether the other arguments travel in a JSON body, else in the query.
    """

    guidance: Guidance
    method: str
    path: str
    path_arguments: tuple[str, ...]
    has_body: bool
    input_schema: JsonObject
    output_schema: JsonObject

    @property
    def name(self) -> str:
        return self.guidance.operation_id


def derive_tools(contract: Schema) -> tuple[Tool, ...]:
    """Return a tool for each guided operation of the contract, in the order of the guidance.

    Raises:
        KeyError: the contract lacks an operation.
    """
    operations = {
        operation["operationId"]: (method.upper(), path, operation)
        for path, methods in contract["paths"].items()
        for method, operation in methods.items()
    }
    return tuple(
        _derive_tool(guidance, *operations[guidance.operation_id], contract) for guidance in GUIDANCE
    )


def _derive_tool(guidance: Guidance, method: str, path: str, operation: Schema, contract: Schema) -> Tool:
    parameters = [
        parameter for parameter in operation.get("parameters", ()) if parameter["in"] in ("path", "query")
    ]
    body = operation.get("requestBody")
    properties = {parameter["name"]: parameter["schema"] for parameter in parameters}
    required = [parameter["name"] for parameter in parameters if parameter.get("required")]
    if body is not None:
        schema = _resolve(body["content"]["application/json"]["schema"], contract)
        properties |= schema["properties"]
        required += [name for name in schema.get("required", ()) if name not in required]
    inputs = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    answers = [
        response["content"]["application/json"]["schema"]
        for status, response in operation["responses"].items()
        if status.startswith("2")
    ]
    outputs = answers[0] if len(answers) == 1 else {"anyOf": answers}
    return Tool(
        guidance=guidance,
        method=method,
        path=path,
        path_arguments=tuple(parameter["name"] for parameter in parameters if parameter["in"] == "path"),
        has_body=body is not None,
        input_schema=_close_references(inputs, contract),
        output_schema={"type": "object", **_close_references(outputs, contract)},
    )


def _resolve(schema: Schema, contract: Schema) -> Schema:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Schema = contract["components"]["schemas"][str(reference).rpartition("/")[2]]
    return found


def _close_references(schema: Schema, contract: Schema) -> JsonObject:
    """Return the schema with everything that it refers to inside itself, without titles that repeat names."""
    definitions: dict[str, JsonObject] = {}
    waiting = list(_references(schema))
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definition = contract["components"]["schemas"][name]
            definitions[name] = _localize(definition)
            waiting.extend(_references(definition))
    local = _localize(schema)
    return {**local, "$defs": dict(sorted(definitions.items()))} if definitions else local


def _references(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rpartition("/")[2]
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


def _localize(node: Any) -> Any:  # JSON in, JSON out.
    if isinstance(node, Mapping):
        # A property may be called title: only pydantic's own titles are text.
        kept = {key: inner for key, inner in node.items() if not (key == "title" and isinstance(inner, str))}
        return {
            key: f"#/$defs/{inner.rpartition('/')[2]}" if key == "$ref" else _localize(inner)
            for key, inner in kept.items()
        }
    if isinstance(node, list):
        return [_localize(inner) for inner in node]
    return node
