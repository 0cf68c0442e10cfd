"""Transactions: scope, isolation, retries, and nothing left on a pooled connection."""

import asyncio
from contextlib import suppress

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from app.kernel.database import MAX_WAITING, Database, Reading, Scope, Writing
from app.kernel.errors import Unavailable
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile
from tests.databases import service_url


async def count_profiles(reading: Reading) -> int:
    row = await reading.fetch_one("SELECT count(*) AS n FROM profiles")
    assert row is not None
    n: int = row["n"]
    return n


async def test_transaction_sees_its_own_team_only(database: Database, team: Caller) -> None:
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert await count_profiles(reading) == 1


async def test_transaction_without_a_team_sees_no_team_table(database: Database, team: Caller) -> None:
    async with database.reading(Scope("app")) as reading:
        assert await count_profiles(reading) == 0


async def test_reading_cannot_write(database: Database, team: Caller) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        async with database.reading(Scope("app", team.team_id)) as reading:
            await reading.fetch_all("UPDATE profiles SET name = name RETURNING id")


async def test_a_snapshot_sees_one_moment_and_a_reading_what_is_committed(
    database: Database, team: Caller
) -> None:
    scope = Scope("app", team.team_id)
    async with database.snapshot(scope) as snapshot, database.reading(scope) as reading:
        assert (await count_profiles(snapshot), await count_profiles(reading)) == (1, 1)
        await database.unit_of_work(scope, lambda w: create_profile(w, team.team_id, "Second"))
        assert (await count_profiles(snapshot), await count_profiles(reading)) == (1, 2)


async def test_login_without_a_role_can_do_nothing(database_name: str, team: Caller) -> None:
    async with await psycopg.AsyncConnection.connect(service_url(database_name)) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute("SELECT * FROM profiles")


async def test_role_team_and_timeouts_end_with_the_transaction(
    settings: Settings, database_name: str, team: Caller
) -> None:
    one = Database(Settings.model_validate({"pool_size": 2}), url=service_url(database_name))
    await one.open()
    try:
        async with one.reading(Scope("app", team.team_id)):
            pass
        async with one._wire(one._pool) as wire:
            cursor = await wire.connection.execute(
                "SELECT current_user = session_user AS is_nobody,"
                " coalesce(current_setting('densemem.team_id', true), '') AS team_id,"
                " current_setting('statement_timeout') AS statement_timeout"
            )
            assert await cursor.fetchone() == {"is_nobody": True, "team_id": "", "statement_timeout": "0"}
    finally:
        await one.close()


async def test_failed_unit_of_work_leaves_nothing(database: Database, team: Caller) -> None:
    async def fail(writing: Writing) -> None:
        await writing.execute(
            "INSERT INTO profiles (team_id, id, name) VALUES (%(team_id)s, 'prof_x', 'Second')",
            {"team_id": team.team_id},
        )
        raise RuntimeError("after the write")

    with pytest.raises(RuntimeError):
        await database.unit_of_work(Scope("app", team.team_id), fail)
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert await count_profiles(reading) == 1


async def test_swallowed_error_does_not_commit_in_silence(database: Database, team: Caller) -> None:
    async def swallow(writing: Writing) -> None:
        with suppress(psycopg.errors.DivisionByZero):
            await writing.execute("SELECT 1 / 0")

    with pytest.raises(Unavailable):
        await database.unit_of_work(Scope("app", team.team_id), swallow)


async def test_unit_of_work_is_run_again_after_a_deadlock(database: Database, team: Caller) -> None:
    attempts = 0

    async def succeed_the_third_time(writing: Writing) -> int:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            await writing.execute(
                "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = 'deadlock_detected'; END $$"
            )
        return attempts

    assert await database.unit_of_work(Scope("app", team.team_id), succeed_the_third_time) == 3


async def test_exhausted_pool_is_unavailable_in_bounded_time(database_name: str, team: Caller) -> None:
    one = Database(
        Settings.model_validate({"pool_size": 2, "pool_timeout_seconds": 0.2}), url=service_url(database_name)
    )
    await one.open()
    try:
        async with one.reading(Scope("app")), one.reading(Scope("app")):
            with pytest.raises(Unavailable):
                async with one.reading(Scope("app")):
                    pass
    finally:
        await one.close()


async def test_a_stop_that_comes_together_with_the_connection_is_not_forgotten(
    database_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(Settings.model_validate({"pool_size": 2}), url=service_url(database_name))
    await database.open()
    getconn, waits = AsyncConnectionPool.getconn, asyncio.Event()

    async def get_and_forget(pool: AsyncConnectionPool, **asked: float) -> object:
        waits.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return await getconn(pool, **asked)

    monkeypatch.setattr(AsyncConnectionPool, "getconn", get_and_forget)

    async def read() -> None:
        async with database.reading(Scope("app")):
            pass

    reading = asyncio.create_task(read())
    await waits.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    monkeypatch.undo()
    await read()
    await database.close()


async def test_a_crowd_is_refused_at_the_door_and_not_after_it(database_name: str, team: Caller) -> None:
    one = Database(
        Settings.model_validate({"pool_size": 2, "pool_timeout_seconds": 5}), url=service_url(database_name)
    )
    await one.open()
    free = asyncio.Event()

    async def hold() -> None:
        async with one.reading(Scope("app", team.team_id)) as reading:
            await count_profiles(reading)
            await free.wait()

    async def read() -> int:
        async with one.reading(Scope("app", team.team_id)) as reading:
            return await count_profiles(reading)

    try:
        await one.refuse_crowd()
        holding = [asyncio.create_task(hold()) for _ in range(2)]
        while one.pool_statistics()["app"].get("pool_size", 0) < 2:
            await asyncio.sleep(0)
        waiting = [asyncio.create_task(read()) for _ in range(2 * MAX_WAITING + 5)]
        while one.pool_statistics()["app"].get("requests_waiting", 0) < len(waiting):
            await asyncio.sleep(0)
        one._settings = one._settings.model_copy(update={"pool_timeout_seconds": 0})
        with pytest.raises(Unavailable):
            await one.refuse_crowd()
        free.set()
        assert await asyncio.gather(*waiting) == [1] * len(waiting)
        await asyncio.gather(*holding)
        await one.refuse_crowd()
    finally:
        await one.close()


async def test_the_connection_that_came_back_last_goes_out_first(database_name: str) -> None:
    one = Database(Settings.model_validate({"pool_size": 3}), url=service_url(database_name))
    await one.open()
    try:

        async def ask() -> int:
            async with one.reading(Scope("app")) as reading:
                row = await reading.fetch_one("SELECT pg_backend_pid() AS pid")
            assert row is not None
            pid: int = row["pid"]
            return pid

        # Three at once make three connections; one after the other they need one.
        async with one.reading(Scope("app")), one.reading(Scope("app")), one.reading(Scope("app")):
            pass
        assert len({await ask() for _ in range(6)}) == 1
    finally:
        await one.close()
