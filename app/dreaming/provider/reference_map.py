"""What a request's references stand for, as it is kept while its batch is away: ids and versions, no text. Pure.

With the names and the vocabulary of later it gives back the premises that the model was shown, in the versions of
then: validation compares those with what holds by the time of the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from app.dreaming.model import Inputs, Node, Premise, Source
from app.dreaming.provider.pairs import Pair
from app.dreaming.provider.sheet import Sheet

# A premise that holds in a scope never carries a path; which scope it was is nobody's business any more.
_SOME_SCOPE: Final = "…"


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was read when the request was written; counts are in Relationships.

    `stopped_by`: the budget that left pairs out of the request.
    """

    premises: tuple[Premise, ...]
    eligible_count: int
    over_input_budget: int
    stopped_by: str | None

    def node_ids(self) -> list[str]:
        """Return the ends of all premises, in order."""
        return sorted({end for premise in self.premises for end in (premise.subject_id, premise.object_id)})


def write_map(inputs: Inputs, sheet: Sheet, *, stopped_by: str | None) -> dict[str, object]:
    """Return a JSON document that holds no name, no value and no statement."""
    return {
        "request": sheet.request,
        "most_ideas": sheet.most_ideas,
        "nodes": {reference: node.node_id for reference, node in sheet.nodes.items()},
        "predicates": dict(sheet.predicates),
        "paths": {reference: premise.group_key for reference, premise in sheet.paths.items()},
        "groups": {
            reference: [pair.first, pair.second, list(pair.premise_keys)]
            for reference, pair in sheet.groups.items()
        },
        "premises": [_write_premise(premise) for premise in inputs.premises],
        "eligible": inputs.eligible_count,
        "over_input_budget": inputs.over_input_budget,
        "stopped_by": stopped_by,
    }


def read_premises(document: Mapping[str, Any]) -> Recalled:
    """Return the premises of the document that `write_map` made, in their order."""
    return Recalled(
        premises=tuple(_read_premise(fields) for fields in document["premises"]),
        eligible_count=document["eligible"],
        over_input_budget=document["over_input_budget"],
        stopped_by=document["stopped_by"],
    )


def read_sheet(document: Mapping[str, Any], recalled: Recalled, nodes: Mapping[str, Node]) -> Sheet:
    """Return the sheet of the document without its text; `nodes` by id, as they are called now."""
    premises = {premise.group_key: premise for premise in recalled.premises}
    groups = {
        reference: Pair(first, second, tuple(keys))
        for reference, (first, second, keys) in sorted(document["groups"].items(), key=_number)
    }
    return Sheet(
        request=document["request"],
        most_ideas=document["most_ideas"],
        text="",
        pairs=tuple(groups.values()),
        groups=groups,
        nodes={reference: nodes[node_id] for reference, node_id in document["nodes"].items()},
        predicates=document["predicates"],
        paths={reference: premises[key] for reference, key in document["paths"].items()},
    )


def _number(entry: tuple[str, object]) -> int:
    return int(entry[0].rpartition("_")[2])


def _write_premise(premise: Premise) -> dict[str, object]:
    return {
        "group_key": premise.group_key,
        "subject": premise.subject_id,
        "predicate": premise.predicate_key,
        "object": premise.object_id,
        "polarity": premise.polarity,
        "is_scoped": premise.scope is not None,
        "modality": premise.modality,
        "is_valid_now": premise.is_valid_now,
        "sources": [
            [source.relationship_id, source.version, source.owner_profile_id, source.is_candidate]
            for source in premise.sources
        ],
        "eligible_since": premise.eligible_since.isoformat(),
        "changed_at": premise.changed_at.isoformat(),
    }


def _read_premise(fields: Mapping[str, Any]) -> Premise:
    return Premise(
        group_key=fields["group_key"],
        subject_id=fields["subject"],
        predicate_key=fields["predicate"],
        object_id=fields["object"],
        polarity=fields["polarity"],
        scope=_SOME_SCOPE if fields["is_scoped"] else None,
        modality=fields["modality"],
        is_valid_now=fields["is_valid_now"],
        sources=tuple(Source(*source) for source in fields["sources"]),
        eligible_since=datetime.fromisoformat(fields["eligible_since"]),
        changed_at=datetime.fromisoformat(fields["changed_at"]),
    )
