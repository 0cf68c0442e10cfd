"""The HTTP door put together."""

from typing import Any

from fastapi import FastAPI

from app import __version__
from app.api.door import Door, Wake
from app.api.openapi import describe_routes
from app.api.problems import register_problems
from app.api.request_id import RequestIds
from app.api.routes import admin, audit, catalogue, dreams, health, lifecycle, memory, merges, runs
from app.kernel.database import Database
from app.kernel.settings import Settings


def create_app(database: Database, settings: Settings, *, wake: Wake = lambda: None) -> FastAPI:
    """Return the door of a process that owns an open database; the door opens and closes nothing.

    `wake` is called after each commit that left work, so that a worker in the same process need not wait for
    its next look.
    """
    app = _assemble()
    app.state.door = Door(database, settings, wake)
    app.state.contract = describe_routes(app)
    return app


def build_openapi() -> dict[str, Any]:  # An OpenAPI document.
    """Return the published contract; no database is needed."""
    return describe_routes(_assemble())


def _assemble() -> FastAPI:
    # Neither FastAPI's own pages nor its redirects: the first load scripts from elsewhere, the second turn a
    # wrong path into a right one without saying so.
    app = FastAPI(
        version=__version__, openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    for routes in (memory, lifecycle, merges, dreams, runs, catalogue, admin, audit, health):
        app.include_router(routes.router)
    register_problems(app)
    app.add_middleware(RequestIds)
    return app
