"""Open to everybody: is the process alive, can it work, what does it offer."""

from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.responses import JSONResponse

from app.api.answers import answer
from app.api.door import DoorHere
from app.api.readiness import look_around
from app.api.wire.health import Alive, Readiness

router: Final = APIRouter(tags=["health"])


@router.get("/healthz", operation_id="healthz", response_model=Alive)
async def healthz() -> Response:
    """The process answers; nothing else is looked at."""
    return answer(Alive(status="ok"))


@router.get(
    "/readyz",
    operation_id="readyz",
    response_model=Readiness,
    responses={503: {"model": Readiness, "description": "Not ready"}},
)
async def readyz(door: DoorHere) -> Response:
    """Whether the database answers and its schema is the one that this code knows."""
    readiness = await look_around(door)
    return answer(readiness, status=200 if readiness.status == "ready" else 503)


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """This contract."""
    return JSONResponse(request.app.state.contract)
