"""A route that takes its steps itself calls what FastAPI would call, in its order, each once."""

from typing import Annotated

import pytest
from fastapi import APIRouter, Depends, FastAPI, Header, Request, Response
from httpx import ASGITransport, AsyncClient

from app.api.app import _assemble
from app.api.steps import put_in_order


def make_router(called: list[str]) -> APIRouter:
    router = APIRouter()

    async def first(request: Request) -> str:
        called.append(f"first {request.method}")
        return "one"

    async def second(earlier: Annotated[str, Depends(first)], row_id: str) -> str:
        called.append(f"second {earlier} {row_id}")
        return f"{earlier}-{row_id}"

    async def refuse() -> None:
        called.append("refuse")
        raise PermissionError

    async def unnamed() -> None:
        called.append("unnamed")

    @router.get("/rows/{row_id}", dependencies=[Depends(unnamed)])
    async def read_row(
        both: Annotated[str, Depends(second)],
        request: Request,
        row_id: str,
        again: Annotated[str, Depends(first)],
    ) -> Response:
        called.append("read_row")
        return Response(f"{both} {request.url.path} {row_id} {again}")

    @router.get("/refused")
    async def read_refused(
        _: Annotated[None, Depends(refuse)], late: Annotated[str, Depends(first)]
    ) -> Response:
        return Response(late)

    return router


@pytest.mark.parametrize("path", ["/rows/7", "/rows/a%20b", "/refused"])
async def test_steps_are_those_of_fastapi(path: str) -> None:
    told = []
    for is_ours in (False, True):
        called: list[str] = []
        app = FastAPI()
        router = make_router(called)
        app.router.routes.extend(map(put_in_order, router.routes) if is_ours else router.routes)
        async with AsyncClient(transport=ASGITransport(app, False), base_url="http://test") as client:
            response = await client.get(path)
        told.append((response.status_code, response.text, called))
    assert told[0] == told[1]


def test_what_only_fastapi_gives_is_left_to_it() -> None:
    router = APIRouter()

    @router.get("/header")
    async def read_header(key: Annotated[str | None, Header()] = None) -> Response:
        return Response(key)

    @router.get("/number/{number}")
    async def read_number(number: int) -> Response:
        return Response(str(number))

    @router.get("/thread")
    def read_in_a_thread() -> Response:
        return Response()

    before = [route.app for route in router.routes]  # type: ignore[attr-defined]  # Routes of FastAPI's have one.
    assert [put_in_order(route).app for route in router.routes] == before  # type: ignore[attr-defined]


def test_the_routes_that_are_asked_most_take_their_steps_themselves() -> None:
    ours = {
        route.operation_id  # type: ignore[attr-defined]  # Routes of FastAPI's have one.
        for route in _assemble().routes
        if "_answering" in route.app.__qualname__  # type: ignore[attr-defined]
    }
    assert {"recall_memory", "list_dreams", "get_dream", "trace_memory"} <= ours
