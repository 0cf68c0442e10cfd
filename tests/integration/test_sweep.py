"""The sweep over all teams: every cause is found without a cycle, some teams and Hypotheses a call."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final, LiteralString

import pytest

from app.hypotheses.sweep import LAST_ID, Place, sweep_some, sweep_team
from app.kernel.database import Database, Scope, Writing
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from app.worker.duties import SECONDS_BETWEEN_ROUNDS, SECONDS_WITHIN_ROUND, sweep_duty
from tests.case_factories import make_review
from tests.conftest import MakeTeam
from tests.cycles import read_events, read_hypotheses, set_setting
from tests.factories import Made, Position, change_relationship, make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis
from tests.integration.submissions import rows
from tests.moments import NOW

# The long form has 1000 rounds.
ROUNDS: Final = int(os.environ.get("DENSEMEM_SWEEP_ROUNDS", "25"))


async def make_guess(database: Database, team: Caller, name: str = "FastAPI") -> tuple[Edge, Made, str]:
    ends = [await make_entity(database, team, f"{name} {part}") for part in ("one", "two", "three")]
    source = await make_relationship(database, team, ends[0], "depends_on", ends[1])
    edge = Edge(ends[0], "uses", ends[2])
    return edge, source, await make_hypothesis(database, team, edge, [source])


async def sweep(database: Database, team: Caller) -> int:
    staled, last = await database.unit_of_work(
        Scope("dreamer", team.team_id), lambda w: sweep_team(w, team.team_id, after="", now=NOW)
    )
    assert last is None
    return staled


Step = Callable[[Database, Caller, Edge, Made], Awaitable[object]]


async def quarantine_unheard(database: Database, team: Caller, edge: Edge, source: Made) -> None:
    await change_relationship(database, team, source.relationship_id, status="quarantined")


async def review_unheard(database: Database, team: Caller, edge: Edge, source: Made) -> None:
    await make_review(database, team, source.relationship_id)


async def state_unheard(database: Database, team: Caller, edge: Edge, source: Made) -> None:
    await say_unheard(database, team, edge, Position())


async def deny_unheard(database: Database, team: Caller, edge: Edge, source: Made) -> None:
    await say_unheard(database, team, edge, Position(polarity="-"))


async def say_unheard(database: Database, team: Caller, edge: Edge, position: Position) -> None:
    position = replace(position, effect="harmless")
    await make_relationship(database, team, edge.subject_id, edge.predicate_key, edge.object_id, position)


async def grow_old(database: Database, team: Caller, edge: Edge, source: Made) -> None:
    await database.unit_of_work(
        Scope("dreamer", team.team_id),
        lambda w: w.execute("UPDATE hypotheses SET reinforced_at = %(at)s", {"at": NOW - timedelta(days=91)}),
    )


@pytest.mark.parametrize(
    ("step", "event", "reason"),
    [
        (quarantine_unheard, "source_lost", "found_late"),
        (review_unheard, "source_lost", "found_late"),
        (state_unheard, "target_active", "found_late"),
        (deny_unheard, "target_contradicted", "found_late"),
        (grow_old, "retention_expired", None),
    ],
)
async def test_what_no_event_told_of_is_found_between_cycles(
    database: Database, unruled: Database, team: Caller, step: Step, event: str, reason: str | None
) -> None:
    edge, source, hypothesis_id = await make_guess(database, team)
    assert await sweep(database, team) == 0
    await step(unruled, team, edge, source)
    assert [row["status"] for row in await read_hypotheses(database, team)] == ["proposed"]

    assert await sweep(database, team) == 1

    assert await read_events(database, team) == [("accepted", None, "proposed"), (event, "proposed", "stale")]
    [last] = await rows(
        database, team, "SELECT * FROM hypothesis_events WHERE team_id = %(team_id)s AND to_status = 'stale'"
    )
    assert (last["reason"], last["actor_kind"], last["cycle_run_id"]) == (reason, "cycle", None)
    seen = {source.relationship_id: 2 if step is quarantine_unheard else 1} if event == "source_lost" else {}
    assert last["versions_seen"] == seen
    assert await sweep(database, team) == 0
    assert hypothesis_id


async def test_retention_follows_the_setting_of_the_team(database: Database, team: Caller) -> None:
    edge, source, _ = await make_guess(database, team)
    await grow_old(database, team, edge, source)
    await set_setting(database, team, "retention_days", "100")
    assert await sweep(database, team) == 0
    await set_setting(database, team, "retention_days", "30")
    assert await sweep(database, team) == 1


async def test_a_round_reaches_every_team_some_at_a_time_and_begins_anew(
    database: Database, make_team: MakeTeam
) -> None:
    teams = [await make_team() for _ in range(3)]
    for team in teams:
        edge, source, _ = await make_guess(database, team)
        await grow_old(database, team, edge, source)
    place: Place | None = Place(min(team.team_id for team in teams))
    calls = 0
    while place is not None:
        swept = await sweep_some(database, after=place, now=NOW)
        assert swept.next_place is None or swept.next_place.team_id >= place.team_id
        place, calls = swept.next_place, calls + 1
        assert calls < 100
    for team in teams:
        assert [row["status"] for row in await read_hypotheses(database, team)] == ["stale"]


async def test_a_team_with_many_open_guesses_is_gone_on_with(database: Database, team: Caller) -> None:
    for number in range(5):
        edge, source, _ = await make_guess(database, team, f"Library {number}")
    await grow_old(database, team, edge, source)
    scope = Scope("dreamer", team.team_id)

    async def sweep_on(after: str) -> tuple[int, str | None]:
        return await database.unit_of_work(
            scope, lambda w: sweep_team(w, team.team_id, after=after, now=NOW, limit=2)
        )

    after: str | None = ""
    found = []
    while after is not None:
        staled, after = await sweep_on(after)
        found.append(staled)
    assert found == [2, 2, 1]
    assert await sweep_on(LAST_ID) == (0, None)


async def test_what_somebody_holds_is_passed_by_without_waiting(database: Database, team: Caller) -> None:
    edge, source, _ = await make_guess(database, team)
    await grow_old(database, team, edge, source)
    hold_all = "SELECT id FROM hypotheses WHERE team_id = %(team_id)s FOR UPDATE"

    async def hold(w: Writing) -> int:
        await w.fetch_all(hold_all, {"team_id": team.team_id})
        return await sweep(database, team)

    assert await database.unit_of_work(Scope("dreamer", team.team_id), hold) == 0
    assert await sweep(database, team) == 1


async def test_sweeps_in_opposite_order_never_meet_in_a_deadlock(
    database: Database, unruled: Database, team: Caller
) -> None:
    ids = sorted([(await make_guess(database, team, f"Library {number}"))[2] for number in range(6)])
    scope = Scope("dreamer", team.team_id)
    ages: LiteralString = """
        WITH aged AS (
            UPDATE hypotheses SET status = 'reinforced', reinforced_at = %(at)s WHERE team_id = %(team_id)s
            RETURNING team_id, id
        )
        INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind)
        SELECT team_id, id, 'regenerated', 'stale', 'reinforced', 'cycle' FROM aged
    """
    params = {"team_id": team.team_id, "at": NOW - timedelta(days=91)}

    async def sweep_pieces(w: Writing, starts: list[str]) -> int:
        staled = 0
        for start in starts:
            found, _ = await sweep_team(w, team.team_id, after=start, now=NOW, limit=3)
            staled += found
        return staled

    pieces = ["", ids[2]]
    for _ in range(ROUNDS):
        await unruled.unit_of_work(scope, lambda w: w.execute(ages, params))
        counts = await asyncio.gather(
            database.unit_of_work(scope, lambda w: sweep_pieces(w, pieces)),
            database.unit_of_work(scope, lambda w: sweep_pieces(w, pieces[::-1])),
        )
        left = await sweep(database, team)
        assert sum(counts) + left == 6
        assert {row["status"] for row in await read_hypotheses(database, team)} == {"stale"}


async def test_the_worker_sweeps_again_and_again(database: Database, make_team: MakeTeam) -> None:
    team = await make_team()
    edge, source, _ = await make_guess(database, team)
    await grow_old(database, team, edge, source)
    duty = sweep_duty(database)
    seconds: float | None = SECONDS_WITHIN_ROUND
    while seconds == SECONDS_WITHIN_ROUND:
        seconds = await duty.fulfil()
    assert seconds == SECONDS_BETWEEN_ROUNDS
    assert [row["status"] for row in await read_hypotheses(database, team)] == ["stale"]
