"""Taking work of one team only: a worker of the same database may be at work for others."""

from typing import Final, LiteralString

from app.kernel.database import Writing
from app.queue.leases import Lease

LEASE_SECONDS: Final = 600


async def lease_next(writing: Writing, *, team_id: str, kind: str) -> list[Lease]:
    """Return the leases on what the team has next of that kind; none when there is nothing to take."""
    rows = await writing.fetch_all(_LEASE_NEXT, {"team_id": team_id, "kind": kind, "seconds": LEASE_SECONDS})
    return [Lease(**row) for row in rows]


# The planner may run the inner query more than once, so that more than one row can come back.
_LEASE_NEXT: LiteralString = """
    UPDATE work_items AS item
    SET epoch = epoch + 1, worker = 'command',
        lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
    FROM (SELECT item_id FROM work_items
          WHERE team_id = %(team_id)s AND kind = %(kind)s AND finished_at IS NULL AND worker IS NULL
          ORDER BY run_at, item_id LIMIT 1 FOR UPDATE SKIP LOCKED) AS next
    WHERE item.team_id = %(team_id)s AND item.kind = %(kind)s AND item.item_id = next.item_id
    RETURNING item.team_id, item.kind, item.item_id, item.epoch, item.attempt, item.worker
"""
