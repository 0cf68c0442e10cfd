"""Changes of positions and what is asked about them afterwards, for the tests of the lifecycle."""

from datetime import UTC, datetime

from app.kernel.database import Database
from app.ledger.conflicts.cases import Conflict, list_conflicts
from app.ledger.conflicts.decisions import CaseDecision, decide_conflict
from app.ledger.identity import Edge
from app.ledger.retraction import Changed, retract_evidence
from app.ledger.reviews import Review, list_reviews
from app.remember.ended_reviews import take_position_back
from app.remember.placements import RelationshipOutcome
from app.remember.review_resolution import resolve_review
from app.remember.submission import Submission
from app.tenancy.callers import Caller
from tests.factories import Made, make_entity
from tests.hypothesis_factories import make_hypothesis
from tests.integration.submissions import relationship, remember, rows, scope, state


async def license_fastapi(
    database: Database, caller: Caller, name: str, *, source_group: str | None = None
) -> RelationshipOutcome:
    """Remember `FastAPI licensed_under …`, where only one can hold."""
    text = None if source_group is None else f"FastAPI licensed under {name}, says {source_group}."
    return await remember(
        database, caller, state("FastAPI", "licensed_under", name, text=text, source_group=source_group)
    )


def said_by(source_group: str, subject: str = "FastAPI") -> Submission:
    """The same claim in the words of one source: one text is one voice, whatever its group."""
    text = f"{subject} depends on Starlette, says {source_group}."
    return state(subject, "depends_on", "Starlette", text=text, source_group=source_group)


async def retract(
    database: Database, caller: Caller, relationship_id: str | None, note: str | None = None
) -> tuple[Changed, ...]:
    return await database.unit_of_work(
        scope(caller), lambda w: take_position_back(w, caller, relationship_id or "", note=note)
    )


async def retract_text(database: Database, caller: Caller, evidence_id: str) -> tuple[Changed, ...]:
    return await database.unit_of_work(
        scope(caller), lambda w: retract_evidence(w, caller, evidence_id, note=None)
    )


async def decide(
    database: Database, caller: Caller, case: Conflict, preferred: str | None = None
) -> Conflict:
    """Prefer the position with this Relationship, or dismiss the case."""
    position_id = next((one.position_id for one in case.positions if preferred in one.relationship_ids), None)
    decision = CaseDecision("prefer" if preferred else "dismiss", position_id, "Decided.")
    return await database.unit_of_work(
        scope(caller),
        lambda w: decide_conflict(
            w,
            caller.team_id,
            case.case_id,
            decision,
            profile_id=caller.profile_id,
            now=datetime.now(UTC),
        ),
    )


async def answer(database: Database, caller: Caller, review_id: str | None, choice: str) -> Review:
    return await database.unit_of_work(
        scope(caller),
        lambda w: resolve_review(
            w, caller, review_id or "", choice=choice, reason="As I know it.", now=datetime.now(UTC)
        ),
    )


async def cases(database: Database, caller: Caller) -> list[Conflict]:
    """Return all cases of the team, newest first."""
    async with database.reading(scope(caller)) as reading:
        return list((await list_conflicts(reading, caller.team_id, now=datetime.now(UTC))).items)


async def open_reviews(database: Database, caller: Caller) -> list[Review]:
    async with database.reading(scope(caller)) as reading:
        return list((await list_reviews(reading, caller.team_id, status="open")).items)


async def story(
    database: Database, caller: Caller, relationship_id: str | None
) -> list[tuple[str, str, str]]:
    """Return reason, tier and status of each transition; the versions have no gap."""
    found = await rows(
        database,
        caller,
        """SELECT version, reason, to_tier, to_status FROM relationship_transitions
           WHERE team_id = %(team_id)s AND relationship_id = %(id)s ORDER BY version""",
        id=relationship_id,
    )
    stored = await relationship(database, caller, relationship_id)
    assert [row["version"] for row in found] == list(range(1, stored["version"] + 1))
    assert (found[-1]["to_tier"], found[-1]["to_status"]) == (stored["tier"], stored["status"])
    return [(row["reason"], row["to_tier"], row["to_status"]) for row in found]


async def standing(database: Database, caller: Caller, relationship_id: str | None) -> tuple[str, str]:
    stored = await relationship(database, caller, relationship_id)
    return stored["tier"], stored["status"]


async def evidence_of(database: Database, caller: Caller, relationship_id: str | None) -> list[str]:
    found = await rows(
        database,
        caller,
        """SELECT c.evidence_id FROM supports AS s
           JOIN citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id
           WHERE s.team_id = %(team_id)s AND s.relationship_id = %(id)s ORDER BY c.evidence_id""",
        id=relationship_id,
    )
    return [row["evidence_id"] for row in found]


async def guess_from(database: Database, caller: Caller, relationship_id: str | None) -> str:
    """Make a Hypothesis that rests on the Relationship alone, about something new; return its id."""
    stored = await relationship(database, caller, relationship_id)
    source = Made(stored["id"], stored["semantic_group_key"], stored["target_identity"], "", "")
    other = await make_entity(database, caller, "Something new")
    return await make_hypothesis(
        database, caller, Edge(stored["subject_entity_id"], "depends_on", other), [source]
    )


async def guess_status(database: Database, caller: Caller, hypothesis_id: str) -> str:
    [row] = await rows(
        database,
        caller,
        "SELECT status FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s",
        id=hypothesis_id,
    )
    return str(row["status"])
