"""Waiting for a provider's batch: no slot, no lease, no permit, and whoever is alive looks at it next.

A generator that works in batches hands one in, notes its name with the run, and calls `wait_for_provider` in that
same transaction instead of ending the run. From then on the run is `waiting`, its item is due at the next look,
and the duration budget stands still. A look is an ordinary lease: `begin_run` leaves the run `running` and returns
`seconds_used`. A batch that is not ready yet is waited for again; one that is ready is generated from, validated
and persisted under that lease, as any other. Cancelling a waiting run is cancelling any other.
"""

from typing import Final, LiteralString

from app.kernel.database import Writing
from app.queue.leases import Lease, hand_back, hold

# A provider gives a batch up after 24 hours; the rest is for the way there and back.
DEADLINE_HOURS: Final = 26


async def wait_for_provider(
    writing: Writing, lease: Lease, *, look_again_seconds: float, seconds_used: float
) -> bool:
    """Leave the run `waiting`, due again in `look_again_seconds`, without an attempt spent, and return True.

    Once it has been waiting for 26 hours, return False and leave run and lease as they are: the caller ends it.

    Args:
        seconds_used: of the duration budget until now, all looks together; `begin_run` returns it at the next.

    Raises:
        LeaseLost: the term is over; nothing was written.
    """
    await hold(writing, lease)
    params = {
        "team_id": lease.team_id,
        "id": lease.item_id,
        "seconds_used": seconds_used,
        "deadline_hours": DEADLINE_HOURS,
    }
    if await writing.execute(_WAIT, params) == 0:
        return False
    await hand_back(writing, lease, delay_seconds=look_again_seconds)
    return True


_WAIT: LiteralString = """
    UPDATE cycle_runs
    SET status = 'waiting', worker = NULL, seconds_used = %(seconds_used)s,
        waiting_since = coalesce(waiting_since, clock_timestamp())
    WHERE team_id = %(team_id)s AND id = %(id)s AND finished_at IS NULL
      AND coalesce(waiting_since, clock_timestamp())
          > clock_timestamp() - make_interval(hours => %(deadline_hours)s)
"""
