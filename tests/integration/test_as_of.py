"""Recall as of a moment: what is true then, as it was known then, right at the very edges.

Two oracles. One is a few lines of Python that know each position's story and say what holds; PostgreSQL is asked
about every edge, a microsecond before it and after it. The other is recall itself: what it answered when it was
asked is what it must answer later, as of that moment, whatever happened in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, LiteralString

from hypothesis import given, settings
from hypothesis import strategies as st

from app.kernel.database import Database
from app.ledger.vocabulary import Status, Tier
from app.tenancy.callers import Caller
from tests import factories
from tests.conftest import MakeTeam
from tests.factories import Position, make_entity
from tests.integration.as_of import DAYS, EXAMPLES, INSTANT
from tests.integration.submissions import rows

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


_STORIES: LiteralString = """
    SELECT relationship_id, created_at, to_tier, to_status, to_valid_to FROM relationship_transitions
    WHERE team_id = %(team_id)s ORDER BY relationship_id, version
"""
_HELD: LiteralString = """
    SELECT asked.place, held.relationship_id
    FROM unnest(%(ats)s::timestamptz[], %(knowns)s::timestamptz[]) WITH ORDINALITY AS asked (at, known, place)
    CROSS JOIN LATERAL held_relationships(%(team_id)s, asked.at, asked.known) AS held
"""
