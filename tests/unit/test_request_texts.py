"""No text that a client sends is stored with a secret in it: every string field of every request is tried."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from app.api.openapi import BODIES
from app.api.wire.dreams import FeedbackBody
from app.api.wire.remember import RememberBody
from app.api.wire.shapes import Closed
from app.api.wire.submit import read_submission
from app.remember.guard.guard import guard_submission

SECRET: Final = "AKIAIOSFODNN7EXAMPLE"
# Compared with what is stored, and stored only where it is equal to something that is.
LOOKED_UP: Final = frozenset(
    {
        *("profile_id", "into_entity_id", "preferred_position_id", "relationship_id", "hypothesis_id"),
        *("known_entity_id", "supersedes_evidence_ids", "expand_from_entity_ids"),
        *("subject_entity_id", "object_entity_id", "object_value_id", "recall_id", "useful_ids", "wrong_ids"),
        # The name of the team that is to be erased, repeated.
        "EraseBody.name",
    }
)
# The client's name for a request, which must be found again as it is; a question that is answered and forgotten;
# keys of predicates, which are lower case words; settings, each of which has a grammar of its own.
KEPT_AS_IT_IS: Final = frozenset(
    {
        *("idempotency_key", "query", "predicate_key", "inverse_key"),
        *("cron", "generator", "local_time", "timezone"),
    }
)
# A pattern that any text has which says something.
NOT_BLANK: Final = r"\S"
_EVIDENCE: Final = {"content": "FastAPI depends on Starlette."}
_PROPOSAL: Final = {
    "entities": [{"ref": "s", "name": "FastAPI", "aliases": ["fast"]}, {"ref": "o", "name": "Starlette"}],
    "relationships": [
        {
            "proposal_id": "p1",
            "subject_ref": "s",
            "predicate": "depends_on",
            "object_value": {"type": "string", "value": "x"},
            "evidence": [{"evidence_index": 0, "start": 0, "end": 9}],
            "correction_target": {"relationship_id": "rel_1", "expected_version": 1},
        }
    ],
}
# What each body needs besides the field that is tried.
EXAMPLES: Final[Mapping[str, dict[str, Any]]] = {  # JSON.
    "RememberBody": {"evidence": [_EVIDENCE], "proposal": _PROPOSAL},
    "FeedbackBody": {"decision": "confirm_true", "evidence": [_EVIDENCE], "proposal": _PROPOSAL},
    "RecallBody": {"query": "x"},
    "PredicateBody": {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"},
    "ResolveConflictBody": {"decision": "dismiss"},
    "ResolveReviewBody": {"choice": "x"},
    "MergeBody": {"into_entity_id": "ent_1"},
    "TeamBody": {"name": "x"},
    "ProfileBody": {"name": "x"},
    "RecallFeedbackBody": {"recall_id": "x", "rating": "helpful"},
    "KeyBody": {"profile_id": "prof_1", "scopes": ["read"]},
}


def free_texts(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the path to every string that is neither a word of a list, nor of a grammar, nor a time."""
    if "$ref" in schema:
        yield from free_texts(defs[schema["$ref"].rpartition("/")[2]], defs)
    for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from free_texts(option, defs)
    types = schema.get("type", ())
    is_text = "string" in ([types] if isinstance(types, str) else types)
    has_grammar = schema.get("pattern") not in (None, NOT_BLANK)
    if is_text and not has_grammar and not {"enum", "const", "format"} & schema.keys():
        yield ()
    for name, inner in schema.get("properties", {}).items():
        yield from ((name, *rest) for rest in free_texts(inner, defs))
    if "items" in schema:
        yield from (("[]", *rest) for rest in free_texts(schema["items"], defs))
    if schema.get("additionalProperties") is True:
        yield ("{}",)


def fields() -> Iterator[tuple[type[Closed], tuple[str, ...]]]:
    for body in BODIES:
        schema = body.model_json_schema()
        for path in sorted(set(free_texts(schema, schema.get("$defs", {})))):
            name = path[-1 if path[-1] != "[]" else -2]
            if not {name, f"{body.__name__}.{name}"} & (LOOKED_UP | KEPT_AS_IT_IS):
                yield body, path


def put(value: Any, path: tuple[str, ...], text: str) -> Any:  # JSON.
    """Return the JSON value with the text at the path; what is missing on the way is made."""
    if not path:
        return text
    step, rest = path[0], path[1:]
    if step == "[]":
        first, *others = value or [None]
        return [put(first, rest, text), *others]
    name = "a" if step == "{}" else step
    old = value or {}
    return {**old, name: put(old.get(name), rest, text)}


def stored(body: type[Closed], value: dict[str, Any]) -> str:  # JSON.
    """Return all that could be stored of the request."""
    read = body.model_validate(value)
    if not isinstance(read, RememberBody | FeedbackBody):
        return repr(read)
    assert read.proposal is not None
    guarded = guard_submission(read_submission(read.evidence or [], read.proposal))
    return repr(guarded) + repr(getattr(read, "reason", None))


@pytest.mark.parametrize(
    ("body", "path"), [pytest.param(*one, id=f"{one[0].__name__}.{'.'.join(one[1])}") for one in fields()]
)
def test_a_secret_in_any_free_text_of_a_request_is_masked(body: type[Closed], path: tuple[str, ...]) -> None:
    text = f"key {SECRET}"
    value = put(EXAMPLES.get(body.__name__, {}), path, text)
    if path[-1] in ("subject_ref", "object_ref"):
        # A ref is known from its entity.
        value = put(value, ("proposal", "entities", "[]", "ref"), text)
    if path[-1] == "object_ref":
        del value["proposal"]["relationships"][0]["object_value"]
    written = stored(body, value)
    assert SECRET not in written
    assert "key " in written


def test_every_kind_of_free_text_is_among_those_tried() -> None:
    tried = {f"{body.__name__}.{'.'.join(path)}" for body, path in fields()}
    assert tried >= {
        "RememberBody.evidence.[].content",
        "RememberBody.evidence.[].metadata.{}",
        "RememberBody.proposal.relationships.[].scope",
        "RememberBody.proposal.relationships.[].object_value.value",
        "FeedbackBody.reason",
        "ResolveReviewBody.choice",
        "PredicateBody.aliases.[]",
        "ProfileBody.name",
    }
