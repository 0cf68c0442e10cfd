"""What is asked together is one round trip; what is prepared stays so; what goes wrong leaves nothing behind."""

import asyncio
import random
from contextlib import suppress
from datetime import UTC, datetime
from typing import LiteralString

import psycopg
import pytest

from app.kernel import round_trips, transactions
from app.kernel.database import Database, Scope, Writing
from app.tenancy.callers import Caller
from tests.databases import admin_url
from tests.integration.one_connection import APP, NUMBER, find_sleeping, read_number

NAMES: LiteralString = """
    SELECT count(*) AS names FROM pg_prepared_statements
    WHERE statement LIKE '%%' || %(part)s || '%%' AND statement NOT LIKE '%%pg_prepared_statements%%'
"""


async def count_names(database: Database, part: str) -> int:
    async with database.reading(APP) as reading:
        row = await reading.fetch_one(NAMES, {"part": part})
    assert row is not None
    count: int = row["names"]
    return count


async def fall_asleep(database: Database, admin: psycopg.AsyncConnection) -> asyncio.Task[None]:
    """Return a task whose reading sleeps in the server."""

    async def sleep() -> None:
        async with database.reading(APP) as reading:
            await reading.fetch_each(
                ("SELECT pg_sleep(%(seconds)s)", {"seconds": 60}), (NUMBER, {"number": 1})
            )

    sleeping = asyncio.create_task(sleep())
    async with asyncio.timeout(10):
        while not await find_sleeping(admin):
            assert not sleeping.done()
    return sleeping


async def test_what_is_asked_together_comes_back_in_order(single: Database) -> None:
    async with single.reading(APP) as reading:
        told = await reading.fetch_each(*((NUMBER, {"number": number}) for number in (3, 1, 2)))
    assert told == [[{"number": 3}], [{"number": 1}], [{"number": 2}]]


async def test_one_name_takes_one_value_wherever_it_stands_and_two_signs_are_one(single: Database) -> None:
    async with single.reading(APP) as reading:
        row = await reading.fetch_one(
            "SELECT %(a)s || %(b)s || %(a)s AS text, 7 %% 4 AS rest", {"a": "x", "b": "%(a)s"}
        )
        plain = await reading.fetch_one("SELECT 7 % 4 AS rest")
    assert row == {"text": "x%(a)sx", "rest": 3}
    assert plain == {"rest": 3}


async def test_a_failure_is_raised_as_what_it_is_and_what_follows_is_not_carried_out(
    single: Database,
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with single.reading(APP) as reading:
            await reading.fetch_each(
                (NUMBER, {"number": 1}),
                ("SELECT 1 / %(number)s::int AS number", {"number": 0}),
                ("SELECT set_config('densemem.later', %(text)s, false)", {"text": "was carried out"}),
            )
    async with single.reading(APP) as reading:
        row = await reading.fetch_one("SELECT current_setting('densemem.later', true) AS later")
    assert row == {"later": None}


async def test_a_statement_is_prepared_once_and_outlives_a_rollback(single: Database) -> None:
    async def fail(writing: Writing) -> None:
        assert await read_number(writing, 1) == 1
        raise RuntimeError("rolled back")

    with pytest.raises(RuntimeError):
        await single.unit_of_work(APP, fail)
    async with single.reading(APP) as reading:
        assert await read_number(reading, 2) == 2
    assert await count_names(single, "AS number") == 1


async def test_a_statement_that_could_not_be_prepared_is_prepared_when_it_can_be(single: Database) -> None:
    setting: LiteralString = "SELECT %(text)s AS text FROM set_later"
    with pytest.raises(psycopg.errors.UndefinedTable):
        async with single.reading(APP) as reading:
            await reading.fetch_one(setting, {"text": "x"})
    assert await count_names(single, "set_later") == 0
    with pytest.raises(psycopg.errors.UndefinedTable):
        async with single.reading(APP) as reading:
            await reading.fetch_one(setting, {"text": "x"})


async def test_the_statement_longest_unused_is_forgotten(
    single: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_trips, "MAX_PREPARED", 6)
    async with single.reading(APP) as reading:
        for column in ("a", "b", "c", "d", "e", "f", "g", "h"):
            query: LiteralString = "SELECT %(number)s::int AS "
            await reading.fetch_one(query + column, {"number": 1})
    async with single.reading(APP) as reading:
        kept = await reading.fetch_all("SELECT statement FROM pg_prepared_statements")
        texts = " ".join(row["statement"] for row in kept)
        assert "AS h" in texts
        assert "AS a" not in texts
        # Those of this round trip are more until it ends.
        assert len(kept) <= 6 + 3
        # One that was forgotten is prepared anew.
        assert await reading.fetch_one("SELECT %(number)s::int AS a", {"number": 5}) == {"a": 5}


async def test_a_reading_that_is_given_up_leaves_its_connection_to_the_next(single: Database) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), single.reading(APP) as reading:
            await reading.fetch_one("SELECT pg_sleep(%(seconds)s)", {"seconds": 60})
    async with single.glance(APP) as glance:
        assert await read_number(glance, 4) == 4


async def test_what_is_stopped_is_stopped_in_the_server_too(single: Database, database_name: str) -> None:
    async with await psycopg.AsyncConnection.connect(admin_url(database_name), autocommit=True) as admin:
        sleeping = await fall_asleep(single, admin)
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        assert sleeping.cancelled()
        assert not await find_sleeping(admin)
    # What could not be prepared any more is prepared now.
    async with single.reading(APP) as reading:
        assert await read_number(reading, 2) == 2
    assert single.pool_statistics()["app"]["connections_num"] == 1


async def test_what_is_stopped_while_it_says_much_leaves_its_connection_to_the_next(single: Database) -> None:
    text: LiteralString = "SELECT repeat('x', 1000) AS text, %(much)s::int FROM generate_series(1, %(rows)s)"
    for rows in (20_000, 1):
        with suppress(TimeoutError):
            async with asyncio.timeout(0.01 if rows > 1 else None), single.reading(APP) as reading:
                await reading.fetch_each(
                    *((text, {"much": number, "rows": rows}) for number in range(20)), (NUMBER, {"number": 1})
                )
    async with single.reading(APP) as reading:
        assert await read_number(reading, 2) == 2


async def test_many_are_stopped_at_any_time_and_those_that_are_not_are_answered(single: Database) -> None:
    async def ask(number: int) -> bool:
        seconds = random.Random(number).choice([0.0005, 0.001, 0.002, 0.004, 5])
        try:
            async with asyncio.timeout(seconds), single.snapshot(APP) as reading:
                assert await read_number(reading, number) == number
                told = await reading.fetch_each(
                    ("SELECT %(number)s::int AS number, pg_sleep(0.001)", {"number": number}),
                    (NUMBER, {"number": -number}),
                )
                assert [rows[0]["number"] for rows in told] == [number, -number]
        except TimeoutError:
            return False
        return True

    answered = [await asyncio.gather(*(ask(8 * turn + one) for one in range(8))) for turn in range(30)]
    assert {True, False} == {one for turn in answered for one in turn}
    async with single.reading(APP) as reading:
        assert await read_number(reading, 2) == 2


async def test_a_connection_that_is_lost_is_told_and_replaced(single: Database, database_name: str) -> None:
    async with await psycopg.AsyncConnection.connect(admin_url(database_name), autocommit=True) as admin:
        sleeping = await fall_asleep(single, admin)
        for process_id in await find_sleeping(admin):
            await admin.execute("SELECT pg_terminate_backend(%s)", [process_id])
        with pytest.raises(psycopg.OperationalError):
            await sleeping
    async with single.reading(APP) as reading:
        assert await read_number(reading, 2) == 2


async def test_much_is_sent_and_much_comes_back(single: Database) -> None:
    texts = [str(number) * 1000 for number in range(3000)]
    async with single.reading(APP) as reading:
        [told, number] = await reading.fetch_each(
            ("SELECT text FROM unnest(%(texts)s::text[]) AS text", {"texts": texts}), (NUMBER, {"number": 1})
        )
    assert [row["text"] for row in told] == texts
    assert number == [{"number": 1}]


async def test_one_connection_carries_one_question_after_the_other(single: Database) -> None:
    async with single.reading(APP) as reading:
        assert await read_number(reading, 0) == 0
        told = await asyncio.gather(*(read_number(reading, number) for number in range(5)))
    assert told == [0, 1, 2, 3, 4]


async def test_many_rows_are_written_at_once_and_those_touched_are_counted(
    single: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "MANY", 2)

    async def write(writing: Writing) -> int:
        rows = [{"team_id": team.team_id, "id": f"prof_{number}"} for number in range(5)]
        await writing.execute_many(
            "INSERT INTO profiles (team_id, id, name) VALUES (%(team_id)s, %(id)s, %(id)s)", [*rows]
        )
        return await writing.execute(
            """INSERT INTO profiles (team_id, id, name)
               SELECT team_id, id || '_2', name || '_2' FROM profiles
               WHERE team_id = %(team_id)s AND id LIKE 'prof__'""",
            {"team_id": team.team_id},
        )

    assert await single.unit_of_work(Scope("app", team.team_id), write) == 5


@pytest.mark.parametrize(
    "texts",
    [
        ["rel_1"],
        [],
        ["", "null", "NULL", "a,b", "{a}", " a b ", "a\nb\t"],
        ['"', "\\", '\\"', '","', '"}', "'", "%(texts)s", "$1"],
        ["é", "名", "\u2003", "\x01"],
        [None, "a", 'b"c', None],
        [None],
    ],
)
async def test_a_list_of_text_arrives_as_it_is(single: Database, texts: list[str | None]) -> None:
    async with single.reading(APP) as reading:
        row = await reading.fetch_one("SELECT %(texts)s::text[] AS texts", {"texts": texts})
    assert row == {"texts": texts}


async def test_a_list_within_a_list_and_one_of_numbers_arrive_as_they_are(single: Database) -> None:
    async with single.reading(APP) as reading:
        row = await reading.fetch_one(
            "SELECT %(pairs)s::text[] AS pairs, %(numbers)s::int[] AS numbers",
            {"pairs": [["a", 'b"'], ["c", "d"]], "numbers": [1, None, 3]},
        )
    assert row == {"pairs": [["a", 'b"'], ["c", "d"]], "numbers": [1, None, 3]}


@pytest.mark.parametrize(
    "numbers", [[0.1], [], [1.0, -2.5e-300, 1e22, 5e-324], [float("inf"), float("-inf")], [0.5, None]]
)
async def test_a_list_of_fractions_arrives_as_it_is(single: Database, numbers: list[float | None]) -> None:
    async with single.reading(APP) as reading:
        row = await reading.fetch_one("SELECT %(numbers)s::float8[] AS numbers", {"numbers": numbers})
    assert row == {"numbers": numbers}


@pytest.mark.parametrize("texts", [["a", "b\0c"], ["\0"], ["\0", "\0"], [None, "\0"]])
async def test_a_list_with_what_no_text_may_hold_is_refused(
    single: Database, texts: list[str | None]
) -> None:
    with pytest.raises(psycopg.DataError):
        async with single.reading(APP) as reading:
            await reading.fetch_one("SELECT %(texts)s::text[] AS texts", {"texts": texts})


async def test_times_are_read_in_utc(single: Database) -> None:
    async with single.reading(APP) as reading:
        row = await reading.fetch_one("SELECT timestamptz '2026-07-01 12:00:00+02' AS at")
    assert row == {"at": datetime(2026, 7, 1, 10, tzinfo=UTC)}
    assert row["at"].tzinfo is UTC
