"""Waiting for a placement: look, let go of the connection, sleep, look again."""

import asyncio
import re
from time import monotonic
from typing import Annotated, Final

from fastapi import Depends, Request

from app.api.door import Door
from app.api.problems import invalid_request
from app.api.wire.remember import MAX_WAIT_SECONDS
from app.kernel.errors import FieldError
from app.remember.placements import Placement, get_placement
from app.tenancy.callers import Caller

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 0.5
_FINISHED: Final = frozenset({"awaiting_review", "completed", "failed"})
_WAIT: Final = re.compile(r"\s*wait\s*=\s*\"?0*(\d+)\"?\s*", re.ASCII | re.IGNORECASE)


async def read_preference(request: Request) -> int | None:
    """Return the seconds of `Prefer: wait=N`, or None; preferences that we don't know are none of ours.

    Raises:
        InvalidInput: N is above 30.
    """
    for preference in ",".join(request.headers.getlist("Prefer")).split(","):
        match = _WAIT.fullmatch(preference)
        if match is not None:
            # Python reads no number of thousands of digits.
            seconds = int(match[1][:9])
            if seconds > MAX_WAIT_SECONDS:
                wrong = FieldError("Prefer", "less_than_equal", f"At most {MAX_WAIT_SECONDS} seconds.")
                raise invalid_request(wrong)
            return seconds
    return None


Preference = Annotated[int | None, Depends(read_preference)]


def choose_wait(field: int | None, preference: int | None) -> int | None:
    """Return the seconds that the client wants to wait, wherever it said so.

    Raises:
        InvalidInput: the header and the field name different times.
    """
    if field is not None and preference is not None and field != preference:
        wrong = FieldError("wait_seconds", "alias_differs", "The Prefer header names another time.")
        raise invalid_request(wrong)
    return preference if field is None else field


async def wait_for_placement(
    door: Door, caller: Caller, request: Request, ingest_id: str, *, seconds: float
) -> Placement | None:
    """Return the placement once it is finished, or None after `seconds` or when the client has gone.

    No connection is held while nothing happens; a placement that waits for a review counts as finished.
    """
    deadline = monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    while not await request.is_disconnected():
        placement = await door.read(caller, lambda reading: get_placement(reading, caller.team_id, ingest_id))
        if placement.processing_state in _FINISHED:
            return placement
        left = deadline - monotonic()
        if left <= 0:
            return None
        await asyncio.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
    return None
