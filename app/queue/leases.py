"""Lease, renew, hold, hand back, finish: the whole protocol, one statement each."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Row, Writing
from app.kernel.errors import LeaseLost

MAX_ATTEMPTS: Final = 3
WAKE_CHANNEL: LiteralString = "densemem_work"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one item. `attempt` counts the earlier leases that ended badly."""

    team_id: str
    kind: str
    item_id: str
    epoch: int
    attempt: int
    worker: str

    @property
    def attempts_are_exhausted(self) -> bool:
        return self.attempt >= MAX_ATTEMPTS


async def enqueue(
    writing: Writing, *, team_id: str, kind: str, item_id: str, run_at: datetime | None = None
) -> None:
    """Make the item due at `run_at` (now by default); workers are woken when the transaction commits."""
    await writing.execute(_ENQUEUE, {"team_id": team_id, "kind": kind, "item_id": item_id, "run_at": run_at})
    await writing.execute(_WAKE, {"channel": WAKE_CHANNEL, "kind": kind})


async def lease_due(
    writing: Writing, *, kind: str, worker: str, seconds: float, limit: int = 1
) -> list[Lease]:
    """Take up to `limit` due items, longest due first, one a team before any team's second.

    An item whose lease has run out is due as well, and taking it over costs an attempt.
    """
    rows = await writing.fetch_all(
        _LEASE_DUE, {"kind": kind, "worker": worker, "seconds": seconds, "limit": limit}
    )
    return [_lease(row) for row in rows]


async def renew(writing: Writing, lease: Lease, *, seconds: float) -> None:
    """Leave the lease valid for `seconds` from now, or raise LeaseLost."""
    await _by_lease(writing, _RENEW, lease, seconds=seconds)


async def hold(writing: Writing, lease: Lease) -> None:
    """Lock the item until the transaction ends, or raise LeaseLost: first statement of each owner write."""
    await _by_lease(writing, _HOLD, lease)


async def finish(writing: Writing, lease: Lease) -> None:
    """Leave the item finished, or raise LeaseLost."""
    await _by_lease(writing, _FINISH, lease)


async def hand_back(writing: Writing, lease: Lease, *, delay_seconds: float = 0) -> None:
    """Leave the item due again without an attempt spent (a shutdown, a wait), or raise LeaseLost."""
    await _by_lease(writing, _HAND_BACK, lease, delay_seconds=delay_seconds, spent=0)
    await writing.execute(_WAKE, {"channel": WAKE_CHANNEL, "kind": lease.kind})


async def retry_later(writing: Writing, lease: Lease, *, delay_seconds: float) -> None:
    """Leave the item due after the delay with one attempt spent (a fault), or raise LeaseLost."""
    await _by_lease(writing, _HAND_BACK, lease, delay_seconds=delay_seconds, spent=1)


async def lock_item(writing: Writing, *, team_id: str, kind: str, item_id: str) -> None:
    """Let nobody lease, hold or finish the item until the transaction ends, whoever owns it."""
    await writing.execute(_LOCK_ITEM, {"team_id": team_id, "kind": kind, "item_id": item_id})


async def reopen(writing: Writing, *, team_id: str, kind: str, item_id: str) -> None:
    """Leave a finished item due again, with all its attempts; one that is not finished stays as it is."""
    params = {"team_id": team_id, "kind": kind, "item_id": item_id}
    if await writing.execute(_REOPEN, params):
        await writing.execute(_WAKE, {"channel": WAKE_CHANNEL, "kind": kind})


async def cancel(writing: Writing, *, team_id: str, kind: str, item_id: str) -> bool:
    """Leave the item finished whoever holds it; say whether it was still open."""
    return await writing.execute(_CANCEL, {"team_id": team_id, "kind": kind, "item_id": item_id}) > 0


async def _by_lease(writing: Writing, query: LiteralString, lease: Lease, **params: object) -> None:
    params |= {
        "team_id": lease.team_id,
        "kind": lease.kind,
        "item_id": lease.item_id,
        "epoch": lease.epoch,
    }
    if await writing.fetch_one(query, params) is None:
        raise LeaseLost(f"The lease on {lease.kind} {lease.item_id} is over.")


def _lease(row: Row) -> Lease:
    return Lease(
        team_id=row["team_id"],
        kind=row["kind"],
        item_id=row["item_id"],
        epoch=row["epoch"],
        attempt=row["attempt"],
        worker=row["worker"],
    )


_ENQUEUE: LiteralString = """
    INSERT INTO work_items (team_id, kind, item_id, run_at)
    VALUES (%(team_id)s, %(kind)s, %(item_id)s, coalesce(%(run_at)s, clock_timestamp()))
"""

_WAKE: LiteralString = "SELECT pg_notify(%(channel)s, %(kind)s)"

# The candidates are numbered within their team before they are locked, so that a team with thousands of due
# items takes its turn. SKIP LOCKED passes by whatever another worker is leasing or finishing right now.
_LEASE_DUE: LiteralString = """
    WITH due AS (
        SELECT team_id, item_id, run_at, row_number() OVER (PARTITION BY team_id ORDER BY run_at) AS turn
        FROM work_items
        WHERE kind = %(kind)s AND finished_at IS NULL AND run_at <= clock_timestamp()
          AND (lease_expires_at IS NULL OR lease_expires_at <= clock_timestamp())
    ), chosen AS (
        SELECT item.team_id, item.kind, item.item_id
        FROM work_items AS item JOIN due USING (team_id, item_id)
        WHERE item.kind = %(kind)s AND item.finished_at IS NULL AND item.run_at <= clock_timestamp()
          AND (item.lease_expires_at IS NULL OR item.lease_expires_at <= clock_timestamp())
        ORDER BY due.turn, due.run_at
        LIMIT %(limit)s
        FOR UPDATE OF item SKIP LOCKED
    )
    UPDATE work_items AS item
    SET epoch = item.epoch + 1,
        attempt = item.attempt + CASE WHEN item.lease_expires_at IS NULL THEN 0 ELSE 1 END,
        worker = %(worker)s,
        lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
    FROM chosen
    WHERE item.team_id = chosen.team_id AND item.kind = chosen.kind AND item.item_id = chosen.item_id
    RETURNING item.team_id, item.kind, item.item_id, item.epoch, item.attempt, item.worker
"""

_RENEW: LiteralString = """
    UPDATE work_items SET lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    RETURNING item_id
"""

_HOLD: LiteralString = """
    SELECT item_id FROM work_items
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    FOR UPDATE
"""

_FINISH: LiteralString = """
    UPDATE work_items SET finished_at = clock_timestamp(), lease_expires_at = NULL, worker = NULL
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    RETURNING item_id
"""

_HAND_BACK: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, attempt = attempt + %(spent)s, lease_expires_at = NULL, worker = NULL,
        run_at = clock_timestamp() + make_interval(secs => %(delay_seconds)s)
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    RETURNING item_id
"""

_CANCEL: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, finished_at = clock_timestamp(), lease_expires_at = NULL, worker = NULL
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND finished_at IS NULL
"""

_LOCK_ITEM: LiteralString = """
    SELECT item_id FROM work_items
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s FOR UPDATE
"""

_REOPEN: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, attempt = 0, finished_at = NULL, run_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND finished_at IS NOT NULL
"""
