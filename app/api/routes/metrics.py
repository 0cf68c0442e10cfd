"""What monitoring scrapes."""

import secrets
from ipaddress import ip_address
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from app.api.auth import Presented
from app.api.door import DoorHere
from app.api.metrics.exposition import CONTENT_TYPE, Metrics
from app.api.queries import NoQuery
from app.kernel.errors import Forbidden
from app.tenancy.callers import Admin

router: Final = APIRouter(tags=["health"])
# With one of these the request was passed on by a proxy, so the near end says nothing about the far one.
_PASSED_ON: Final = ("X-Forwarded-For", "Forwarded", "X-Real-Ip")


async def _let_scrape(request: Request, door: DoorHere, presented: Presented) -> None:
    """Pass this machine's own requests, the scrape token and admin keys."""
    if presented is None and _is_from_here(request):
        return
    token = door.settings.metrics_token
    given = None if presented is None else presented.credentials
    if given is not None and token is not None and _are_equal(given, token.get_secret_value()):
        return
    if not isinstance(await door.admission.admit(given), Admin):
        raise Forbidden("The key lacks the scope admin.", code="missing_scope")


def _are_equal(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _is_from_here(request: Request) -> bool:
    if request.client is None or any(name in request.headers for name in _PASSED_ON):
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False


@router.get("/metrics", include_in_schema=False)
async def metrics_route(request: Request, _: Annotated[None, Depends(_let_scrape)], __: NoQuery) -> Response:
    """Counts and ages of this process and of the whole instance; open to this machine itself."""
    metrics: Metrics = request.app.state.metrics
    return Response(await metrics.render(), media_type=CONTENT_TYPE)
