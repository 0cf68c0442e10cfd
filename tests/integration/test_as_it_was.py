"""Recall as of then is what recall answered then, whatever has happened since."""

from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.kernel.database import Database
from app.kernel.errors import DenseMemError
from app.recall.model import RecallAnswer
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity
from tests.integration.as_of import DAYS, EXAMPLES, INSTANT, ask
from tests.integration.changes import answer, decide, retract, retract_text
from tests.integration.changes import cases as list_cases
from tests.integration.merging import entity, merge, unmerge
from tests.integration.submissions import remember, rows, state

FIRST, SECOND, THIRD = DAYS
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("say"),
            st.sampled_from(["FastAPI", "Fast API"]),
            st.sampled_from(["MIT", "BSD"]),
            st.sampled_from([None, *DAYS]),
            st.sampled_from([None, DAYS[2]]),
            st.integers(0, 1),
        ),
        st.tuples(
            st.just("need"),
            st.sampled_from(["FastAPI", "Fast API"]),
            st.integers(0, 1),
            st.sampled_from("+-"),
        ),
        st.tuples(st.just("correct"), st.sampled_from(["MIT", "BSD"]), st.sampled_from([None, *DAYS])),
        st.tuples(st.sampled_from(["retract", "forget", "review", "decide"]), st.integers(0, 9)),
        st.tuples(st.sampled_from(["merge", "unmerge"])),
    ),
    min_size=4,
    max_size=6,
)


@settings(max_examples=EXAMPLES)
@given(operations=OPERATIONS)
# An end comes nearer; what was said by it falls; a correction takes all of a window's time.
@example(
    operations=[
        ("say", "FastAPI", "BSD", FIRST, THIRD, 0),
        ("say", "FastAPI", "MIT", SECOND, None, 0),
        ("forget", 1),
        ("say", "FastAPI", "BSD", FIRST, THIRD, 0),
        ("correct", "MIT", FIRST),
    ]
)
# A position with a window moves to another entity and back.
@example(
    operations=[
        ("say", "Fast API", "MIT", FIRST, THIRD, 0),
        ("need", "Fast API", 0, "+"),
        ("merge",),
        ("need", "FastAPI", 0, "+"),
        ("forget", 1),
        ("unmerge",),
    ]
)
# A case is decided, comes into question again, is decided otherwise, and loses a side.
@example(
    operations=[
        ("say", "FastAPI", "MIT", None, None, 0),
        ("say", "FastAPI", "BSD", None, None, 1),
        ("decide", 4),
        ("say", "FastAPI", "BSD", None, THIRD, 1),
        ("decide", 3),
        ("retract", 0),
        ("say", "FastAPI", "MIT", None, None, 0),
        ("review", 1),
    ]
)
async def test_what_recall_answered_is_what_it_answers_as_of_then(
    database: Database, make_team: MakeTeam, make_profile: MakeProfile, operations: list[tuple[Any, ...]]
) -> None:
    team = await make_team()
    people = [team, await make_profile(team, "Other")]
    for name in ("FastAPI", "Fast API"):
        await make_entity(database, team, name, kind="other")
    asked = [SECOND - INSTANT, SECOND, datetime.now(UTC) + timedelta(days=1)]
    said: list[tuple[datetime, datetime, object]] = [(DAYS[0], datetime.now(UTC), (frozenset(), frozenset()))]
    for number, operation in enumerate(operations):
        try:
            await act(database, people, operation, number)
        except DenseMemError:
            continue
        known = datetime.now(UTC)
        said += [(at, known, shown(await ask(database, team, valid_at=at))) for at in asked]
    for at, known, before in said:
        assert shown(await ask(database, team, valid_at=at, known_at=known)) == before, (at, known)


async def act(database: Database, people: list[Caller], operation: tuple[Any, ...], number: int) -> None:
    team = people[0]
    match operation:
        case ("say", subject, object_name, starts, end, who):
            text = f"{subject} is licensed under {object_name}, number {number}."
            said = state(subject, "licensed_under", object_name, text=text, valid_from=starts, valid_to=end)
            await remember(database, people[who], said)
        case ("need", subject, who, polarity):
            text = f"{subject} and Starlette, number {number}."
            said = state(
                subject, "depends_on", "Starlette", text=text, polarity=polarity, source_group=f"g{number}"
            )
            await remember(database, people[who], said)
        case ("correct", object_name, starts):
            old = (await living(database, team))[-1:]
            for one in old:
                target = CorrectionTarget(one["id"], one["version"])
                text = f"No, it is {object_name}, number {number}."
                said = state(
                    "FastAPI",
                    "licensed_under",
                    object_name,
                    text=text,
                    valid_from=starts,
                    correction_target=target,
                )
                await remember(database, team, said)
        case ("retract", place):
            found = await living(database, team)
            if found:
                await retract(database, team, found[place % len(found)]["id"])
        case ("forget", place):
            found = await rows(database, team, _EVIDENCE, profile_id=team.profile_id)
            if found:
                await retract_text(database, team, found[place % len(found)]["id"])
        case ("review", place):
            found = await rows(database, team, _REVIEWS)
            for one in found[:1]:
                await answer(database, team, one["id"], "accept" if place % 2 else "reject")
        case ("decide", place):
            for case in (await list_cases(database, team))[:1]:
                position = case.positions[place % len(case.positions)]
                await decide(database, team, case, position.relationship_ids[0] if place % 3 else None)
        case ("merge",):
            into = await entity(database, team, "FastAPI")
            await merge(database, team, await entity(database, team, "Fast API"), into)
        case ("unmerge",):
            [row] = await rows(
                database, team, "SELECT id FROM entities WHERE team_id = %(team_id)s AND name = 'Fast API'"
            )
            await unmerge(database, team, row["id"])


def shown(answered: RecallAnswer) -> tuple[frozenset[object], frozenset[object]]:
    """Return all that an answer says, but for order and score."""
    results = frozenset(
        (
            one.relationship_id,
            one.equivalent_relationship_ids,
            one.tier,
            one.valid_from,
            one.valid_to,
            one.statement,
            frozenset((quote.evidence_id, quote.quote) for quote in one.evidence),
        )
        for one in answered.results
    )
    conflicts = frozenset(
        (
            case.conflict_id,
            case.status,
            case.preferred_position_id,
            frozenset(case.positions),
        )
        for case in answered.conflicts
    )
    return results, conflicts


async def living(database: Database, team: Caller) -> list[Any]:
    return await rows(database, team, _LIVING, profile_id=team.profile_id)


_LIVING: LiteralString = """
    SELECT id, version FROM relationships
    WHERE team_id = %(team_id)s AND owner_profile_id = %(profile_id)s AND status = 'active' ORDER BY id
"""


_EVIDENCE: LiteralString = """
    SELECT id FROM evidence
    WHERE team_id = %(team_id)s AND profile_id = %(profile_id)s AND state = 'active' ORDER BY id
"""


_REVIEWS: LiteralString = """
    SELECT id FROM review_tasks
    WHERE team_id = %(team_id)s AND status = 'open' AND relationship_id IS NOT NULL ORDER BY id
"""
