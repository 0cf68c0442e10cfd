"""A team with a row in every state that is final, or that an event has to account for."""

from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Database, Scope, Writing
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.case_factories import make_conflict, make_review
from tests.factories import CANDIDATE, Position, make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis


@dataclass(frozen=True, slots=True)
class ChangedTeam:
    """The team and what its rows are called; `established` and `candidate` are Relationships."""

    caller: Caller
    established: str
    candidate: str
    merged_entity: str


async def make_changed_team(database: Database, unruled: Database, caller: Caller) -> ChangedTeam:
    """Leave the team with such rows."""
    ends = [await make_entity(database, caller, f"Part {number}") for number in range(4)]
    established = await make_relationship(
        database, caller, ends[0], "depends_on", ends[1], Position(source_revision="1")
    )
    candidate = await make_relationship(database, caller, ends[1], "depends_on", ends[2], CANDIDATE)
    await make_conflict(database, caller, ends[0], [established])
    await make_review(database, caller, established.relationship_id)
    answered = await make_review(database, caller, established.relationship_id, is_open=False)
    await make_hypothesis(database, caller, Edge(ends[0], "uses", ends[2]), [established])
    params = {
        "team_id": caller.team_id,
        "profile_id": caller.profile_id,
        "merged_id": ends[3],
        "survivor_id": ends[0],
        "relationship_id": established.relationship_id,
        "answered_id": answered,
    }

    async def write(w: Writing) -> None:
        for statement in _ENDED:
            await w.execute(statement, params)

    await unruled.unit_of_work(Scope("owner", caller.team_id), write)
    return ChangedTeam(caller, established.relationship_id, candidate.relationship_id, ends[3])


# References are not looked at here, so a row stands without those that it would belong to.
_ENDED: tuple[LiteralString, ...] = (
    """
    INSERT INTO source_revisions (team_id, source_id, revision, is_current)
    SELECT team_id, id, '0', false FROM sources WHERE team_id = %(team_id)s
    """,
    """
    INSERT INTO predicates
    SELECT (jsonb_populate_record(p, '{"version": 2, "is_current": false}')).*
    FROM predicates AS p WHERE team_id = %(team_id)s AND predicate_key = 'uses'
    """,
    """
    UPDATE entities SET is_merged = true, merged_into_id = %(survivor_id)s
    WHERE team_id = %(team_id)s AND id = %(merged_id)s
    """,
    """
    INSERT INTO entity_merge_events (team_id, id, event, entity_id, survivor_id, before_image, actor_profile_id)
    VALUES (%(team_id)s, 'mrg_1', 'merged', %(merged_id)s, %(survivor_id)s, '{}', %(profile_id)s)
    """,
    """
    INSERT INTO ingests
        (team_id, id, profile_id, max_authority, proposal, correlation_id, processing_state, finished_at)
    VALUES (%(team_id)s, 'ing_1', %(profile_id)s, 'primary', '{}', 'test', 'completed', now()),
           (%(team_id)s, 'ing_2', %(profile_id)s, 'primary', '{}', 'test', 'queued', NULL)
    """,
    """
    INSERT INTO placement_outcomes
        (team_id, ingest_id, position, proposal_id, relationship_id, category, placed_at, review_id)
    VALUES (%(team_id)s, 'ing_1', 0, 'p1', %(relationship_id)s, 'relationship_validated_claim', now(), NULL),
           (%(team_id)s, 'ing_1', 1, 'p2', NULL, 'evidence_quarantined', now(), NULL),
           (%(team_id)s, 'ing_1', 2, 'p3', NULL, 'relationship_rejected', now(), %(answered_id)s),
           (%(team_id)s, 'ing_2', 0, 'p4', NULL, NULL, NULL, NULL)
    """,
    """
    INSERT INTO api_keys (id, key_digest, team_id, profile_id, scopes, max_authority, revoked_at)
    VALUES ('key_' || %(team_id)s, %(team_id)s, %(team_id)s, %(profile_id)s, '{read}', 'primary', now())
    """,
    """
    INSERT INTO hypothesis_submissions (team_id, ingest_id, hypothesis_id, decision, ended_at, ended_active)
    SELECT team_id, 'ing_1', id, 'confirm_true', now(), false FROM hypotheses WHERE team_id = %(team_id)s
    """,
    """
    INSERT INTO provider_batches
        (team_id, id, cycle_run_id, permit_id, custom_id, model, prompt_version, reference_map, batch_id, outcome)
    VALUES (%(team_id)s, 'bat_1', 'run_1', 'per_1', 'c', 'm', 'p', '{}', 'batch', 'ended')
    """,
    """
    INSERT INTO work_items (team_id, kind, item_id, run_at, epoch, finished_at)
    VALUES (%(team_id)s, 'cycle', 'ended', now(), 3, now())
    """,
    """
    INSERT INTO verifier_usage
        (team_id, day, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd)
    VALUES (%(team_id)s, '2026-01-01', 'm', 5, 5, 5, 5, 5)
    """,
    """
    INSERT INTO verifier_permits (team_id, id, day, model, input_tokens, output_tokens, cost_usd, charged_usd)
    VALUES (%(team_id)s, 'pmt_1', '2026-01-01', 'm', 5, 5, 5, 1)
    """,
    """
    INSERT INTO team_settings (team_id, name, value, row_version) VALUES (%(team_id)s, 'max_outputs', '5', 4)
    """,
    # The instance has one set of settings for all tests: a name that none of them reads.
    "INSERT INTO instance_settings (name, value) VALUES ('unread_' || %(team_id)s, '1')",
)
