"""No role leaves a position stronger than its supports carry, by bare SQL, in any order, or by two at once.

Each attempt names the rule that refuses it. Nothing of an attempt is kept, so all share one team.
"""

from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.kernel.database import Database
from app.ledger.retraction import retract_relationship
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.integration.submissions import remember, scope, state
from tests.invariants.attempts import COPY_OF_POSITION, acting_as, refusing_rule
from tests.invariants.attempts_on_supports import (
    change_position,
    evidence_of,
    judge_again,
    meanwhile,
    position_of,
    quarantine_evidence_of,
    retract_evidence_of,
    support_anew,
    turn_support,
)


@pytest.fixture(scope="module")
async def weighed_team(database: Database, make_team: MakeTeam) -> Caller:
    """A team with a position of one voice, of two, of an authority's, of a source, and one that was taken back."""
    caller = await make_team()
    for name, source_group in (("Claim", "docs"), ("Fact", "docs"), ("Fact", "wiki"), ("Taken", "docs")):
        await remember(
            database,
            caller,
            state(
                name, "uses", "Engine", text=f"{name} uses Engine: {source_group}.", source_group=source_group
            ),
        )
    await remember(database, caller, state("Decree", "uses", "Engine", authority="authoritative"))
    sourced = state("Sourced", "uses", "Engine", source_key="notes", source_revision="1")
    await remember(database, caller, sourced)
    taken = await _id_of(database, caller, "Taken")
    await database.unit_of_work(scope(caller), lambda w: retract_relationship(w, caller, taken, note=None))
    return caller


async def _id_of(database: Database, caller: Caller, subject: str) -> str:
    async with database.reading(scope(caller)) as reading:
        row = await reading.fetch_one(_BY_SUBJECT, {"team_id": caller.team_id, "name": subject})
    assert row is not None
    return str(row["id"])


_BY_SUBJECT: LiteralString = """
    SELECT r.id FROM relationships AS r JOIN entities AS e ON e.team_id = r.team_id AND e.id = r.subject_entity_id
    WHERE r.team_id = %(team_id)s AND e.name = %(name)s
"""


REPLACE_REVISION: LiteralString = "UPDATE source_revisions SET is_current = false WHERE revision = '1'"
NEXT_REVISION: LiteralString = (
    "INSERT INTO source_revisions (team_id, source_id, revision, is_current)"
    " SELECT team_id, id, '2', true FROM sources"
)
OTHER_TEAM: LiteralString = "SELECT set_config('densemem.team_id', 'team_other', true)"
COPY_AS_FACT: tuple[LiteralString, ...] = (
    COPY_OF_POSITION.replace("{copied}", position_of("Claim")).replace("{changed}", '\'{{"tier": "fact"}}\''),
    "INSERT INTO relationship_transitions (team_id, relationship_id, version, to_tier, to_status, reason, effect)"
    " SELECT team_id, id, version, tier, status, 'told', 'became_active' FROM relationships"
    " WHERE id = 'rel_copy'",
    "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
    " schema_valid, verifier_kind, verifier_version, rationale)"
    " SELECT team_id, 'ver_copy', 'rel_copy', citation_id, 'entailed', 1, true, 'lexical', '1', '' FROM supports"
    " WHERE relationship_id = " + position_of("Claim"),
    "INSERT INTO supports SELECT team_id, 'rel_copy', citation_id, true FROM supports WHERE relationship_id = "
    + position_of("Claim"),
    "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
    " SELECT team_id, relationship_id, citation_id, 'granted', 'told' FROM supports"
    " WHERE relationship_id = 'rel_copy'",
)
FOREIGN_VOICE: tuple[LiteralString, ...] = (
    "INSERT INTO profiles (team_id, id, name) SELECT team_id, 'prof_other', 'Other' FROM profiles LIMIT 1",
    "INSERT INTO evidence (team_id, id, profile_id, content, content_digest, source_type, authority, source_group,"
    " supersedes_evidence_ids, labels, metadata, state)"
    " SELECT team_id, 'evd_other', 'prof_other', content, content_digest, source_type, authority, source_group,"
    " supersedes_evidence_ids, labels, metadata, state FROM evidence WHERE id = " + evidence_of("Claim"),
    "INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)"
    " SELECT team_id, 'cit_other', 'evd_other', starts, ends, quote FROM citations WHERE evidence_id = "
    + evidence_of("Claim"),
    "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
    " schema_valid, verifier_kind, verifier_version, rationale)"
    " SELECT team_id, 'ver_other', relationship_id, 'cit_other', 'entailed', 1, true, 'lexical', '1', ''"
    " FROM supports WHERE relationship_id = " + position_of("Claim"),
    "INSERT INTO supports SELECT team_id, relationship_id, 'cit_other', true FROM supports"
    " WHERE relationship_id = " + position_of("Claim"),
    "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
    " SELECT team_id, relationship_id, citation_id, 'granted', 'told' FROM supports"
    " WHERE citation_id = 'cit_other'",
)
TO_FACT = change_position("Claim", "tier = 'fact'", "harmless")
TO_CLAIM = change_position("Fact", "tier = 'validated_claim'", "reassess")
TO_CANDIDATE = "tier = 'candidate', status = 'pending_evidence'"
REVIVED = change_position("Taken", "tier = 'validated_claim', status = 'active'", "became_active")

# The statements of one attempt, and the rule that stands in their way; None where the ledger allows it.
TIERS: list[tuple[list[LiteralString], str | None]] = [
    ([TO_FACT], "relationships_gain_by_support"),
    ([*COPY_AS_FACT], "relationships_come_with_support"),
    ([retract_evidence_of("Fact")], "evidence_leaves_tiers_carried"),
    ([quarantine_evidence_of("Fact")], "evidence_leaves_tiers_carried"),
    ([quarantine_evidence_of("Claim")], "evidence_leaves_tiers_carried"),
    ([retract_evidence_of("Decree")], "evidence_leaves_tiers_carried"),
    ([retract_evidence_of("Claim"), OTHER_TEAM], "evidence_leaves_tiers_carried"),
    ([turn_support("Fact", "false", "revoked")], "supports_leave_tiers_carried"),
    ([turn_support("Claim", "false", "revoked")], "supports_leave_tiers_carried"),
    ([REPLACE_REVISION, NEXT_REVISION], "source_revisions_leave_tiers_carried"),
    (
        [change_position("Claim", "status = 'retracted'", "source_lost")],
        "relationships_end_without_support",
    ),
    # What is held may be released, and would bring the position back.
    (
        [quarantine_evidence_of("Claim"), change_position("Claim", "status = 'rejected'", "source_lost")],
        "evidence_leaves_tiers_carried",
    ),
    (
        [change_position("Claim", "status = 'rejected'", "source_lost"), quarantine_evidence_of("Claim")],
        "relationships_end_without_support",
    ),
    ([REVIVED], "relationships_gain_by_support"),
    ([turn_support("Taken", "true", "reinstated"), REVIVED], "supports_return_with_a_verdict"),
    # What has ended gains nothing that a transition alone could revive it by.
    ([judge_again("Taken"), turn_support("Taken", "true", "reinstated")], "supports_return_with_a_verdict"),
    ([*support_anew("Taken")], "supports_come_with_a_verdict"),
    # Another profile's words about the same thing are its own position's.
    ([*FOREIGN_VOICE], "supports_rest_on_the_owners_evidence"),
    # What the ledger allows, in either order.
    ([judge_again("Taken"), turn_support("Taken", "true", "reinstated"), REVIVED], None),
    ([*support_anew("Taken"), REVIVED], None),
    ([REVIVED, judge_again("Taken"), turn_support("Taken", "true", "reinstated")], None),
    ([retract_evidence_of("Fact"), TO_CLAIM], None),
    ([TO_CLAIM, turn_support("Fact", "false", "revoked")], None),
    ([change_position("Claim", TO_CANDIDATE, "source_lost"), quarantine_evidence_of("Claim")], None),
    ([NEXT_REVISION.replace("true", "false")], None),
    (
        [REPLACE_REVISION, NEXT_REVISION, change_position("Sourced", TO_CANDIDATE, "source_lost")],
        None,
    ),
    (
        [
            turn_support("Claim", "false", "revoked"),
            change_position("Claim", "status = 'retracted'", "source_lost"),
        ],
        None,
    ),
]


@pytest.mark.parametrize(("statements", "rule"), TIERS)
async def test_a_tier_needs_its_supports_at_every_commit(
    weighed_team: Caller, database_name: str, statements: list[LiteralString], rule: str | None
) -> None:
    with acting_as(database_name, "app", weighed_team.team_id) as connection:
        assert refusing_rule(connection, *(sql.SQL(one).format() for one in statements)) == rule


async def test_nobody_weighs_by_an_old_snapshot(weighed_team: Caller, database_name: str) -> None:
    with acting_as(database_name, "app", weighed_team.team_id) as connection:
        connection.rollback()
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute(
            "SELECT set_config('role', 'densemem_app', true), set_config('densemem.team_id', %s, true)",
            [weighed_team.team_id],
        )
        attempt = [sql.SQL(one).format() for one in (retract_evidence_of("Fact"), TO_CLAIM)]
        assert refusing_rule(connection, *attempt) == "ledger_is_written_read_committed"


ACTIVATE_TAKEN = [judge_again("Taken"), turn_support("Taken", "true", "reinstated"), REVIVED]
TAKE_AWAY = retract_evidence_of("Taken")


@pytest.mark.parametrize("is_taker_first", [True, False])
async def test_who_grants_and_who_takes_away_wait_for_each_other(
    weighed_team: Caller, database_name: str, *, is_taker_first: bool
) -> None:
    """Neither sees the other, and what each leaves is in order; only together they would break it."""
    both = [[TAKE_AWAY], ACTIVATE_TAKEN] if is_taker_first else [ACTIVATE_TAKEN, [TAKE_AWAY]]
    assert meanwhile(database_name, weighed_team, *both) == "LockNotAvailable"
