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


def _position(subject: LiteralString) -> LiteralString:
    return (
        "(SELECT min(r.id) FROM relationships AS r JOIN entities AS e"
        " ON e.team_id = r.team_id AND e.id = r.subject_entity_id AND e.name = '" + subject + "')"
    )


def _change(subject: LiteralString, change: LiteralString, effect: LiteralString) -> LiteralString:
    """Change the position, with the transition that accounts for it."""
    return (
        "WITH before AS (SELECT * FROM relationships WHERE id = "
        + _position(subject)
        + "), changed AS (UPDATE relationships AS r SET version = r.version + 1, "
        + change
        + " FROM before WHERE r.id = before.id RETURNING r.*) INSERT INTO relationship_transitions (team_id,"
        " relationship_id, version, from_tier, to_tier, from_status, to_status, from_valid_to, to_valid_to,"
        " reason, effect) SELECT c.team_id, c.id, c.version, b.tier, c.tier, b.status, c.status, b.valid_to,"
        " c.valid_to, 'told', '" + effect + "' FROM changed AS c, before AS b"
    )


def _evidence(subject: LiteralString) -> LiteralString:
    return (
        "(SELECT min(c.evidence_id) FROM supports AS s JOIN citations AS c"
        " ON c.team_id = s.team_id AND c.id = s.citation_id WHERE s.relationship_id = "
        + _position(subject)
        + ")"
    )


def _retract_evidence(subject: LiteralString) -> LiteralString:
    return (
        "UPDATE evidence SET state = 'retracted', retracted_at = clock_timestamp() WHERE id = "
        + _evidence(subject)
    )


def _quarantine(subject: LiteralString) -> LiteralString:
    return "UPDATE evidence SET state = 'quarantined' WHERE id = " + _evidence(subject)


def _turn_support(subject: LiteralString, granted: LiteralString, event: LiteralString) -> LiteralString:
    return (
        "WITH turned AS (UPDATE supports SET is_granted = "
        + granted
        + " WHERE relationship_id = "
        + _position(subject)
        + " AND citation_id = (SELECT min(citation_id) FROM supports WHERE relationship_id = "
        + _position(subject)
        + ") RETURNING *) INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
        " SELECT team_id, relationship_id, citation_id, '" + event + "', 'told' FROM turned"
    )


def _judge_again(subject: LiteralString) -> LiteralString:
    return (
        "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
        " schema_valid, verifier_kind, verifier_version, rationale)"
        " SELECT team_id, 'ver_again', relationship_id, citation_id, 'entailed', 1, true, 'lexical', '1', ''"
        " FROM supports WHERE relationship_id = " + _position(subject)
    )


def _support_anew(subject: LiteralString) -> list[LiteralString]:
    """Support the position by another citation of the same words."""
    return [
        "INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)"
        " SELECT team_id, 'cit_anew', evidence_id, starts, ARRAY[ends[1] - 1], left(quote, -1) FROM citations"
        " WHERE evidence_id = " + _evidence(subject),
        "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
        " schema_valid, verifier_kind, verifier_version, rationale)"
        " SELECT team_id, 'ver_anew', relationship_id, 'cit_anew', 'entailed', 1, true, 'lexical', '1', ''"
        " FROM supports WHERE relationship_id = " + _position(subject),
        "INSERT INTO supports SELECT DISTINCT team_id, relationship_id, 'cit_anew', true FROM supports"
        " WHERE relationship_id = " + _position(subject),
        "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
        " SELECT team_id, relationship_id, citation_id, 'granted', 'told' FROM supports"
        " WHERE citation_id = 'cit_anew'",
    ]


REPLACE_REVISION: LiteralString = "UPDATE source_revisions SET is_current = false WHERE revision = '1'"
NEXT_REVISION: LiteralString = (
    "INSERT INTO source_revisions (team_id, source_id, revision, is_current)"
    " SELECT team_id, id, '2', true FROM sources"
)
OTHER_TEAM: LiteralString = "SELECT set_config('densemem.team_id', 'team_other', true)"
COPY_AS_FACT: tuple[LiteralString, ...] = (
    COPY_OF_POSITION.replace("{copied}", _position("Claim")).replace("{changed}", '\'{{"tier": "fact"}}\''),
    "INSERT INTO relationship_transitions (team_id, relationship_id, version, to_tier, to_status, reason, effect)"
    " SELECT team_id, id, version, tier, status, 'told', 'became_active' FROM relationships"
    " WHERE id = 'rel_copy'",
    "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
    " schema_valid, verifier_kind, verifier_version, rationale)"
    " SELECT team_id, 'ver_copy', 'rel_copy', citation_id, 'entailed', 1, true, 'lexical', '1', '' FROM supports"
    " WHERE relationship_id = " + _position("Claim"),
    "INSERT INTO supports SELECT team_id, 'rel_copy', citation_id, true FROM supports WHERE relationship_id = "
    + _position("Claim"),
    "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
    " SELECT team_id, relationship_id, citation_id, 'granted', 'told' FROM supports"
    " WHERE relationship_id = 'rel_copy'",
)
FOREIGN_VOICE: tuple[LiteralString, ...] = (
    "INSERT INTO profiles (team_id, id, name) SELECT team_id, 'prof_other', 'Other' FROM profiles LIMIT 1",
    "INSERT INTO evidence (team_id, id, profile_id, content, content_digest, source_type, authority, source_group,"
    " supersedes_evidence_ids, labels, metadata, state)"
    " SELECT team_id, 'evd_other', 'prof_other', content, content_digest, source_type, authority, source_group,"
    " supersedes_evidence_ids, labels, metadata, state FROM evidence WHERE id = " + _evidence("Claim"),
    "INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)"
    " SELECT team_id, 'cit_other', 'evd_other', starts, ends, quote FROM citations WHERE evidence_id = "
    + _evidence("Claim"),
    "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
    " schema_valid, verifier_kind, verifier_version, rationale)"
    " SELECT team_id, 'ver_other', relationship_id, 'cit_other', 'entailed', 1, true, 'lexical', '1', ''"
    " FROM supports WHERE relationship_id = " + _position("Claim"),
    "INSERT INTO supports SELECT team_id, relationship_id, 'cit_other', true FROM supports"
    " WHERE relationship_id = " + _position("Claim"),
    "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
    " SELECT team_id, relationship_id, citation_id, 'granted', 'told' FROM supports"
    " WHERE citation_id = 'cit_other'",
)
TO_FACT = _change("Claim", "tier = 'fact'", "harmless")
TO_CLAIM = _change("Fact", "tier = 'validated_claim'", "reassess")
TO_CANDIDATE = "tier = 'candidate', status = 'pending_evidence'"
REVIVED = _change("Taken", "tier = 'validated_claim', status = 'active'", "became_active")

# The statements of one attempt, and the rule that stands in their way; None where the ledger allows it.
TIERS: list[tuple[list[LiteralString], str | None]] = [
    ([TO_FACT], "relationships_gain_by_support"),
    ([*COPY_AS_FACT], "relationships_come_with_support"),
    ([_retract_evidence("Fact")], "evidence_leaves_tiers_carried"),
    ([_quarantine("Fact")], "evidence_leaves_tiers_carried"),
    ([_quarantine("Claim")], "evidence_leaves_tiers_carried"),
    ([_retract_evidence("Decree")], "evidence_leaves_tiers_carried"),
    ([_retract_evidence("Claim"), OTHER_TEAM], "evidence_leaves_tiers_carried"),
    ([_turn_support("Fact", "false", "revoked")], "supports_leave_tiers_carried"),
    ([_turn_support("Claim", "false", "revoked")], "supports_leave_tiers_carried"),
    ([REPLACE_REVISION, NEXT_REVISION], "source_revisions_leave_tiers_carried"),
    (
        [_change("Claim", "status = 'retracted'", "source_lost")],
        "relationships_end_without_support",
    ),
    # What is held may be released, and would bring the position back.
    (
        [_quarantine("Claim"), _change("Claim", "status = 'rejected'", "source_lost")],
        "evidence_leaves_tiers_carried",
    ),
    (
        [_change("Claim", "status = 'rejected'", "source_lost"), _quarantine("Claim")],
        "relationships_end_without_support",
    ),
    ([REVIVED], "relationships_gain_by_support"),
    ([_turn_support("Taken", "true", "reinstated"), REVIVED], "supports_return_with_a_verdict"),
    # What has ended gains nothing that a transition alone could revive it by.
    ([_judge_again("Taken"), _turn_support("Taken", "true", "reinstated")], "supports_return_with_a_verdict"),
    ([*_support_anew("Taken")], "supports_come_with_a_verdict"),
    # Another profile's words about the same thing are its own position's.
    ([*FOREIGN_VOICE], "supports_rest_on_the_owners_evidence"),
    # What the ledger allows, in either order.
    ([_judge_again("Taken"), _turn_support("Taken", "true", "reinstated"), REVIVED], None),
    ([*_support_anew("Taken"), REVIVED], None),
    ([REVIVED, _judge_again("Taken"), _turn_support("Taken", "true", "reinstated")], None),
    ([_retract_evidence("Fact"), TO_CLAIM], None),
    ([TO_CLAIM, _turn_support("Fact", "false", "revoked")], None),
    ([_change("Claim", TO_CANDIDATE, "source_lost"), _quarantine("Claim")], None),
    ([NEXT_REVISION.replace("true", "false")], None),
    (
        [REPLACE_REVISION, NEXT_REVISION, _change("Sourced", TO_CANDIDATE, "source_lost")],
        None,
    ),
    (
        [_turn_support("Claim", "false", "revoked"), _change("Claim", "status = 'retracted'", "source_lost")],
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
        attempt = [sql.SQL(one).format() for one in (_retract_evidence("Fact"), TO_CLAIM)]
        assert refusing_rule(connection, *attempt) == "ledger_is_written_read_committed"


ACTIVATE_TAKEN = [_judge_again("Taken"), _turn_support("Taken", "true", "reinstated"), REVIVED]
TAKE_AWAY = _retract_evidence("Taken")


@pytest.mark.parametrize("is_taker_first", [True, False])
async def test_who_grants_and_who_takes_away_wait_for_each_other(
    weighed_team: Caller, database_name: str, *, is_taker_first: bool
) -> None:
    """Neither sees the other, and what each leaves is in order; only together they would break it."""
    both = [[TAKE_AWAY], ACTIVATE_TAKEN] if is_taker_first else [ACTIVATE_TAKEN, [TAKE_AWAY]]
    assert _at_once(database_name, weighed_team, *both) == "LockNotAvailable"


@pytest.mark.parametrize("taking", [_retract_evidence("Held"), _turn_support("Held", "false", "revoked")])
async def test_who_takes_away_waits_for_who_is_about_to_rest_on_it(
    database: Database, database_name: str, make_team: MakeTeam, taking: LiteralString
) -> None:
    caller = await make_team()
    await remember(database, caller, state("Held", "uses", "Engine", source_group="docs"))
    with acting_as(database_name, "app", caller.team_id) as connection:
        connection.execute(sql.SQL(_change("Held", "status = 'needs_review'", "source_lost")).format())
        connection.commit()
    back = _change("Held", "status = 'active'", "became_active")
    assert _at_once(database_name, caller, [back], [taking]) == "LockNotAvailable"
    assert _at_once(database_name, caller, [taking], [back]) == "LockNotAvailable"


def _at_once(
    database_name: str, caller: Caller, first: list[LiteralString], second: list[LiteralString]
) -> str | None:
    """Let the first be checked but not committed; return what becomes of the second meanwhile."""
    with (
        acting_as(database_name, "app", caller.team_id) as one,
        acting_as(database_name, "app", caller.team_id) as other,
    ):
        for statement in first:
            one.execute(sql.SQL(statement).format())
        one.execute("SET CONSTRAINTS ALL IMMEDIATE")
        other.execute("SET LOCAL lock_timeout = '20ms'")
        return refusing_rule(other, *(sql.SQL(statement).format() for statement in second))
