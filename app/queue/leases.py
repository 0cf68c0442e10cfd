"""Lease, renew, hold, hand back, wait, finish, cancel: the whole protocol, one statement each."""

from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Final, LiteralString

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import LeaseLost
from app.queue import statements

MAX_ATTEMPTS: Final = 3
WAKE_CHANNEL: LiteralString = "densemem_work"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one item. `attempt` counts the earlier leases that ended badly.

    `asked_at` is the worker's own monotonic clock right before it asked: the database counts from later on.
    """

    team_id: str
    kind: str
    item_id: str
    epoch: int
    attempt: int
    worker: str
    asked_at: float = field(default_factory=monotonic, compare=False)

    @property
    def attempts_are_exhausted(self) -> bool:
        return self.attempt >= MAX_ATTEMPTS


async def enqueue(
    writing: Writing, *, team_id: str, kind: str, item_id: str, run_at: datetime | None = None
) -> None:
    """Make the item due at `run_at` (now by default); workers are woken when the transaction commits."""
    params = {"team_id": team_id, "kind": kind, "item_id": item_id, "run_at": run_at}
    await writing.execute(statements.ENQUEUE, params)
    await wake_workers(writing, kind)


async def wake_workers(writing: Writing, kind: str) -> None:
    """Let every idle worker look again at when the kind is due, as soon as the transaction commits."""
    await writing.execute(statements.WAKE, {"channel": WAKE_CHANNEL, "kind": kind})


async def lease_due(
    writing: Writing, *, kind: str, worker: str, seconds: float, limit: int = 1, after: str = ""
) -> list[Lease]:
    """Take the item that has been due the longest of each of up to `limit` teams.

    The teams take turns in the order of their ids, beginning behind `after`: whoever gives the team that it
    served last serves every other team before that one again. An item whose lease has run out is due as well,
    and taking it over costs an attempt.
    """
    asked_at = monotonic()
    rows = await writing.fetch_all(
        statements.LEASE_DUE,
        {"kind": kind, "worker": worker, "seconds": seconds, "limit": limit, "after": after},
    )
    return [_lease(row, asked_at) for row in rows]


async def seconds_until_due(reading: Reading, *, kind: str) -> float | None:
    """Return in how many seconds the next item is due by the database's clock; None when all are finished.

    Zero or less: one is due, so if it could not be leased just now, somebody else has it locked.
    """
    row = await reading.fetch_one(statements.SECONDS_UNTIL_DUE, {"kind": kind})
    assert row is not None
    seconds: float | None = row["seconds"]
    return seconds


async def renew(writing: Writing, lease: Lease, *, seconds: float) -> None:
    """Leave the lease valid for `seconds` from now, or raise LeaseLost."""
    await _by_lease(writing, statements.RENEW, lease, seconds=seconds)


async def hold(writing: Writing, lease: Lease) -> None:
    """Lock the item until the transaction ends, or raise LeaseLost: first statement of each owner write."""
    await _by_lease(writing, statements.HOLD, lease)


async def finish(writing: Writing, lease: Lease) -> None:
    """Leave the item finished, or raise LeaseLost."""
    await _by_lease(writing, statements.FINISH, lease)


async def hand_back(writing: Writing, lease: Lease, *, delay_seconds: float = 0) -> None:
    """Leave the item due after the delay without an attempt spent, or raise LeaseLost.

    For a shutdown, and for work that goes on elsewhere, such as a provider's batch: meanwhile nobody owns the
    item, no slot is held, and whichever worker is alive then looks at it next, under a new epoch.
    """
    await _give_back(writing, lease, delay_seconds=delay_seconds, spent=0)


async def retry_later(writing: Writing, lease: Lease, *, delay_seconds: float) -> None:
    """Leave the item due after the delay with one attempt spent (a fault), or raise LeaseLost."""
    await _give_back(writing, lease, delay_seconds=delay_seconds, spent=1)


async def lock_item(writing: Writing, *, team_id: str, kind: str, item_id: str) -> None:
    """Let nobody lease, hold or finish the item until the transaction ends, whoever owns it."""
    await writing.execute(statements.LOCK_ITEM, {"team_id": team_id, "kind": kind, "item_id": item_id})


async def reopen(writing: Writing, *, team_id: str, kind: str, item_id: str) -> None:
    """Leave a finished item due again, with all its attempts; one that is not finished stays as it is."""
    params = {"team_id": team_id, "kind": kind, "item_id": item_id}
    if await writing.execute(statements.REOPEN, params):
        await wake_workers(writing, kind)


async def make_due(writing: Writing, *, team_id: str, kind: str, item_id: str) -> None:
    """Leave the item due, whether it is new or finished; one that is not finished stays as it is."""
    params: dict[str, object] = {"team_id": team_id, "kind": kind, "item_id": item_id}
    if await writing.execute(statements.ENQUEUE_NEW, params):
        await wake_workers(writing, kind)
    else:
        await reopen(writing, team_id=team_id, kind=kind, item_id=item_id)


async def cancel(writing: Writing, *, team_id: str, kind: str, item_id: str) -> bool:
    """Leave the item finished whoever holds it; say whether it was still open."""
    params = {"team_id": team_id, "kind": kind, "item_id": item_id}
    return await writing.execute(statements.CANCEL, params) > 0


async def _give_back(writing: Writing, lease: Lease, *, spent: int, delay_seconds: float) -> None:
    await _by_lease(writing, statements.HAND_BACK, lease, delay_seconds=delay_seconds, spent=spent)
    await wake_workers(writing, lease.kind)


async def _by_lease(writing: Writing, query: LiteralString, lease: Lease, **params: object) -> None:
    params |= {
        "team_id": lease.team_id,
        "kind": lease.kind,
        "item_id": lease.item_id,
        "epoch": lease.epoch,
    }
    if await writing.fetch_one(query, params) is None:
        raise LeaseLost(f"The lease on {lease.kind} {lease.item_id} is over.")


def _lease(row: Row, asked_at: float) -> Lease:
    return Lease(
        team_id=row["team_id"],
        kind=row["kind"],
        item_id=row["item_id"],
        epoch=row["epoch"],
        attempt=row["attempt"],
        worker=row["worker"],
        asked_at=asked_at,
    )
