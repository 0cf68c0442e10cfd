"""What a Hypothesis is about, and where a submission speaks of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Reading, Row
from app.ledger.names import fold_name
from app.ledger.predicates import find_predicate, list_predicates
from app.ledger.values import InvalidValue, parse_value
from app.ledger.vocabulary import Predicate, TypedValue
from app.remember.submission import EntityProposal, RelationshipProposal, Submission
from app.review.answering import Position, Target


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """A target with the folded names of its ends, or the value that is its object."""

    target: Target
    predicates: Mapping[str, Predicate]
    names: Mapping[str, frozenset[str]]
    value: TypedValue | None

    def positions(self, submission: Submission) -> tuple[Position, ...]:
        """Return what the submission proposes, in the terms of the target; unknown predicates are left out."""
        entities = {entity.ref: self._recognise(entity) for entity in submission.entities}
        found = [self._position(proposal, entities) for proposal in submission.relationships]
        return tuple(position for position in found if position is not None)

    def _position(
        self, proposal: RelationshipProposal, entities: Mapping[str, str | None]
    ) -> Position | None:
        predicate = find_predicate(self.predicates, proposal.predicate)
        if predicate is None:
            return None
        corrected = proposal.correction_target
        return Position(
            subject_id=entities.get(proposal.subject_ref),
            predicate_key=predicate.key,
            object_id=self._recognise_object(proposal, entities),
            polarity=proposal.polarity,
            modality=proposal.modality,
            scope=proposal.scope,
            corrects=None if corrected is None else corrected.relationship_id,
        )

    def _recognise_object(
        self, proposal: RelationshipProposal, entities: Mapping[str, str | None]
    ) -> str | None:
        if proposal.object_ref is not None:
            return entities.get(proposal.object_ref)
        value = proposal.object_value
        if value is None or self.value is None:
            return None
        try:
            parsed = parse_value(value.type, value.value, value.unit)
        except InvalidValue:
            return None
        return self.target.object_id if parsed == self.value else None

    def _recognise(self, entity: EntityProposal) -> str | None:
        """Return the end that the entity is: by its hint, else by a name that only one of the ends has."""
        if entity.known_entity_id is not None:
            return entity.known_entity_id if entity.known_entity_id in self.names else None
        folded = fold_name(entity.name)
        ends = [end for end, names in self.names.items() if folded in names]
        return ends[0] if len(ends) == 1 else None


async def read_target(reading: Reading, team_id: str, hypothesis: Row) -> NamedTarget:
    """Return what the Hypothesis in this row (all columns of `hypotheses`) is about."""
    params = {"team_id": team_id, "hypothesis_id": hypothesis["id"]}
    predicates = await list_predicates(reading, team_id)
    predicate = predicates[hypothesis["predicate_key"]]
    sources = await reading.fetch_all(_SOURCES, params)
    ends = [hypothesis["subject_entity_id"], hypothesis["object_entity_id"]]
    entity_ids = [end for end in ends if end is not None]
    names: dict[str, set[str]] = {entity_id: set() for entity_id in entity_ids}
    for row in await reading.fetch_all(_NAMES, {"team_id": team_id, "entity_ids": entity_ids}):
        names[row["entity_id"]].add(row["folded_name"])
    value = None
    if hypothesis["object_value_id"] is not None:
        stored = await reading.fetch_one(_VALUE, {"team_id": team_id, "id": hypothesis["object_value_id"]})
        assert stored is not None
        value = TypedValue(stored["value_type"], stored["canonical"], stored["unit"])
    return NamedTarget(
        target=Target(
            subject_id=hypothesis["subject_entity_id"],
            predicate=predicate,
            object_id=hypothesis["object_entity_id"] or hypothesis["object_value_id"],
            source_ids=frozenset(row["relationship_id"] for row in sources),
            inverse=predicates.get(predicate.inverse_key) if predicate.inverse_key else None,
        ),
        predicates=predicates,
        names={entity_id: frozenset(folded) for entity_id, folded in names.items()},
        value=value,
    )


_SOURCES: LiteralString = """
    SELECT relationship_id FROM hypothesis_sources
    WHERE team_id = %(team_id)s AND hypothesis_id = %(hypothesis_id)s
"""
_NAMES: LiteralString = """
    SELECT entity_id, folded_name FROM entity_names
    WHERE team_id = %(team_id)s AND entity_id = ANY (%(entity_ids)s)
"""
_VALUE: LiteralString = """
    SELECT value_type, canonical, unit FROM typed_values WHERE team_id = %(team_id)s AND id = %(id)s
"""
