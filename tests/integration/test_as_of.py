"""Recall as of a moment: what is true then, as it was known then, right at the very edges.

Two oracles. One is a few lines of Python that know each position's story and say what holds; PostgreSQL is asked
about every edge, a microsecond before it and after it. The other is recall itself: what it answered when it was
asked is what it must answer later, as of that moment, whatever happened in between.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, LiteralString

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.kernel.database import Database
from app.kernel.errors import DenseMemError
from app.ledger.vocabulary import Status, Tier
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests import factories
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import Position, make_entity
from tests.integration.changes import answer, decide, retract, retract_text
from tests.integration.changes import cases as list_cases
from tests.integration.merging import entity, merge, unmerge
from tests.integration.submissions import remember, rows, state

EXAMPLES: Final = int(os.environ.get("DENSEMEM_AS_OF_EXAMPLES", "1"))
INSTANT: Final = timedelta(microseconds=1)
DAYS: Final = [
    datetime(2010, 1, 1, tzinfo=UTC),
    datetime(2015, 6, 30, tzinfo=UTC),
    datetime(2020, 1, 1, tzinfo=UTC),
]
NAMES: Final = "FastAPI, Fast API, MIT, BSD, Starlette"


async def ask(
    database: Database, team: Caller, *, valid_at: datetime | None = None, known_at: datetime | None = None
) -> RecallAnswer:
    query = RecallQuery(NAMES, limit=50, hypothesis_limit=0, valid_at=valid_at, known_at=known_at)
    return await recall(database, team, query, now=datetime.now(UTC))


# ── What holds, by a few lines of Python ──


@dataclass(frozen=True, slots=True)
class Told:
    """A position as one transition left it, and whether that one moved its end."""

    at: datetime
    tier: Tier
    status: Status
    valid_to: datetime | None
    before: "Told | None"


def holds(
    story: Sequence[Told], *, starts: datetime | None, is_event: bool, at: datetime, known: datetime
) -> bool:
    told = [one for one in story if one.at <= known]
    if not told or told[-1].tier == "candidate" or (starts is not None and at < starts):
        return False
    last = told[-1]
    is_before_end = last.valid_to is None or at < last.valid_to
    if last.status in ("active", "disputed"):
        return is_event or is_before_end
    if last.status != "superseded" or is_event or last.valid_to is None:
        return False
    ended = next(
        one
        for one in reversed(told)
        if one.status == "superseded" and (one.before is None or one.before.status != "superseded")
    )
    return is_before_end and (None if ended.before is None else ended.before.valid_to) != ended.valid_to


CHANGES = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["active", "superseded", "disputed", "retracted", "needs_review", None]),
        "tier": st.sampled_from(["fact", "validated_claim", None]),
        "valid_to": st.sampled_from([*DAYS[1:], None]),
    }
)
POSITIONS = st.lists(
    st.tuples(
        st.sampled_from(["licensed_under", "caused"]),
        st.sampled_from([DAYS[0], None]),
        st.sampled_from([*DAYS[1:], None]),
        st.lists(CHANGES, max_size=4),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=5 * EXAMPLES)
@given(drawn=POSITIONS)
async def test_what_holds_is_right_an_instant_before_at_and_after_every_edge(
    database: Database, make_team: MakeTeam, drawn: list[tuple[str, datetime, datetime, list[dict[str, Any]]]]
) -> None:
    team = await make_team()
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "MIT", "BSD", "Ice", "Snow")]
    made: dict[str, tuple[datetime | None, bool]] = {}
    for place, (predicate, starts, end, changes) in enumerate(drawn):
        position = Position(valid_from=starts, valid_to=end)
        one = await factories.make_relationship(database, team, ends[0], predicate, ends[1 + place], position)
        made[one.relationship_id] = starts, predicate == "caused"
        for change in changes:
            await factories.change_relationship(database, team, one.relationship_id, **change)
    stories = await read_stories(database, team)
    edges = {None, *(told.at for story in stories.values() for told in story)}
    moments = [
        (at, known)
        for at in spread({*DAYS, *(one for one in [datetime(1, 1, 1, tzinfo=UTC)])})
        for known in [*spread({edge for edge in edges if edge is not None}), datetime.now(UTC)]
    ]
    held = await read_held(database, team, moments)
    for place, (at, known) in enumerate(moments):
        expected = {
            one
            for one, (starts, is_event) in made.items()
            if holds(stories[one], starts=starts, is_event=is_event, at=at, known=known)
        }
        assert held[place] == expected, (at, known, stories)


def spread(edges: set[datetime]) -> list[datetime]:
    first = datetime(1, 1, 1, tzinfo=UTC)
    return sorted(
        {edge + step for edge in edges for step in (-INSTANT, 0 * INSTANT, INSTANT) if edge > first} | edges
    )


async def read_stories(database: Database, team: Caller) -> dict[str, list[Told]]:
    stories: dict[str, list[Told]] = {}
    for row in await rows(database, team, _STORIES):
        story = stories.setdefault(row["relationship_id"], [])
        before = story[-1] if story else None
        story.append(Told(row["created_at"], row["to_tier"], row["to_status"], row["to_valid_to"], before))
    return stories


async def read_held(
    database: Database, team: Caller, moments: Sequence[tuple[datetime, datetime]]
) -> dict[int, set[str]]:
    held: dict[int, set[str]] = {place: set() for place in range(len(moments))}
    found = await rows(
        database, team, _HELD, ats=[at for at, _ in moments], knowns=[known for _, known in moments]
    )
    for row in found:
        held[row["place"] - 1].add(row["relationship_id"])
    return held


# ── What recall said then, it says of then ──

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


FIRST, SECOND, THIRD = DAYS


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
            frozenset(one.evidence),
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


_STORIES: LiteralString = """
    SELECT relationship_id, created_at, to_tier, to_status, to_valid_to FROM relationship_transitions
    WHERE team_id = %(team_id)s ORDER BY relationship_id, version
"""
_HELD: LiteralString = """
    SELECT asked.place, held.relationship_id
    FROM unnest(%(ats)s::timestamptz[], %(knowns)s::timestamptz[]) WITH ORDINALITY AS asked (at, known, place)
    CROSS JOIN LATERAL held_relationships(%(team_id)s, asked.at, asked.known) AS held
"""
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
