"""What an operator's probe is told: is the database there, is its schema ours, what works less well."""

from functools import cache
from typing import Final, LiteralString

import psycopg

from app.api.door import Door
from app.api.wire.health import Degradation, Readiness
from app.kernel.database import Scope
from app.kernel.errors import Unavailable
from app.kernel.migrate import head_revision, known_revisions

_REVISION: LiteralString = "SELECT version_num FROM alembic_version"
_UNREADABLE: Final = Degradation(
    part="migrations",
    code="revision_unreadable",
    message="The service's role may not read the schema's revision.",
)

_AHEAD: Final = Degradation(
    part="migrations",
    code="schema_is_newer",
    message="The schema is a newer program's; replace this one.",
)
_REDIS_AWAY: Final = Degradation(
    part="redis",
    code="redis_unavailable",
    message="Redis can't be written to; rate limits and wake-ups go through PostgreSQL.",
)


async def look_around(door: Door) -> Readiness:
    """Return whether this process can serve requests now."""
    try:
        async with door.database.reading(Scope("app")) as reading:
            row = await reading.fetch_one(_REVISION)
    except psycopg.errors.InsufficientPrivilege:
        return Readiness(status="ready", database="ok", migrations="unknown", degraded=[_UNREADABLE])
    except psycopg.errors.UndefinedTable:
        return Readiness(status="not_ready", database="ok", migrations="behind", degraded=[])
    except (psycopg.OperationalError, Unavailable):
        return Readiness(status="not_ready", database="unavailable", migrations="unknown", degraded=[])
    if row is not None and row["version_num"] == _find_head():
        # Asked outside the transaction: PostgreSQL never waits for Redis.
        degraded = [] if door.redis is None or await door.redis.answers() else [_REDIS_AWAY]
        return Readiness(status="ready", database="ok", migrations="ok", degraded=degraded)
    if row is not None and row["version_num"] not in _find_known():
        # A newer program has migrated and is about to replace this one, which its migrations leave working.
        return Readiness(status="ready", database="ok", migrations="ahead", degraded=[_AHEAD])
    return Readiness(status="not_ready", database="ok", migrations="behind", degraded=[])


# Both are found by reading every migration, so once a process.
@cache
def _find_head() -> str:
    return head_revision()


@cache
def _find_known() -> frozenset[str]:
    return known_revisions()
