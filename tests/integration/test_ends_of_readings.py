"""What is asked last ends a reading: what is known comes first, and what is only guessed may fail alone."""

import asyncio
import os
import socket
from typing import LiteralString

import psycopg
import pytest

from app.kernel import transactions
from app.kernel.database import Database, Scope
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.databases import admin_url
from tests.integration.one_connection import APP, NUMBER, find_sleeping, read_number


async def test_what_is_read_last_is_of_the_same_moment(
    single: Database, team: Caller, make_profile: MakeProfile
) -> None:
    profiles: LiteralString = "SELECT count(*) AS count FROM profiles WHERE team_id = %(team_id)s"
    params = {"team_id": team.team_id}
    async with single.snapshot(Scope("app", team.team_id)) as reading:
        before = await reading.fetch_all(profiles, params)
        await make_profile(team, "Late")
        told = await reading.end_reading(
            [(profiles, params)], [(NUMBER, {"number": 7}), (profiles, params)], timeout_seconds=5
        )
    assert told == ([before], [[{"number": 7}], before])


@pytest.mark.parametrize(("guess", "timeout_seconds"), [("SELECT pg_sleep(5)", 0.05), ("SELECT 1 / 0", 5)])
async def test_a_guess_that_fails_costs_the_guesses_and_leaves_a_connection_as_good_as_new(
    single: Database, guess: LiteralString, timeout_seconds: float
) -> None:
    async with single.reading(APP) as reading:
        assert await read_number(reading, 3) == 3
        known, failure = await reading.end_reading(
            [(NUMBER, {"number": 1}), (NUMBER, {"number": 2})],
            [(NUMBER, {"number": 5}), (guess, {}), (NUMBER, {"number": 6})],
            timeout_seconds=timeout_seconds,
        )
    assert known == [[{"number": 1}], [{"number": 2}]]
    assert isinstance(failure, psycopg.Error)
    async with single.reading(APP) as reading:
        assert await read_number(reading, 4) == 4
    assert single.pool_statistics()["app"]["connections_num"] == 1


async def test_a_connection_that_is_lost_among_the_guesses_costs_the_guesses(single: Database) -> None:
    async with single.reading(APP) as reading:
        assert await read_number(reading, 3) == 3
        known, failure = await reading.end_reading(
            [(NUMBER, {"number": 1})],
            [("SELECT set_config('transaction_timeout', '50', true)", {}), ("SELECT pg_sleep(5)", {})],
            timeout_seconds=5,
        )
    assert known == [[{"number": 1}]]
    assert isinstance(failure, psycopg.errors.TransactionTimeout)
    async with single.reading(APP) as reading:
        assert await read_number(reading, 4) == 4


async def test_what_is_known_has_been_told_when_the_server_dies_of_a_guess(
    single: Database, database_name: str
) -> None:
    async with single.reading(APP) as reading:
        assert isinstance(reading, transactions.Transaction)
        assert await read_number(reading, 3) == 3
        told = asyncio.create_task(
            reading.end_reading([(NUMBER, {"number": 1})], [("SELECT pg_sleep(5)", {})], timeout_seconds=4)
        )
        async with await psycopg.AsyncConnection.connect(admin_url(database_name), autocommit=True) as admin:
            while not await find_sleeping(admin):
                await asyncio.sleep(0)
        # Nobody says a word more on this connection.
        with socket.socket(fileno=os.dup(reading._wire.connection.pgconn.socket)) as end:
            end.shutdown(socket.SHUT_RDWR)
        known, failure = await told
    assert known == [[{"number": 1}]]
    assert isinstance(failure, psycopg.OperationalError)


async def test_what_is_known_takes_its_own_time_and_its_failure_is_raised(single: Database) -> None:
    slow: LiteralString = "SELECT 1 AS number FROM pg_sleep(0.2)"
    async with single.reading(APP) as reading:
        assert await read_number(reading, 3) == 3
        known, guessed = await reading.end_reading(
            [(slow, {})], [(NUMBER, {"number": 5})], timeout_seconds=0.1
        )
    assert (known, guessed) == ([[{"number": 1}]], [[{"number": 5}]])
    broken: LiteralString = "SELECT 1 / 0"
    async with single.reading(APP) as reading:
        assert await read_number(reading, 3) == 3
        with pytest.raises(psycopg.errors.DivisionByZero):
            await reading.end_reading([(broken, {})], [(NUMBER, {"number": 5})], timeout_seconds=5)
    async with single.reading(APP) as reading:
        assert await read_number(reading, 4) == 4
