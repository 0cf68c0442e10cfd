"""What a cycle writes into the hypothesis ledger: new Hypotheses and reinforcements, each with its event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

from psycopg.types.json import Jsonb

from app.hypotheses.lifecycle import INITIAL_STATUS, HypothesisStatus, WrongState, next_status
from app.kernel.database import Params, Writing


@dataclass(frozen=True, slots=True)
class SourceSeen:
    """A Relationship that a Hypothesis rests on, at the version that the generation saw."""

    relationship_id: str
    version: int
    semantic_group_key: str
    owner_profile_id: str
    is_candidate: bool


@dataclass(frozen=True, slots=True)
class Generation:
    """What one generation says about a target. `likelihood` and `confidence` are 0..1, `paths` is JSON."""

    cycle_run_id: str
    rationale: str
    likelihood: float
    confidence: float
    paths: Sequence[Mapping[str, object]]
    generator_kind: str
    generator_version: str
    sources: Sequence[SourceSeen]

    @property
    def versions_seen(self) -> dict[str, int]:
        return {source.relationship_id: source.version for source in self.sources}


@dataclass(frozen=True, slots=True)
class NewHypothesis:
    """A Hypothesis about a target that no live one holds, with exactly one object id."""

    hypothesis_id: str
    subject_entity_id: str
    predicate_key: str
    predicate_version: int
    object_entity_id: str | None
    object_value_id: str | None
    target_identity: str
    statement: str
    generation: Generation
    previous_hypothesis_id: str | None = None


@dataclass(frozen=True, slots=True)
class Regeneration:
    """A live Hypothesis, its status under lock, and the generation that it rests on from now on."""

    hypothesis_id: str
    status: HypothesisStatus
    generation: Generation


async def insert_hypotheses(writing: Writing, team_id: str, hypotheses: Sequence[NewHypothesis]) -> None:
    """Store each Hypothesis as `proposed`, with its sources and its first event.

    The transaction holds the locks of all their sources and targets. A second live row of a target breaks
    the unique constraint `hypotheses_one_live`, and with it the transaction.
    """
    if not hypotheses:
        return
    await writing.execute_many(_INSERT, [_columns(team_id, hypothesis) for hypothesis in hypotheses])
    await _store_sources(writing, team_id, {new.hypothesis_id: new.generation for new in hypotheses})
    events = [
        _event(team_id, new.hypothesis_id, "accepted", None, INITIAL_STATUS, new.generation)
        for new in hypotheses
    ]
    await writing.execute_many(_INSERT_EVENT, events)


async def reinforce_hypotheses(writing: Writing, team_id: str, regenerations: Sequence[Regeneration]) -> None:
    """Leave each Hypothesis `reinforced`, resting on the sources of its new generation only.

    The rows are locked, and their status was read under that lock.
    """
    if not regenerations:
        return
    updates: list[Params] = []
    events: list[Params] = []
    for regeneration in sorted(regenerations, key=lambda regeneration: regeneration.hypothesis_id):
        after = next_status(regeneration.status, "regenerated")
        if isinstance(after, WrongState):
            raise ValueError(after.message)
        generation = regeneration.generation
        updates.append(
            _generation_columns(generation)
            | {"team_id": team_id, "id": regeneration.hypothesis_id, "status": after}
        )
        events.append(
            _event(team_id, regeneration.hypothesis_id, "regenerated", regeneration.status, after, generation)
        )
    generations = {one.hypothesis_id: one.generation for one in regenerations}
    await writing.execute_many(_REINFORCE, updates)
    await writing.execute(_RETIRE_SOURCES, {"team_id": team_id, "hypothesis_ids": list(generations)})
    await _store_sources(writing, team_id, generations)
    await writing.execute_many(_INSERT_EVENT, events)


async def note_reassessed(writing: Writing, team_id: str, hypothesis_ids: Sequence[str]) -> None:
    """Clear `needs_reassessment` of Hypotheses that were regenerated without anything new."""
    if hypothesis_ids:
        await writing.execute(_CLEAR_FLAG, {"team_id": team_id, "hypothesis_ids": list(hypothesis_ids)})


async def _store_sources(writing: Writing, team_id: str, generations: Mapping[str, Generation]) -> None:
    rows: list[Params] = [
        {
            "team_id": team_id,
            "hypothesis_id": hypothesis_id,
            "relationship_id": source.relationship_id,
            "version": source.version,
            "semantic_group_key": source.semantic_group_key,
            "owner_profile_id": source.owner_profile_id,
            "is_candidate": source.is_candidate,
        }
        for hypothesis_id, generation in generations.items()
        for source in generation.sources
    ]
    await writing.execute_many(_INSERT_SOURCE, rows)


def _columns(team_id: str, hypothesis: NewHypothesis) -> Params:
    return _generation_columns(hypothesis.generation) | {
        "team_id": team_id,
        "id": hypothesis.hypothesis_id,
        "subject_entity_id": hypothesis.subject_entity_id,
        "predicate_key": hypothesis.predicate_key,
        "predicate_version": hypothesis.predicate_version,
        "object_entity_id": hypothesis.object_entity_id,
        "object_value_id": hypothesis.object_value_id,
        "target_identity": hypothesis.target_identity,
        "statement": hypothesis.statement,
        "status": INITIAL_STATUS,
        "previous_hypothesis_id": hypothesis.previous_hypothesis_id,
    }


def _generation_columns(generation: Generation) -> dict[str, object]:
    return {
        "cycle_run_id": generation.cycle_run_id,
        "rationale": generation.rationale,
        "likelihood": generation.likelihood,
        "confidence": generation.confidence,
        "paths": Jsonb(list(generation.paths)),
        "generator_kind": generation.generator_kind,
        "generator_version": generation.generator_version,
    }


def _event(
    team_id: str,
    hypothesis_id: str,
    event: str,
    from_status: HypothesisStatus | None,
    to_status: HypothesisStatus,
    generation: Generation,
) -> Params:
    return {
        "team_id": team_id,
        "hypothesis_id": hypothesis_id,
        "event": event,
        "from_status": from_status,
        "to_status": to_status,
        "cycle_run_id": generation.cycle_run_id,
        "versions_seen": generation.versions_seen,
    }


_INSERT: LiteralString = """
    INSERT INTO hypotheses
        (team_id, id, cycle_run_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         object_value_id, target_identity, statement, rationale, likelihood, confidence, paths,
         generator_kind, generator_version, status, previous_hypothesis_id)
    VALUES
        (%(team_id)s, %(id)s, %(cycle_run_id)s, %(subject_entity_id)s, %(predicate_key)s,
         %(predicate_version)s, %(object_entity_id)s, %(object_value_id)s, %(target_identity)s,
         %(statement)s, %(rationale)s, %(likelihood)s, %(confidence)s, %(paths)s, %(generator_kind)s,
         %(generator_version)s, %(status)s, %(previous_hypothesis_id)s)
"""

_REINFORCE: LiteralString = """
    UPDATE hypotheses
    SET status = %(status)s, likelihood = %(likelihood)s, confidence = %(confidence)s,
        rationale = %(rationale)s, paths = %(paths)s, generator_version = %(generator_version)s,
        needs_reassessment = false, row_version = row_version + 1, updated_at = clock_timestamp(),
        reinforced_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = %(id)s
"""

_RETIRE_SOURCES: LiteralString = """
    UPDATE hypothesis_sources SET is_current = false
    WHERE team_id = %(team_id)s AND hypothesis_id = ANY (%(hypothesis_ids)s) AND is_current
"""

_INSERT_SOURCE: LiteralString = """
    INSERT INTO hypothesis_sources
        (team_id, hypothesis_id, relationship_id, version, semantic_group_key, owner_profile_id, is_candidate)
    VALUES
        (%(team_id)s, %(hypothesis_id)s, %(relationship_id)s, %(version)s, %(semantic_group_key)s,
         %(owner_profile_id)s, %(is_candidate)s)
    ON CONFLICT (team_id, hypothesis_id, relationship_id)
    DO UPDATE SET version = excluded.version, is_candidate = excluded.is_candidate, is_current = true
"""

_INSERT_EVENT: LiteralString = """
    INSERT INTO hypothesis_events
        (team_id, hypothesis_id, event, from_status, to_status, actor_kind, cycle_run_id, versions_seen)
    VALUES
        (%(team_id)s, %(hypothesis_id)s, %(event)s, %(from_status)s, %(to_status)s, 'cycle',
         %(cycle_run_id)s, %(versions_seen)s)
"""

_CLEAR_FLAG: LiteralString = """
    UPDATE hypotheses SET needs_reassessment = false
    WHERE team_id = %(team_id)s AND id = ANY (%(hypothesis_ids)s) AND needs_reassessment
"""
