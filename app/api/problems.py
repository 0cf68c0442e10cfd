"""The one table from errors to HTTP: every refusal is an `application/problem+json` (RFC 9457)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from traceback import walk_tb
from typing import Any, Final

import psycopg
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.door import open_door
from app.api.ids import look_up
from app.api.request_id import request_id_of
from app.api.wire.problem import FieldProblem, Problem
from app.kernel.database import Scope as DatabaseScope
from app.kernel.errors import (
    FIELD_MESSAGES,
    Busy,
    DenseMemError,
    FieldError,
    Forbidden,
    IdempotencyConflict,
    IndependenceRefused,
    InProgress,
    InvalidInput,
    LeaseLost,
    NotFound,
    RateLimited,
    SetupError,
    Unauthenticated,
    Unavailable,
    VersionMismatch,
    WrongState,
)
from app.tenancy.keys import find_live_keys

PROBLEM_JSON: Final = "application/problem+json"
# Written out because the standard library's phrases differ between versions of Python.
TITLES: Final[Mapping[int, str]] = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    412: "Precondition Failed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Treatment:
    status: int
    next_action: str
    retryable: bool = False


# The most specific class of an error's ancestry wins.
_TREATMENTS: Final[Mapping[type[DenseMemError], _Treatment]] = {
    InvalidInput: _Treatment(422, "Correct the request and send it again."),
    IdempotencyConflict: _Treatment(422, "Send another body under another idempotency key."),
    IndependenceRefused: _Treatment(
        422, "Send evidence that does not restate the hypothesis or its sources."
    ),
    NotFound: _Treatment(404, "Check the id."),
    Unauthenticated: _Treatment(
        401, "Use a key that is neither expired nor revoked; over HTTP, in `Authorization: Bearer`."
    ),
    RateLimited: _Treatment(429, "Wait as long as `Retry-After` says.", retryable=True),
    Forbidden: _Treatment(403, "Use a key that is allowed to do this."),
    WrongState: _Treatment(409, "Read the current state and decide again."),
    InProgress: _Treatment(409, "Send the same request again in a moment.", retryable=True),
    VersionMismatch: _Treatment(412, "Read the current version and decide again."),
    Busy: _Treatment(409, "Send the same request again in a moment.", retryable=True),
    Unavailable: _Treatment(503, "Send the same request again later.", retryable=True),
    LeaseLost: _Treatment(503, "Send the same request again later.", retryable=True),
    SetupError: _Treatment(503, "Ask the operator to run `densemem doctor`."),
}
# Refusals that are about HTTP itself and have no error class.
_HTTP_CODES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("body_invalid", "Send one JSON document in UTF-8."),
    404: ("not_found", "Check the path."),
    405: ("method_not_allowed", "Use a method that the `Allow` header names."),
    413: ("body_too_large", "Send less at once; the limit is 1 MiB."),
    415: ("unsupported_media_type", "Send `Content-Type: application/json`, uncompressed, in UTF-8."),
}


def register_problems(app: FastAPI) -> None:
    """Leave every error of the application answered by this module."""
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, answer)
    app.add_middleware(Faults)


class Faults:
    """ASGI middleware that answers what nobody expected and keeps it from being logged with its message."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; answer a fault with 500 if no answer has begun."""
        has_begun = False

        def send_seen(message: Message) -> Awaitable[None]:
            nonlocal has_begun
            has_begun = True
            return send(message)

        try:
            await self._app(scope, receive, send_seen)
        except ClientDisconnect:
            # Whoever asked has gone: there is nobody to answer, and nothing is wrong here.
            return
        except asyncio.CancelledError:
            # The server ends and has waited long enough; left alone, it would answer for us, and not as a problem.
            if has_begun or scope["type"] != "http":
                raise
            ending = Unavailable("The server ended before this was answered.", code="server_ending")
            answer = await _answer_error(Request(scope), ending)
            await answer(scope, receive, send)
        except Exception as error:  # The door's last resort: one bad request must not be a leak.
            if scope["type"] != "http" or has_begun:
                raise
            answer = await answer_problem(Request(scope), error)
            await answer(scope, receive, send)


def field_errors(
    details: Sequence[Mapping[str, Any]], *, skip: int
) -> tuple[FieldError, ...]:  # Pydantic's shape.
    """Return pydantic's error details as field errors; `skip` drops leading parts of each location."""
    return tuple(
        FieldError(
            field=".".join(str(part) for part in detail["loc"][skip:]),
            code=str(detail["type"]),
            # pydantic words its messages for programmers.
            message=FIELD_MESSAGES.get(str(detail["type"]), str(detail["msg"])),
        )
        for detail in details
    )


def invalid_request(*errors: FieldError) -> InvalidInput:
    """Return the refusal of a request with these wrong fields."""
    return InvalidInput("The request is not valid.", errors=errors)


async def answer_problem(request: Request, error: Exception) -> Response:
    """Return the problem that says what went wrong and what to do, for where no handler gets the error."""
    kinds = type(error).__mro__
    answer = next((_ANSWERS[kind] for kind in kinds if kind in _ANSWERS), _answer_fault)
    return await answer(request, error)


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, DenseMemError)
    if isinstance(error, InvalidInput):
        missing = await _find_missing(request)
        error = error if missing is None else missing
    # What a read does not find was asked for together with its key.
    if isinstance(error, NotFound) and request.method != "GET" and await _is_ended(request):
        error = _ended()
    treatment = next(_TREATMENTS[kind] for kind in type(error).__mro__ if kind in _TREATMENTS)
    errors = error.errors if isinstance(error, InvalidInput) else ()
    headers = {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(max(1, ceil(error.retry_after_seconds)))
    return _problem(request, treatment, code=error.code, detail=str(error), errors=errors, headers=headers)


async def _answer_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # The first part of a location says where a field was looked for: query, header, path.
    return await _answer_error(request, invalid_request(*field_errors(error.errors(), skip=1)))


async def _find_missing(request: Request) -> NotFound | None:
    """Return the refusal of what the path names, which comes before that of a wrong request about it."""
    try:
        await look_up(request)
    except NotFound as missing:
        return missing
    except (psycopg.Error, Unavailable):
        # Without the database the request is still wrong.
        return None
    return None


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, next_action = _HTTP_CODES.get(error.status_code, ("http_error", "Correct the request."))
    treatment = _Treatment(error.status_code, next_action)
    headers = dict(error.headers or {})
    # The router names the methods of the first route of the path only; the contract has them by path.
    described = request.app.state.contract["paths"].get(getattr(request.scope.get("route"), "path", None))
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and described is not None:
        headers["Allow"] = ", ".join(sorted(method.upper() for method in described))
    return _problem(request, treatment, code=code, detail=error.detail, headers=headers)


async def _answer_database(request: Request, error: Exception) -> Response:
    """Say that trying again helps where it does; everything else is a fault of ours."""
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return await _answer_error(request, Busy("Another request holds what this one needs."))
    if isinstance(error, psycopg.errors.SerializationFailure | psycopg.errors.DeadlockDetected):
        return await _answer_error(request, Busy("Other requests changed the same things at the same time."))
    if isinstance(error, psycopg.DataError):
        # Only a made-up cursor gets this far: its checksum finds mistakes, not intent.
        return await _answer_error(request, InvalidInput("A value is not of the kind that belongs there."))
    if isinstance(error, psycopg.errors.QueryCanceled):
        slow = Unavailable("The database took too long.", code="database_slow")
        return await _answer_error(request, _ended() if await _is_ended(request) else slow)
    if isinstance(error, psycopg.OperationalError):
        down = Unavailable("The database does not answer.", code="database_unavailable")
        return await _answer_error(request, down)
    return await _answer_fault(request, error)


async def _is_ended(request: Request) -> bool:
    """Say whether the key that let the request in has ended since, as it does when its team is erased."""
    identity = getattr(request.state, "identity", None)
    if identity is None:
        return False
    try:
        async with open_door(request).database.glance(DatabaseScope("app")) as reading:
            return not await find_live_keys(reading, [identity.key_id])
    except (psycopg.Error, Unavailable):
        return False


def _ended() -> Unauthenticated:
    return Unauthenticated("A valid bearer key is needed.")


async def _answer_fault(request: Request, error: Exception) -> Response:
    if await _is_ended(request):
        # Rows may have gone that were there when the request was let in.
        return await _answer_error(request, _ended())
    # Messages of errors can quote a row or a request, so only kind and place of the error are logged.
    frames = [f"{frame.f_code.co_qualname}:{line}" for frame, line in walk_tb(error.__traceback__)]
    # The schema's own name of the rule that refused; it quotes nothing that a client sent.
    rule = error.diag.constraint_name if isinstance(error, psycopg.Error) else None
    _log.error("request failed", action="request", error=type(error).__name__, rule=rule, frames=frames[-12:])
    treatment = _Treatment(500, "Report the correlation id to the operator.")
    return _problem(request, treatment, code="internal_error", detail="The server made a mistake.")


def _problem(
    request: Request,
    treatment: _Treatment,
    *,
    code: str,
    detail: str,
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    problem = Problem(
        type="about:blank",
        title=TITLES.get(treatment.status, "Refused"),
        status=treatment.status,
        detail=detail,
        code=code,
        retryable=treatment.retryable,
        next_action=treatment.next_action,
        correlation_id=request_id_of(request),
        errors=[FieldProblem(field=one.field, code=one.code, message=one.message) for one in errors],
    )
    more = dict(headers or {})
    if treatment.status == HTTPStatus.UNAUTHORIZED:
        more["WWW-Authenticate"] = "Bearer"
    if treatment.status == HTTPStatus.SERVICE_UNAVAILABLE:
        more["Retry-After"] = "1"
    return Response(
        problem.model_dump_json(), status_code=treatment.status, media_type=PROBLEM_JSON, headers=more
    )


# The most specific class of an error's ancestry wins here too; what has none is a fault of ours.
_ANSWERS: Final[Mapping[type, Callable[[Request, Exception], Awaitable[Response]]]] = {
    DenseMemError: _answer_error,
    RequestValidationError: _answer_validation,
    HTTPException: _answer_http,
    psycopg.Error: _answer_database,
}
