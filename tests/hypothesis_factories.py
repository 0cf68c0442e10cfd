"""Hypotheses as a cycle leaves them, written as the dreamer, for tests that are not about dreaming."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from app.dreaming.generation import RULES_VERSION
from app.hypotheses.lifecycle import HypothesisStatus
from app.hypotheses.writes import Generation, NewHypothesis, SourceSeen, insert_hypotheses
from app.kernel.database import Database, Row, Scope, Writing
from app.kernel.ids import new_id
from app.ledger.identity import Edge, target_identity
from app.ledger.predicates.phrases import hedged_statement
from app.ledger.predicates.registry import list_predicates
from app.tenancy.callers import Caller
from tests.factories import Made


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What may be unusual about a Hypothesis. Its statement follows from the names."""

    rationale: str = "Both are used by the same things."
    likelihood: float = 0.5
    confidence: float = 0.4
    rule: str = "X depends_on Z, Z depends_on Y → X depends_on Y"
    previous_hypothesis_id: str | None = None


PLAIN = Guess()


async def make_hypothesis(
    database: Database,
    caller: Caller,
    edge: Edge,
    sources: Sequence[Made],
    guess: Guess = PLAIN,
) -> str:
    """Store a proposed Hypothesis about the edge that rests on the sources, and return its id.

    Its one carrying path uses every source, in the given order; each call has a finished run of its own.
    """
    hypothesis_id, run_id = new_id("hyp"), new_id("run")

    async def write(w: Writing) -> None:
        predicates = await list_predicates(w, caller.team_id)
        predicate = predicates[edge.predicate_key]
        params = {"team_id": caller.team_id, "subject_id": edge.subject_id, "object_id": edge.object_id}
        names = await w.fetch_one(_NAMES, params)
        assert names is not None
        await w.execute(_RUN, {"team_id": caller.team_id, "id": run_id})
        seen = await w.fetch_all(
            _SOURCES,
            {"team_id": caller.team_id, "ids": [source.relationship_id for source in sources]},
        )
        path = {
            "rule": guess.rule,
            "premise_keys": [source.group_key for source in sources],
            "instances": 2,
            "support": 3,
            "body": 4,
            "confidence": 3 / 9,
            "share": 1.0,
        }
        new = NewHypothesis(
            hypothesis_id=hypothesis_id,
            subject_entity_id=edge.subject_id,
            predicate_key=edge.predicate_key,
            predicate_version=predicate.version,
            object_entity_id=edge.object_id if edge.object_id.startswith("ent_") else None,
            object_value_id=edge.object_id if edge.object_id.startswith("val_") else None,
            target_identity=target_identity(edge, predicate),
            statement=hedged_statement(names["subject"], predicate.verb_phrase, names["object"]),
            generation=Generation(
                cycle_run_id=run_id,
                rationale=guess.rationale,
                likelihood=guess.likelihood,
                confidence=guess.confidence,
                paths=[path],
                generator_kind="rules",
                generator_version=RULES_VERSION,
                sources=[_source(row) for row in seen],
            ),
            previous_hypothesis_id=guess.previous_hypothesis_id,
        )
        await insert_hypotheses(w, caller.team_id, [new])

    await database.unit_of_work(Scope("dreamer", caller.team_id), write)
    return hypothesis_id


async def set_status(
    database: Database, caller: Caller, hypothesis_id: str, status: HypothesisStatus
) -> None:
    """Leave the Hypothesis with the status; a submitted one gets the open submission that it needs."""
    params = {
        "team_id": caller.team_id,
        "id": hypothesis_id,
        "status": status,
        "is_open": status == "submitted",
        "ingest_id": new_id("ing"),
        "profile_id": caller.profile_id,
    }

    async def write(w: Writing) -> None:
        if status == "submitted":
            await w.execute(_INGEST, params)
            await w.execute(_SUBMISSION, params)
        await w.execute(_SET_STATUS, params)

    await database.unit_of_work(Scope("app", caller.team_id), write)


def _source(row: Row) -> SourceSeen:
    return SourceSeen(
        relationship_id=row["id"],
        version=row["version"],
        semantic_group_key=row["semantic_group_key"],
        owner_profile_id=row["owner_profile_id"],
        is_candidate=row["tier"] == "candidate",
    )


_INGEST: LiteralString = """
    INSERT INTO ingests (team_id, id, profile_id, max_authority, proposal, correlation_id, processing_state)
    VALUES (%(team_id)s, %(ingest_id)s, %(profile_id)s, 'primary', '{}', 'test', 'queued')
"""
_SUBMISSION: LiteralString = """
    INSERT INTO hypothesis_submissions (team_id, ingest_id, hypothesis_id, decision)
    VALUES (%(team_id)s, %(ingest_id)s, %(id)s, 'confirm_true')
"""
_SET_STATUS: LiteralString = """
    WITH before AS (
        SELECT status FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s
    ), changed AS (
        UPDATE hypotheses SET status = %(status)s, submission_is_open = %(is_open)s, row_version = row_version + 1
        WHERE team_id = %(team_id)s AND id = %(id)s AND status <> %(status)s
        RETURNING id
    )
    INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind)
    SELECT %(team_id)s, changed.id,
           CASE %(status)s WHEN 'rejected' THEN 'reject' WHEN 'submitted' THEN 'confirm_true'
                           WHEN 'reinforced' THEN 'reinforce' ELSE %(status)s END,
           before.status, %(status)s, 'client'
    FROM changed, before
"""
_NAMES: LiteralString = """
    SELECT (SELECT name FROM entities WHERE team_id = %(team_id)s AND id = %(subject_id)s) AS subject,
           coalesce((SELECT name FROM entities WHERE team_id = %(team_id)s AND id = %(object_id)s),
                    (SELECT canonical FROM typed_values WHERE team_id = %(team_id)s AND id = %(object_id)s))
               AS object
"""
_RUN: LiteralString = """
    INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for, finished_at)
    VALUES (%(team_id)s, %(id)s, 'manual:' || %(id)s, 'manual', 'succeeded', clock_timestamp(),
            clock_timestamp())
"""
_SOURCES: LiteralString = """
    SELECT id, version, semantic_group_key, owner_profile_id, tier FROM relationships
    WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) ORDER BY id
"""


async def weigh_again(w: Writing, share: float, *, before: HypothesisStatus) -> None:
    """Leave the Hypotheses of that status with this likelihood and confidence, as a cycle would that says so."""
    await w.execute(_WEIGH_AGAIN, {"share": share, "before": before})
    await w.execute(_TELL_OF_WEIGHING, {"before": before})


_WEIGH_AGAIN: LiteralString = """
    UPDATE hypotheses SET status = 'reinforced', likelihood = %(share)s, confidence = %(share)s,
           row_version = row_version + 1, reinforced_at = clock_timestamp()
    WHERE status = %(before)s
"""
_TELL_OF_WEIGHING: LiteralString = """
    INSERT INTO hypothesis_events
        (team_id, hypothesis_id, event, from_status, to_status, actor_kind, cycle_run_id)
    SELECT team_id, id, 'regenerated', %(before)s, 'reinforced', 'cycle', cycle_run_id FROM hypotheses
"""
