"""Many workers, schedulers and writers at once: one run, one row, no live Hypothesis over a lost source."""

import asyncio
from collections.abc import Sequence

from app.dreaming.model import Inputs, Proposal
from app.dreaming.runs.asking import StartRequest, start_run
from app.dreaming.timing.planning import enqueue_due, plan_team
from app.kernel.database import Database, Reading, Scope, Writing
from app.kernel.settings import Settings
from app.queue.leases import Lease, lease_due
from app.tenancy.callers import Caller
from app.tenancy.teams import create_team, new_team_id
from tests.conftest import MakeTeam
from tests.cycles import (
    idea,
    lease_run,
    make_pattern,
    queue_run,
    read_events,
    read_hypotheses,
    read_run,
    run_cycle,
    run_once,
    scripted_async,
)
from tests.databases import create_database, drop_database, service_url
from tests.factories import Position, change_within, make_relationship
from tests.moments import DAY, NOW


async def wait_until_blocked(database: Database, behind: Reading) -> None:
    """Return as soon as some transaction waits for a lock of the given one."""
    row = await behind.fetch_one("SELECT pg_backend_pid() AS pid")
    assert row is not None
    async with asyncio.timeout(30):
        while True:
            async with database.reading(Scope("app")) as reading:
                waiting = await reading.fetch_all(
                    "SELECT pid FROM pg_locks WHERE NOT granted AND %(pid)s = ANY (pg_blocking_pids(pid))",
                    {"pid": row["pid"]},
                )
            if waiting:
                return
            await asyncio.sleep(0)


async def test_eight_leasers_of_one_due_run_have_one_winner(database: Database, team: Caller) -> None:
    run_id = await queue_run(database, team)

    async def lease(number: int) -> list[Lease]:
        return await database.unit_of_work(
            Scope("dreamer"),
            lambda writing: lease_due(
                writing, kind="cycle", worker=f"worker {number}", seconds=60, limit=100
            ),
        )

    leases = [
        one for won in await asyncio.gather(*map(lease, range(8))) for one in won if one.item_id == run_id
    ]
    assert [(one.epoch, one.attempt) for one in leases] == [(1, 0)]


async def test_fifty_manual_starts_at_once_make_one_run(database: Database, team: Caller) -> None:
    started = await asyncio.gather(
        *(
            database.unit_of_work(
                Scope("app", team.team_id), lambda writing: start_run(writing, team, StartRequest())
            )
            for _ in range(50)
        )
    )
    assert len({run.run_id for run, _ in started}) == 1
    assert sorted(is_new for _, is_new in started) == [False] * 49 + [True]


async def test_eight_schedulers_queue_exactly_one_run_for_each_of_300_due_teams(settings: Settings) -> None:
    # A database of its own: moving the clock makes every team in it due.
    name = create_database()
    database = Database(settings, url=service_url(name))
    await database.open()
    try:
        team_ids = [new_team_id() for _ in range(300)]

        async def found(team_id: str) -> None:
            async def write(writing: Writing) -> None:
                await create_team(writing, team_id, team_id)
                await plan_team(writing, team_id, NOW)

            await database.unit_of_work(Scope("app", team_id), write)

        # No more than may wait for a connection.
        for start in range(0, 300, 50):
            await asyncio.gather(*map(found, team_ids[start : start + 50]))
        queued = await asyncio.gather(*(enqueue_due(database, now=NOW + DAY) for _ in range(8)))

        assert sum(queued) == 300
        for team_id in team_ids:
            async with database.reading(Scope("dreamer", team_id)) as reading:
                rows = await reading.fetch_all(
                    "SELECT run.status, item.item_id FROM cycle_runs AS run"
                    " JOIN work_items AS item ON item.team_id = run.team_id AND item.item_id = run.id"
                )
            assert [row["status"] for row in rows] == ["queued"]
    finally:
        await database.close()
        drop_database(name)


async def test_a_retract_that_commits_while_a_dream_waits_for_it_is_seen(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    run_id = await queue_run(database, team)
    holding, release = asyncio.Event(), asyncio.Event()

    async def retract(writing: Writing) -> None:
        await change_within(writing, team, pattern.last.relationship_id, status="retracted")
        holding.set()
        await wait_until_blocked(database, writing)
        release.set()

    retracting: list[asyncio.Task[None]] = []

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        retracting.append(asyncio.create_task(database.unit_of_work(Scope("app", team.team_id), retract)))
        await holding.wait()
        return [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)]

    await run_cycle(
        database, await lease_run(database, run_id), generator=scripted_async(propose), others_write=True
    )
    await asyncio.gather(*retracting)

    assert release.is_set()
    assert await read_hypotheses(database, team) == []
    run = await read_run(database, team, run_id)
    assert [rejection["reason"] for rejection in run.rejections] == ["source_version_changed"]


async def test_retracts_and_dreams_at_random_moments_leave_no_live_hypothesis_over_a_lost_source(
    database: Database, make_team: MakeTeam
) -> None:
    async def race(number: int) -> list[str]:
        team = await make_team()
        pattern = await make_pattern(database, team)
        spare = await make_relationship(
            database, team, pattern.subjects[4], "compatible_with", pattern.objects[4]
        )

        generated = asyncio.Event()

        async def propose(inputs: Inputs) -> Sequence[Proposal]:
            generated.set()
            return [
                idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last),
                idea(inputs, pattern.subjects[4], "benefits_from", pattern.objects[4], pattern.last, spare),
            ]

        async def retract() -> None:
            await generated.wait()
            for _ in range(number):
                await asyncio.sleep(0)
            await database.unit_of_work(
                Scope("app", team.team_id),
                lambda writing: change_within(
                    writing, team, pattern.last.relationship_id, status="retracted"
                ),
            )

        await asyncio.gather(
            run_once(database, team, generator=scripted_async(propose), others_write=True), retract()
        )
        return [row["status"] for row in await read_hypotheses(database, team)]

    for number in range(0, 120, 6):
        assert await race(number) in ([], ["stale", "stale"])


async def test_a_target_that_becomes_active_while_a_dream_persists_leaves_no_live_guess(
    database: Database, make_team: MakeTeam
) -> None:
    async def race(number: int, polarity: str) -> list[str]:
        team = await make_team()
        pattern = await make_pattern(database, team)

        generated = asyncio.Event()

        async def propose(inputs: Inputs) -> Sequence[Proposal]:
            generated.set()
            for _ in range(number):
                await asyncio.sleep(0)
            return [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)]

        async def settle() -> None:
            await generated.wait()
            position = Position(polarity="+" if polarity == "+" else "-")
            await make_relationship(database, team, pattern.subjects[4], "uses", pattern.objects[4], position)

        await asyncio.gather(
            run_once(database, team, generator=scripted_async(propose), others_write=True), settle()
        )
        events = [event for event, _, _ in await read_events(database, team)]
        cause = "target_active" if polarity == "+" else "target_contradicted"
        assert events in ([], ["accepted", cause])
        return [row["status"] for row in await read_hypotheses(database, team)]

    for number in range(0, 120, 12):
        for polarity in "+-":
            assert await race(number, polarity) in ([], ["stale"])
