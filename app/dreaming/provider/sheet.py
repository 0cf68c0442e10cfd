"""One request as the model sees it, and the table that turns its references back. Pure.

References are opaque and hold for one request only: `node_2`, `predicate_3`, `path_1`, `group_1`. Rows are
compact: what is the same for many groups (which predicates two kinds allow) is written once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.dreaming.model import Inputs, Node, Premise, Proposal
from app.dreaming.provider.pairs import Pair, closed_predicates, open_predicates
from app.llm.fence import fence


@dataclass(frozen=True, slots=True)
class Sheet:
    """A request's text, and what its references mean. `request` and `most_ideas` are part of the text."""

    request: str
    most_ideas: int
    text: str
    pairs: tuple[Pair, ...]
    groups: Mapping[str, Pair]
    nodes: Mapping[str, Node]
    predicates: Mapping[str, str]
    paths: Mapping[str, Premise]


def write_sheet(
    inputs: Inputs, pairs: Sequence[Pair], hints: Sequence[Proposal], *, request: str, most_ideas: int
) -> Sheet:
    """Return the request about these pairs; hints about other pairs are left out."""
    writer = _Writer(inputs, hints)
    groups = [writer.write_group(f"group_{number}", pair) for number, pair in enumerate(pairs, start=1)]
    document = {
        "request": request,
        "most_ideas": most_ideas,
        "predicates": writer.describe_predicates(),
        "nodes": writer.describe_nodes(),
        "paths": writer.describe_paths(),
        "choices": {reference: list(keys) for keys, reference in writer.choices.items()},
        "groups": groups,
    }
    return Sheet(
        request=request,
        most_ideas=most_ideas,
        text=fence(document),
        pairs=tuple(pairs),
        groups={f"group_{number}": pair for number, pair in enumerate(pairs, start=1)},
        nodes={reference: inputs.nodes[node] for node, reference in writer.nodes.items()},
        predicates={reference: key for key, reference in writer.predicates.items()},
        paths={reference: writer.premises[key] for key, reference in writer.paths.items()},
    )


class _Writer:
    """Gives out references as things are first named."""

    def __init__(self, inputs: Inputs, hints: Sequence[Proposal]) -> None:
        self._inputs = inputs
        self._hints = hints
        self.premises = {premise.group_key: premise for premise in inputs.premises}
        self.nodes: dict[str, str] = {}
        self.predicates: dict[str, str] = {}
        self.paths: dict[str, str] = {}
        self.choices: dict[tuple[str, ...], str] = {}

    def write_group(self, reference: str, pair: Pair) -> dict[str, object]:
        first, second = self._node(pair.first), self._node(pair.second)
        ways = [(pair.first, pair.second), (pair.second, pair.first)]
        written: dict[str, object] = {
            "ref": reference,
            "paths": [self._path(key) for key in pair.premise_keys],
            "open": [
                [self._node(subject), choice, self._node(object_)]
                for subject, object_ in ways
                if (choice := self._choice(open_predicates(self._inputs, subject, object_)))
            ],
        }
        closed = [
            [self._node(subject), self._predicate(key), self._node(object_)]
            for subject, object_ in ways
            for key in sorted(closed_predicates(self._inputs, subject, object_, pair.premise_keys))
        ]
        if closed:
            written["closed"] = closed
        hints = [
            [self._node(subject), self._predicate(hint.predicate_key), self._node(object_), hint.likelihood]
            for hint in self._hints
            for subject, object_ in [(hint.subject_entity_id, hint.object_entity_id or hint.object_value_id)]
            if object_ is not None and {subject, object_} == {pair.first, pair.second}
        ]
        if hints:
            written["hints"] = hints
        written["pair"] = [first, second]
        return written

    def describe_predicates(self) -> list[dict[str, object]]:
        described: list[dict[str, object]] = []
        for key, reference in self.predicates.items():
            predicate = self._inputs.predicates[key]
            row: dict[str, object] = {
                "ref": reference,
                "label": predicate.label,
                "means": f"subject {predicate.verb_phrase} object",
            }
            if predicate.aliases:
                row["also"] = list(predicate.aliases)
            if predicate.symmetric:
                row["both_ways"] = True
            if predicate.current_cardinality == "one":
                row["one_object"] = True
            described.append(row)
        return described

    def describe_nodes(self) -> list[list[str]]:
        """Return `[reference, kind or type of value, name]` rows."""
        nodes = ((reference, self._inputs.nodes[node]) for node, reference in self.nodes.items())
        return [[reference, node.kind or f"value: {node.value_type}", node.name] for reference, node in nodes]

    def describe_paths(self) -> list[list[str]]:
        """Return `[reference, subject, predicate, object, known or candidate]` rows."""
        return [
            [
                reference,
                self._node(premise.subject_id),
                self._predicate(premise.predicate_key),
                self._node(premise.object_id),
                "candidate" if premise.is_candidate else "known",
            ]
            for premise, reference in ((self.premises[key], ref) for key, ref in self.paths.items())
        ]

    def _node(self, node_id: str) -> str:
        return self.nodes.setdefault(node_id, f"node_{len(self.nodes) + 1}")

    def _predicate(self, key: str) -> str:
        return self.predicates.setdefault(key, f"predicate_{len(self.predicates) + 1}")

    def _path(self, group_key: str) -> str:
        premise = self.premises[group_key]
        # Named here, so that its ends are described although the rows are written at the end.
        self._node(premise.subject_id)
        self._predicate(premise.predicate_key)
        self._node(premise.object_id)
        return self.paths.setdefault(group_key, f"path_{len(self.paths) + 1}")

    def _choice(self, keys: Sequence[str]) -> str | None:
        if not keys:
            return None
        references = tuple(self._predicate(key) for key in keys)
        return self.choices.setdefault(references, f"choice_{len(self.choices) + 1}")
