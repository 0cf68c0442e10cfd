"""A connection is listened to from its first use to its end, and by one only."""

import asyncio

import psycopg
import pytest

from app.kernel.database import Database, Reading
from app.kernel.transactions import Transaction
from tests.databases import admin_url
from tests.integration.one_connection import APP, read_number


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
