"""Closing a team: its keys end, its work is taken back, and what was under way in it is waited for.

Nothing is locked but rows of the team, so no other team waits. What is under way is known by its transaction
alone, not by its team: so all of the moment of closing are waited for, within bounds.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Final, LiteralString

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import Busy
from app.tenancy.audit import record_audit
from app.tenancy.callers import Actor
from app.tenancy.teams import find_team

# Until who erases is told what stands in the way; of one round, for what is under way, and for one row.
PATIENCE_SECONDS: Final = 30.0
WAIT_SECONDS: Final = 5.0
LOCK_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Hand:
    """Whose hand it is that ends a team: what it acts as, and what it calls of the database, with `params`."""

    database: Database
    scope: Scope
    actor: Actor
    params: Mapping[str, str]
    close: LiteralString
    erase: LiteralString

    @property
    def team_id(self) -> str:
        return self.params["team_id"]


async def close_team(hand: Hand, *, abandons_batches: bool) -> int:
    """Leave the team closed, and that it was on record if it was open; return how many batches are abandoned.

    Again, it ends the keys that were made since and takes back the work that was leased since.

    Raises:
        NotFound: there is no such team.
        Busy: a provider has a batch of the team; this closes nothing then.
    """

    async def close(writing: Writing) -> int:
        await limit_waits(writing)
        await find_team(writing, hand.team_id)
        row = await writing.fetch_one(hand.close, hand.params)
        assert row is not None
        batches: int = row["batches"]
        if batches and not abandons_batches:
            raise _has_batch(is_closed=not row["was_open"])
        if row["was_open"]:
            details = {"keys": row["keys"]}
            await record_audit(writing, hand.actor, "team_closed", target_id=hand.team_id, details=details)
        return batches

    return await hand.database.unit_of_work(hand.scope, close)


async def limit_waits(writing: Writing, *, statement_seconds: int | None = None) -> None:
    """Let the transaction wait for `LOCK_SECONDS` for a row, and its statements take so long, 0 for ever."""
    await writing.fetch_one(_LIMIT_LOCKS, {"milliseconds": str(int(LOCK_SECONDS * 1000))})
    if statement_seconds is not None:
        await writing.fetch_one(_LIMIT_STATEMENTS, {"milliseconds": str(statement_seconds * 1000)})


async def wait_for_others(hand: Hand) -> list[int]:
    """Return once each transaction of this moment has ended, or after `WAIT_SECONDS` which sessions have not."""
    end = monotonic() + WAIT_SECONDS
    under_way = await _find_sessions(hand, None)
    while under_way and monotonic() < end:
        await asyncio.sleep(_POLL_SECONDS)
        under_way = await _find_sessions(hand, list(under_way))
    return sorted(under_way.values())


async def _find_sessions(hand: Hand, transactions: list[str] | None) -> dict[str, int]:
    """Return the transactions that are under way, only these if they are given, and the process of each."""
    async with hand.database.reading(hand.scope) as reading:
        rows = await reading.fetch_all(_UNDER_WAY, {"transactions": transactions})
    return {row["transaction"]: row["pid"] for row in rows}


def _has_batch(*, is_closed: bool) -> Busy:
    if is_closed:
        return Busy(
            "The team is closed, and a provider has a batch of it that nobody ends any more: the command "
            "`densemem team erase TEAM --abandon-batches` erases all the same."
        )
    return Busy(
        "A provider has a batch of the team: cancel the run that waits for it (densemem runs cancel), and try "
        "again once a worker has seen the batch end. Nothing is closed or erased until then."
    )


# Each transaction holds the lock on its own virtual id. Which database a session is in is for anybody to see; the
# housekeeping of PostgreSQL itself has no user.
_UNDER_WAY: LiteralString = """
    SELECT l.virtualtransaction AS transaction, l.pid
    FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted
      AND a.datname = current_database() AND a.usesysid IS NOT NULL AND l.pid <> pg_backend_pid()
      AND (%(transactions)s::text[] IS NULL OR l.virtualtransaction = ANY (%(transactions)s::text[]))
"""
_LIMIT_LOCKS: LiteralString = "SELECT set_config('lock_timeout', %(milliseconds)s, true)"
_LIMIT_STATEMENTS: LiteralString = "SELECT set_config('statement_timeout', %(milliseconds)s, true)"
