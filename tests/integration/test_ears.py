"""A connection is listened to from its first use to its end, and by one only."""

import asyncio
from collections.abc import Callable

import psycopg
import pytest
import uvloop

from app.kernel.database import Database, Reading
from app.kernel.settings import Settings
from app.kernel.transactions import Transaction
from tests.databases import admin_url, service_url
from tests.integration.one_connection import APP, find_sleeping, read_number


def socket_of(reading: Reading) -> int:
    assert isinstance(reading, Transaction)
    return reading._wire.connection.pgconn.socket


def stop_listening(socket: int) -> bool:
    """Return whether the event loop still listened."""
    return asyncio.get_running_loop().remove_reader(socket)


async def test_a_connection_at_rest_is_listened_to_until_it_ends(single: Database) -> None:
    for number in range(3):
        async with single.reading(APP) as reading:
            socket = socket_of(reading)
            assert await read_number(reading, number) == number
    await single.close()
    assert not stop_listening(socket)


async def test_a_connection_at_rest_is_listened_to_by_its_ear(single: Database) -> None:
    async with single.reading(APP) as reading:
        socket = socket_of(reading)
        await read_number(reading, 1)
    assert stop_listening(socket)


async def test_a_stream_is_listened_to_by_psycopg_and_what_follows_is_heard(database: Database) -> None:
    async with database.reading(APP) as reading:
        for number in range(2):
            assert await read_number(reading, number) == number
            many = reading.stream(
                "SELECT repeat('x', 1000) AS text FROM generate_series(1, %(n)s)", {"n": 5000}
            )
            assert len([row async for row in many]) == 5000
        async with asyncio.timeout(10):
            assert await read_number(reading, 2) == 2


async def test_what_is_said_unasked_is_not_told_again_and_again(
    database: Database, database_name: str
) -> None:
    async def ask_what_has_ended(admin: psycopg.AsyncConnection) -> None:
        async with database.reading(APP) as reading:
            row = await reading.fetch_one("SELECT pg_backend_pid() AS id")
            assert row is not None
            socket = socket_of(reading)
            await admin.execute("SELECT pg_terminate_backend(%s, 5000)", [row["id"]])
            # Another connection is asked, so that the event loop looks at both.
            await admin.execute("SELECT 1")
            assert not stop_listening(socket)
            await read_number(reading, 1)

    async with await psycopg.AsyncConnection.connect(admin_url(database_name), autocommit=True) as admin:
        with pytest.raises(psycopg.OperationalError):
            await ask_what_has_ended(admin)
    async with database.reading(APP) as reading:
        assert await read_number(reading, 2) == 2


async def test_more_than_a_socket_takes_is_sent_between_questions(database: Database) -> None:
    async with database.reading(APP) as reading:
        for text in ("x", "x" * 20_000_000, "y"):
            async with asyncio.timeout(30):
                row = await reading.fetch_one("SELECT length(%(text)s) AS length", {"text": text})
            assert row == {"length": len(text)}


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_server_that_ends_before_it_has_read_all_is_heard_of(
    settings: Settings, database_name: str, loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    """What it leaves unread is told as an error of the socket, after which uvloop tells nothing any more."""

    async def ask_much() -> None:
        database = Database(settings, url=service_url(database_name))
        await database.open()
        try:
            async with database.reading(APP) as reading, asyncio.timeout(30):
                row = await reading.fetch_one("SELECT pg_backend_pid() AS id")
                assert row is not None
                # As much as the socket takes at once; a server that sleeps has read a little of it.
                much = "SELECT length(%(text)s)", {"text": "x" * 100_000}
                asked = asyncio.create_task(reading.fetch_each(("SELECT pg_sleep(60)", {}), much))
                await _end_once_asleep(database_name, row["id"])
                await asked
        finally:
            await database.close()

    with asyncio.Runner(loop_factory=loop) as runner, pytest.raises(psycopg.OperationalError):
        runner.run(ask_much())


async def _end_once_asleep(database_name: str, backend_id: int) -> None:
    async with await psycopg.AsyncConnection.connect(admin_url(database_name), autocommit=True) as admin:
        while backend_id not in await find_sleeping(admin):
            await asyncio.sleep(0)
        await admin.execute("SELECT pg_terminate_backend(%s, 5000)", [backend_id])
