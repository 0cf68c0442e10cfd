"""What a Hypothesis is about, and where a submission speaks of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Reading, Row
from app.ledger.nodes.names import fold_name
from app.ledger.nodes.values import InvalidValue, parse_value
from app.ledger.predicates.registry import find_predicate, list_predicates
from app.ledger.vocabulary import Predicate, TypedValue
from app.remember.resolve import Known, Resolution, Unclear
from app.remember.submission import EntityProposal, RelationshipProposal, Submission
from app.review.answering import Position, Target


@dataclass(frozen=True, slots=True)
class KnownTarget:
    """A target with the team's predicates, its value if it is about one, and the folded names of its ends."""

    target: Target
    predicates: Mapping[str, Predicate]
    value: TypedValue | None
    names: frozenset[str]

    def positions(self, submission: Submission, entities: Mapping[str, Resolution]) -> tuple[Position, ...]:
        """Return what the submission proposes, in the terms of the target.

        `entities` says what each proposed entity is, by its ref. Left out is what cannot be placed as it stands:
        an unknown predicate, an end that a person has to decide about, and one that is called as an end of the
        target is without being it: evidence that says a name cannot tell the two apart.
        """
        homonyms = {one.ref for one in submission.entities if self._is_homonym(one, entities[one.ref])}
        found = [
            self._position(proposal, entities)
            for proposal in submission.relationships
            if not homonyms & {proposal.subject_ref, proposal.object_ref}
        ]
        return tuple(position for position in found if position is not None)

    def _is_homonym(self, proposal: EntityProposal, entity: Resolution) -> bool:
        if _is_end(self.target, entity):
            return False
        return bool(self.names & {fold_name(name) for name in (proposal.name, *proposal.aliases)})

    def _position(
        self, proposal: RelationshipProposal, entities: Mapping[str, Resolution]
    ) -> Position | None:
        predicate = find_predicate(self.predicates, proposal.predicate)
        ends = [entities[ref] for ref in (proposal.subject_ref, proposal.object_ref) if ref is not None]
        if predicate is None or any(isinstance(end, Unclear) for end in ends):
            return None
        corrected = proposal.correction_target
        return Position(
            subject_id=_entity_id(ends[0]),
            predicate_key=predicate.key,
            object_id=self._value_id(proposal) if len(ends) == 1 else _entity_id(ends[1]),
            polarity=proposal.polarity,
            modality=proposal.modality,
            scope=proposal.scope,
            corrects=None if corrected is None else corrected.relationship_id,
        )

    def _value_id(self, proposal: RelationshipProposal) -> str | None:
        """Return the target's value if the proposal's is the same by type, canonical form and unit."""
        value = proposal.object_value
        if value is None or self.value is None:
            return None
        try:
            parsed = parse_value(value.type, value.value, value.unit)
        except InvalidValue:
            return None
        return self.target.object_id if parsed == self.value else None


def _is_end(target: Target, entity: Resolution) -> bool:
    return _entity_id(entity) in (target.subject_id, target.object_id)


def _entity_id(entity: Resolution) -> str | None:
    return entity.entity_id if isinstance(entity, Known) else None


async def read_target(reading: Reading, team_id: str, hypothesis: Row) -> KnownTarget:
    """Return what the Hypothesis in this row (all columns of `hypotheses`) is about."""
    params = {"team_id": team_id, "hypothesis_id": hypothesis["id"]}
    predicates = await list_predicates(reading, team_id)
    predicate = predicates[hypothesis["predicate_key"]]
    sources = await reading.fetch_all(_SOURCES, params)
    ends = [hypothesis["subject_entity_id"], hypothesis["object_entity_id"]]
    names = await reading.fetch_all(
        _NAMES, {"team_id": team_id, "ids": [one for one in ends if one is not None]}
    )
    value = None
    if hypothesis["object_value_id"] is not None:
        stored = await reading.fetch_one(_VALUE, {"team_id": team_id, "id": hypothesis["object_value_id"]})
        assert stored is not None
        value = TypedValue(stored["value_type"], stored["canonical"], stored["unit"])
    return KnownTarget(
        target=Target(
            subject_id=hypothesis["subject_entity_id"],
            predicate=predicate,
            object_id=hypothesis["object_entity_id"] or hypothesis["object_value_id"],
            source_ids=frozenset(row["relationship_id"] for row in sources),
            inverse=predicates.get(predicate.inverse_key) if predicate.inverse_key else None,
        ),
        predicates=predicates,
        value=value,
        names=frozenset(fold_name(row["name"]) for row in names),
    )


_SOURCES: LiteralString = """
    SELECT relationship_id FROM hypothesis_sources
    WHERE team_id = %(team_id)s AND hypothesis_id = %(hypothesis_id)s
"""
_NAMES: LiteralString = """
    SELECT name FROM entity_names WHERE team_id = %(team_id)s AND entity_id = ANY (%(ids)s)
"""
_VALUE: LiteralString = """
    SELECT value_type, canonical, unit FROM typed_values WHERE team_id = %(team_id)s AND id = %(id)s
"""
