"""What somebody tries on the support of a position, named by its subject, as statements; and two at once."""

from typing import LiteralString

from psycopg import sql

from app.tenancy.callers import Caller
from tests.invariants.attempts import acting_as, refusing_rule


def position_of(subject: LiteralString) -> LiteralString:
    return (
        "(SELECT min(r.id) FROM relationships AS r JOIN entities AS e"
        " ON e.team_id = r.team_id AND e.id = r.subject_entity_id AND e.name = '" + subject + "')"
    )


def change_position(subject: LiteralString, change: LiteralString, effect: LiteralString) -> LiteralString:
    """Change the position, with the transition that accounts for it."""
    return (
        "WITH before AS (SELECT * FROM relationships WHERE id = "
        + position_of(subject)
        + "), changed AS (UPDATE relationships AS r SET version = r.version + 1, "
        + change
        + " FROM before WHERE r.id = before.id RETURNING r.*) INSERT INTO relationship_transitions (team_id,"
        " relationship_id, version, from_tier, to_tier, from_status, to_status, from_valid_to, to_valid_to,"
        " reason, effect) SELECT c.team_id, c.id, c.version, b.tier, c.tier, b.status, c.status, b.valid_to,"
        " c.valid_to, 'told', '" + effect + "' FROM changed AS c, before AS b"
    )


def evidence_of(subject: LiteralString) -> LiteralString:
    return (
        "(SELECT min(c.evidence_id) FROM supports AS s JOIN citations AS c"
        " ON c.team_id = s.team_id AND c.id = s.citation_id WHERE s.relationship_id = "
        + position_of(subject)
        + ")"
    )


def retract_evidence_of(subject: LiteralString) -> LiteralString:
    return (
        "UPDATE evidence SET state = 'retracted', retracted_at = clock_timestamp() WHERE id = "
        + evidence_of(subject)
    )


def quarantine_evidence_of(subject: LiteralString) -> LiteralString:
    return "UPDATE evidence SET state = 'quarantined' WHERE id = " + evidence_of(subject)


def turn_support(subject: LiteralString, granted: LiteralString, event: LiteralString) -> LiteralString:
    return (
        "WITH turned AS (UPDATE supports SET is_granted = "
        + granted
        + " WHERE relationship_id = "
        + position_of(subject)
        + " AND citation_id = (SELECT min(citation_id) FROM supports WHERE relationship_id = "
        + position_of(subject)
        + ") RETURNING *) INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
        " SELECT team_id, relationship_id, citation_id, '" + event + "', 'told' FROM turned"
    )


def judge_again(subject: LiteralString) -> LiteralString:
    return (
        "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
        " schema_valid, verifier_kind, verifier_version, rationale)"
        " SELECT team_id, 'ver_again', relationship_id, citation_id, 'entailed', 1, true, 'lexical', '1', ''"
        " FROM supports WHERE relationship_id = " + position_of(subject)
    )


def support_anew(subject: LiteralString) -> list[LiteralString]:
    """Support the position by another citation of the same words."""
    return [
        "INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)"
        " SELECT team_id, 'cit_anew', evidence_id, starts, ARRAY[ends[1] - 1], left(quote, -1) FROM citations"
        " WHERE evidence_id = " + evidence_of(subject),
        "INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,"
        " schema_valid, verifier_kind, verifier_version, rationale)"
        " SELECT team_id, 'ver_anew', relationship_id, 'cit_anew', 'entailed', 1, true, 'lexical', '1', ''"
        " FROM supports WHERE relationship_id = " + position_of(subject),
        "INSERT INTO supports SELECT DISTINCT team_id, relationship_id, 'cit_anew', true FROM supports"
        " WHERE relationship_id = " + position_of(subject),
        "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
        " SELECT team_id, relationship_id, citation_id, 'granted', 'told' FROM supports"
        " WHERE citation_id = 'cit_anew'",
    ]


def meanwhile(
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
