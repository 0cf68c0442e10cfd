"""Renewing a cycle's lease, with the run's heartbeat."""

from typing import LiteralString

from app.kernel.database import Writing
from app.queue.leases import Lease, renew


async def renew_with_heartbeat(writing: Writing, lease: Lease, *, lease_seconds: float) -> None:
    """Leave lease and heartbeat fresh, and the work item locked; LeaseLost if the term is over.

    As the first statement of a write this fences it as `hold` does, and leaves time to finish.
    """
    await renew(writing, lease, seconds=lease_seconds)
    await writing.execute(_HEARTBEAT, {"team_id": lease.team_id, "id": lease.item_id})


_HEARTBEAT: LiteralString = """
    UPDATE cycle_runs SET heartbeat_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = %(id)s AND finished_at IS NULL
"""
