"""Which positions make a guess about today pointless: for the ledger's trigger, the sweep and the next dream."""

from datetime import UTC, datetime

import pytest

from app.dreaming.inputs.standing import read_standing
from app.kernel.database import Database, Row, Scope
from app.ledger.identity import Edge
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import Polarity
from app.tenancy.callers import Caller
from tests.cycles import run_once
from tests.factories import Made, Position, make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis
from tests.integration.submissions import rows

PAST = (datetime(2001, 1, 1, tzinfo=UTC), datetime(2003, 1, 1, tzinfo=UTC))
FUTURE = (datetime(2999, 1, 1, tzinfo=UTC), None)
OPEN = (PAST[0], None)
WINDOWS = pytest.mark.parametrize(
    ("predicate_key", "window", "settles"),
    [
        ("uses", (None, None), True),
        ("uses", OPEN, True),
        ("uses", (None, FUTURE[0]), True),
        ("uses", PAST, False),
        ("uses", (None, PAST[1]), False),
        ("uses", FUTURE, False),
        ("caused", (None, None), True),
        ("caused", PAST, True),
        ("caused", FUTURE, True),
    ],
)
Window = tuple[datetime | None, datetime | None]


def position(window: Window, polarity: Polarity = "+") -> Position:
    return Position(polarity=polarity, valid_from=window[0], valid_to=window[1])


async def make_open_question(database: Database, team: Caller, predicate_key: str) -> tuple[Edge, Made]:
    """Return what a guess could be about, and what it could rest on."""
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Starlette", "AnyIO")]
    source = await make_relationship(database, team, ends[0], "depends_on", ends[1])
    return Edge(ends[0], predicate_key, ends[2]), source


async def last_event(database: Database, team: Caller) -> Row:
    sql = "SELECT * FROM hypothesis_events WHERE team_id = %(team_id)s ORDER BY id"
    return (await rows(database, team, sql))[-1]


async def state(database: Database, team: Caller, edge: Edge, position: Position) -> Made:
    return await make_relationship(
        database, team, edge.subject_id, edge.predicate_key, edge.object_id, position
    )


@WINDOWS
@pytest.mark.parametrize(("polarity", "event"), [("+", "target_active"), ("-", "target_contradicted")])
async def test_only_a_position_that_is_valid_now_stales_a_guess_and_is_known_to_the_next_dream(
    database: Database,
    team: Caller,
    predicate_key: str,
    window: Window,
    settles: bool,
    polarity: Polarity,
    event: str,
) -> None:
    edge, source = await make_open_question(database, team, predicate_key)
    await make_hypothesis(database, team, edge, [source])
    made = await state(database, team, edge, position(window, polarity))

    assert ((await last_event(database, team))["event"] == event) is settles
    async with database.reading(Scope("dreamer", team.team_id)) as reading:
        standing = await read_standing(
            reading,
            team.team_id,
            node_ids=[edge.subject_id, edge.object_id],
            predicates=await list_predicates(reading, team.team_id),
            now=datetime.now(UTC),
        )
    known = standing.active if polarity == "+" else standing.opposite
    assert (made.target_identity in known) is settles


@WINDOWS
@pytest.mark.parametrize(("polarity", "event"), [("+", "target_active"), ("-", "target_contradicted")])
async def test_the_sweep_finds_what_the_trigger_would(
    database: Database,
    team: Caller,
    predicate_key: str,
    window: Window,
    settles: bool,
    polarity: Polarity,
    event: str,
) -> None:
    edge, source = await make_open_question(database, team, predicate_key)
    # The position came first, so no event of it reaches the guess; as where its window opened by itself.
    await state(database, team, edge, position(window, polarity))
    hypothesis_id = await make_hypothesis(database, team, edge, [source])
    run = await run_once(database, team)
    [found] = await rows(
        database,
        team,
        "SELECT status FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s",
        id=hypothesis_id,
    )
    assert found["status"] == ("stale" if settles else "proposed")
    if settles:
        last = await last_event(database, team)
        assert (last["event"], last["actor_kind"], last["cycle_run_id"]) == (event, "cycle", run.run_id)
