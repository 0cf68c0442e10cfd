"""What a route depends on, put in order once.

For each request FastAPI goes through the dependencies of its route and asks of each again how it is called, if it
was, and what has to be closed after it: an eighth of the time of a list. Here a route keeps the order in which
FastAPI would call them, and takes the steps; what it is documented by stays as it is.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from typing import Any, Final

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

# Beside what a step needs of others: what FastAPI gives only where it calls the step.
_GIVEN: Final = (
    *("query_params", "header_params", "cookie_params", "body_params"),
    *("websocket_param_name", "http_connection_param_name", "response_param_name"),
    *("background_tasks_param_name", "security_scopes_param_name", "concurrency"),
)


@dataclass(frozen=True, slots=True)
class _Step:
    """A coroutine function, and for each of its parameters the place of its value."""

    call: Callable[..., Awaitable[Any]]  # A dependency, or the route's function.
    places: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _Steps:
    """Values stand in this order: the request, what its path names, then what each step returned."""

    in_path: tuple[str, ...]
    steps: list[_Step] = field(default_factory=list)

    def add(self, dependant: Dependant) -> int:
        """Leave the call there after all that it depends on; return the place of what it returns.

        Raises:
            LookupError: it needs what only FastAPI gives.
        """
        places = {one.name or "": self.add(one) for one in dependant.dependencies}
        places |= {one.name: 1 + self.in_path.index(one.alias) for one in dependant.path_params}
        if dependant.request_param_name:
            places[dependant.request_param_name] = 0
        step = _Step(_check(dependant), tuple((name, place) for name, place in places.items() if name))
        if step not in self.steps:
            self.steps.append(step)
        return 1 + len(self.in_path) + self.steps.index(step)

    async def take(self, request: Request) -> Any:  # What the route's function returns.
        """Return what the last step returns."""
        in_path = request.path_params
        values: list[Any] = [request, *[in_path[name] for name in self.in_path]]
        for step in self.steps:
            values.append(await step.call(**{name: values[place] for name, place in step.places}))
        return values[-1]


def put_in_order(route: BaseRoute) -> BaseRoute:
    """Return the route; where all its dependencies are plain coroutines, it calls them in order itself."""
    if isinstance(route, APIRoute):
        steps = _Steps(tuple(route.param_convertors))
        try:
            steps.add(route.dependant)
        except LookupError:
            return route
        route.app = _answering(steps)
    return route


def _answering(steps: _Steps) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        response = await steps.take(Request(scope, receive, send))
        await response(scope, receive, send)

    return answer


def _check(dependant: Dependant) -> Callable[..., Awaitable[Any]]:
    call = dependant.call
    texts = [
        one.field_info.annotation is str and not one.field_info.metadata for one in dependant.path_params
    ]
    is_plain = dependant.use_cache and all(texts) and not any(getattr(dependant, one) for one in _GIVEN)
    # An object that is called is one by its class.
    if call is None or not is_plain or not any(map(iscoroutinefunction, (call, type(call).__call__))):
        raise LookupError
    return call
