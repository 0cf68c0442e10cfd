"""Starting, cancelling, reading and listing cycle runs."""

from datetime import timedelta

import pytest

from app.dreaming.runs.asking import StartRequest, cancel_run, start_run
from app.dreaming.runs.history import Run, RunFilter, get_run, list_runs
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput, NotFound, WrongState
from app.kernel.pages import Page
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.cycles import make_pattern, queue_run, read_run, run_once, set_setting


async def start(database: Database, caller: Caller, request: StartRequest) -> tuple[Run, bool]:
    return await database.unit_of_work(
        Scope("app", caller.team_id), lambda writing: start_run(writing, caller, request)
    )


async def cancel(database: Database, caller: Caller, run_id: str) -> Run:
    return await database.unit_of_work(
        Scope("app", caller.team_id), lambda writing: cancel_run(writing, caller, run_id)
    )


async def listed(
    database: Database, caller: Caller, filters: RunFilter, *, limit: int = 20, cursor: str | None = None
) -> Page[Run]:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return await list_runs(reading, caller.team_id, filters, limit=limit, cursor=cursor)


async def test_a_started_run_is_queued_with_what_was_asked_for(database: Database, team: Caller) -> None:
    request = StartRequest(dry_run=True, budgets={"max_outputs": 1}, note="Before the release")
    run, is_new = await start(database, team, request)
    assert is_new
    assert (run.status, run.trigger, run.dry_run, run.note) == (
        "queued",
        "manual",
        True,
        "Before the release",
    )
    assert run.window_key == f"manual:{run.run_id}"
    assert run.started_by_profile_id == team.profile_id
    assert await read_run(database, team, run.run_id) == run


async def test_starting_again_returns_the_live_run_as_it_is(database: Database, team: Caller) -> None:
    first, _ = await start(database, team, StartRequest())
    second, is_new = await start(database, team, StartRequest(dry_run=True))
    assert (second, is_new) == (first, False)


async def test_a_budget_above_the_teams_is_refused_and_queues_nothing(
    database: Database, team: Caller
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await start(database, team, StartRequest(budgets={"max_outputs": 6}))
    assert refusal.value.errors[0].code == "budget_above_limit"
    with pytest.raises(InvalidInput):
        await start(database, team, StartRequest(note="x" * 1001))
    assert (await listed(database, team, RunFilter())).items == ()


async def test_a_team_that_is_switched_off_cannot_start(database: Database, team: Caller) -> None:
    await set_setting(database, team, "enabled", "false")
    with pytest.raises(WrongState) as refusal:
        await start(database, team, StartRequest())
    assert refusal.value.code == "dreaming_disabled"
    assert str(refusal.value) == "Dreaming is switched off by the setting `enabled` of the team."


async def test_a_queued_run_is_cancelled_and_cancelling_again_is_no_error(
    database: Database, team: Caller
) -> None:
    run_id = await queue_run(database, team)
    first = await cancel(database, team, run_id)
    assert (first.status, first.lease_expires_at) == ("cancelled", None)
    assert await cancel(database, team, run_id) == first
    _, is_new = await start(database, team, StartRequest())
    assert is_new


async def test_a_run_that_has_ended_otherwise_is_not_cancelled(database: Database, team: Caller) -> None:
    run = await run_once(database, team)
    with pytest.raises(WrongState):
        await cancel(database, team, run.run_id)
    assert await read_run(database, team, run.run_id) == run


@pytest.mark.parametrize("run_id", ["run_1", "", "run_0" * 9, f"hyp_{'0' * 26}", f"run_{'0' * 26}"])
async def test_a_malformed_or_missing_id_is_not_found(database: Database, team: Caller, run_id: str) -> None:
    with pytest.raises(NotFound):
        await cancel(database, team, run_id)
    with pytest.raises(NotFound):
        await read_run(database, team, run_id)


async def test_another_teams_run_is_as_good_as_missing(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    other = await make_team()
    run_id = await queue_run(database, other)
    with pytest.raises(NotFound):
        await cancel(database, team, run_id)
    async with database.reading(Scope("app", team.team_id)) as reading:
        with pytest.raises(NotFound):
            await get_run(reading, other.team_id, run_id)
    assert (await read_run(database, other, run_id)).status == "queued"


async def test_runs_are_listed_newest_first_in_pages(database: Database, team: Caller) -> None:
    runs = [await run_once(database, team) for _ in range(5)]
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = await listed(database, team, RunFilter(), limit=2, cursor=cursor)
        seen += [run.run_id for run in page.items]
        cursor = page.next_cursor
    assert cursor is None
    assert seen == [run.run_id for run in reversed(runs)]


async def test_filters_restrict_and_bind_the_cursor(database: Database, team: Caller) -> None:
    await make_pattern(database, team)
    done = await run_once(database, team)
    skipped = [await run_once(database, team) for _ in range(2)]
    assert done.started_at is not None

    assert [
        run.run_id for run in (await listed(database, team, RunFilter(statuses=("succeeded",)))).items
    ] == [done.run_id]
    window = RunFilter(window_key=skipped[0].window_key)
    assert [run.run_id for run in (await listed(database, team, window)).items] == [skipped[0].run_id]
    after = RunFilter(started_after=done.started_at)
    assert len((await listed(database, team, after)).items) == 2
    later = RunFilter(started_after=done.started_at + timedelta(days=1))
    assert (await listed(database, team, later)).items == ()

    page = await listed(database, team, RunFilter(statuses=("skipped",)), limit=1)
    with pytest.raises(InvalidInput):
        await listed(database, team, RunFilter(), cursor=page.next_cursor)
