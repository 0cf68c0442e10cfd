"""The team's feed as server-sent events."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Request, Response
from starlette.responses import StreamingResponse

from app.api.answers import refusals
from app.api.auth import Reader
from app.api.door import DoorHere
from app.api.headers import read_header
from app.api.problems import invalid_request
from app.api.queries import NoQuery
from app.api.stream import EVENT_STREAM, open_stream, write_stream
from app.events.hub import find_head
from app.kernel.database import Scope
from app.kernel.errors import FieldError

router: Final = APIRouter(tags=["operators"])


async def _read_position(
    request: Request,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", pattern="^[0-9]{1,18}$")] = None,
) -> int | None:
    if last_event_id is None:
        return None
    read_header(request, "Last-Event-ID")
    return int(last_event_id)


Position = Annotated[int | None, Depends(_read_position)]


@router.get(
    "/v1/events",
    operation_id="stream_events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events as they are committed; `data` is `{type, at}` and one id.",
            "content": {EVENT_STREAM: {"schema": {"type": "string"}}},
        },
        **refusals(),
    },
)
async def stream_events_route(door: DoorHere, caller: Reader, position: Position, _: NoQuery) -> Response:
    """What happens to the team's Relationships, Hypotheses, ingests and runs, from now on or after an event.

    An `id` is the team's running number in commit order: none is left out, none comes twice. The stream ends
    when the key does, and with the process; a client resumes with the last `id` that it saw.
    """
    # Read and closed before the stream begins: an idle stream holds no connection.
    async with door.database.reading(Scope("app", proof=caller.proof)) as reading:
        head = await find_head(reading, caller.team_id)
    if position is not None and position > head:
        wrong = FieldError("Last-Event-ID", "event_unknown", "The feed has not come that far.")
        raise invalid_request(wrong)
    start = head if position is None else position
    stream = write_stream(
        door.events, team_id=caller.team_id, key_id=caller.key_id, position=start, head=head
    )
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(await open_stream(stream), media_type=EVENT_STREAM, headers=headers)
