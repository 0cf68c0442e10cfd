"""The HTTP door put together."""

from typing import Any

from fastapi import FastAPI

from app import __version__
from app.api.door import Door, Wake
from app.api.metrics.exposition import Metrics
from app.api.metrics.requests import Measured
from app.api.openapi import describe_routes
from app.api.problems import register_problems
from app.api.proofs import Proofs
from app.api.request_id import RequestIds
from app.api.routes import (
    admin,
    audit,
    catalogue,
    dreams,
    events,
    health,
    lifecycle,
    memory,
    merges,
    metrics,
    quarantine,
    runs,
)
from app.api.routes import (
    settings as settings_routes,
)
from app.api.steps import put_in_order
from app.api.stream import Patience
from app.coordination.buckets import Buckets, Limit
from app.coordination.limiter import Limiter
from app.coordination.postgres_buckets import PostgresBuckets
from app.coordination.redis_buckets import RedisBuckets
from app.coordination.redis_link import RedisLink
from app.events.hub import Hub
from app.kernel.database import Database
from app.kernel.settings import Settings
from app.recall.embedder import Embedder
from app.tenancy.admission import Admission


def create_app(
    database: Database,
    settings: Settings,
    *,
    wake: Wake = lambda: None,
    redis: RedisLink | None = None,
    embedder: Embedder | None = None,
) -> FastAPI:
    """Return the door of a process that owns an open database; the door opens and closes nothing.

    `wake` is called after each commit that left work, so that a worker in the same process need not wait for
    its next look.
    """
    app = _assemble()
    buckets: list[Buckets] = [] if redis is None else [RedisBuckets(redis)]
    limiter = Limiter([*buckets, PostgresBuckets(database)])
    limit = Limit(settings.requests_per_minute, settings.request_burst)
    hub = Hub(database, poll_seconds=settings.poll_seconds)
    door = Door(database, settings, wake, Admission(database, limiter, limit), hub, redis, embedder)
    app.state.door, app.state.metrics = door, Metrics(door)
    app.add_middleware(Measured, counts=app.state.metrics.requests)
    app.state.contract = describe_routes(app)
    return app


def build_openapi() -> dict[str, Any]:  # An OpenAPI document.
    """Return the published contract; no database is needed."""
    return describe_routes(_assemble())


def _assemble() -> FastAPI:
    # Neither FastAPI's own pages nor its redirects: the first load scripts from elsewhere, the second turn a
    # wrong path into a right one without saying so. Nor its traces, which hold messages of errors: with each
    # request it would look whether somebody collects them.
    app = FastAPI(
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    # What is asked most comes first: paths are compared one after the other.
    for routes in (
        memory,
        dreams,
        lifecycle,
        quarantine,
        merges,
        runs,
        events,
        settings_routes,
        catalogue,
        admin,
        audit,
        metrics,
        health,
    ):
        # Each router would look for a path by itself, and again for the route.
        app.router.routes.extend(map(put_in_order, routes.router.routes))
    app.add_middleware(Patience)
    register_problems(app)
    app.add_middleware(Proofs)
    app.add_middleware(RequestIds)
    return app
