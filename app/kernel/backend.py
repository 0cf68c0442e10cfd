"""Which PostgreSQL this process uses: the one of DATABASE_URL, or an embedded one in the data folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

import psycopg
from psycopg import sql

from app.kernel.errors import SetupError, Unavailable
from app.kernel.migrate import MINIMUM_SERVER_VERSION, is_current, migrate
from app.kernel.settings import Settings
from app.postgres.doctor import Finding
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.running import RunningInfo, find_running
from app.postgres.server import RunningPostgres, start

DATABASE_NAME: Final = "densemem"


@dataclass(frozen=True, slots=True)
class Backend:
    """Connection strings of libpq. `service_url` is what the service runs on, `admin_url` what migrates.

    `is_shared`: another process runs this embedded server, and has migrated it. `is_alive` says whether one
    that this process runs still does.
    """

    service_url: str
    dreamer_url: str | None
    admin_url: str
    service_login: str
    is_embedded: bool
    is_shared: bool = False
    is_alive: Callable[[], bool] = lambda: True


@contextmanager
def running_backend(
    settings: Settings, *, joins_running: bool = False, may_start: bool = True
) -> Iterator[Backend]:
    """Give the connection strings of a PostgreSQL that answers; an embedded one lives as long as the block.

    Args:
        settings: of this process.
        joins_running: use an embedded server that another process runs; else a second one is an error.
        may_start: false does without starting one.

    Raises:
        SetupError: an embedded server could not be started; the message says how to mend it.
        Unavailable: the server of DATABASE_URL does not answer, or none runs and none may be started.
    """
    if settings.database_url is not None:
        yield external_backend(settings)
        return
    try:
        found = find_running(settings.data_dir)
        if found is not None and joins_running:
            yield replace(_embedded_backend(settings, found), is_shared=True)
            return
        if not may_start:
            raise Unavailable(
                f"No server runs on {settings.data_dir}. Start one with `densemem serve`.", code="not_running"
            )
        server = start(settings.data_dir)
    except EmbeddedPostgresError as error:
        raise SetupError(str(error), code="embedded_postgres") from error
    with server:
        create_database(server.conninfo(), f"{settings.role_prefix}_service")
        yield replace(_embedded_backend(settings, server), is_alive=server.is_alive)


def migrate_backend(backend: Backend, settings: Settings) -> None:
    """Leave roles and tables as this code needs them."""
    migrate(backend.admin_url, role_prefix=settings.role_prefix, service_login=backend.service_login)


def prepare_backend(backend: Backend, settings: Settings) -> None:
    """Leave roles and tables as this code needs them; a login that may not make them is enough for a ready one."""
    if not is_current(backend.service_url, role_prefix=settings.role_prefix):
        migrate_backend(backend, settings)


def external_backend(settings: Settings) -> Backend:
    """Return the connection strings of DATABASE_URL and its companions, once it answers."""
    assert settings.database_url is not None
    service_url = settings.database_url.get_secret_value()
    admin_url = settings.migration_database_url
    dreamer_url = settings.dreamer_database_url
    try:
        with psycopg.connect(service_url, connect_timeout=5) as connection:
            login = connection.execute("SELECT session_user").fetchone()
    except psycopg.ProgrammingError as error:
        # The driver's own words may repeat the connection string, password and all; so they are left out.
        raise Unavailable("DATABASE_URL is no connection string.", code="database_url_invalid") from error
    except psycopg.OperationalError as error:
        said = str(error)
        known = ("does not exist", "password authentication failed", "refused", "no password supplied")
        reason = next((words for words in known if words in said), "no answer")
        raise Unavailable(
            f"PostgreSQL at DATABASE_URL can't be used: {reason}.", code="database_unavailable"
        ) from error
    assert login is not None
    return Backend(
        service_url=service_url,
        dreamer_url=None if dreamer_url is None else dreamer_url.get_secret_value(),
        admin_url=service_url if admin_url is None else admin_url.get_secret_value(),
        service_login=login[0],
        is_embedded=False,
    )


def diagnose_external(settings: Settings) -> list[Finding]:
    """Look at the server of DATABASE_URL and change nothing; each finding says how to mend it."""
    assert settings.database_url is not None
    try:
        backend = external_backend(settings)
    except Unavailable as error:
        return [
            Finding(
                "DATABASE_URL",
                ok=False,
                detail=str(error),
                remedy="Check host, port, database, login, password.",
            )
        ]
    with psycopg.connect(backend.service_url) as connection:
        version = connection.info.server_version
    is_new_enough = version >= MINIMUM_SERVER_VERSION
    is_ready = is_new_enough and is_current(backend.service_url, role_prefix=settings.role_prefix)
    return [
        Finding("DATABASE_URL", ok=True, detail=f"answers as {backend.service_login}", remedy=""),
        Finding(
            "version",
            ok=is_new_enough,
            detail=f"PostgreSQL {version // 10000}",
            remedy="" if is_new_enough else "PostgreSQL 15 or newer is needed.",
        ),
        Finding(
            "roles and tables",
            ok=is_ready,
            detail="up to date" if is_ready else "missing or older than this program",
            remedy=""
            if is_ready
            else "Run `densemem migrate` with a login that may create roles and tables.",
        ),
    ]


def create_database(admin_url: str, service_login: str) -> None:
    """Leave the embedded server with our database and the service's login; idempotent."""
    with psycopg.connect(admin_url, autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE_NAME]).fetchall():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE_NAME)))
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [service_login]).fetchall():
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN NOINHERIT").format(sql.Identifier(service_login))
            )


def _embedded_backend(settings: Settings, server: RunningInfo | RunningPostgres) -> Backend:
    service_login = f"{settings.role_prefix}_service"
    return Backend(
        service_url=server.conninfo(user=service_login, dbname=DATABASE_NAME),
        dreamer_url=None,
        admin_url=server.conninfo(dbname=DATABASE_NAME),
        service_login=service_login,
        is_embedded=True,
    )
