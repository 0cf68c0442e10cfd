"""One PostgreSQL for the whole run, and private databases cloned from a migrated template."""

import itertools
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from app.kernel.migrate import migrate
from app.postgres.server import start

# A superuser's connection string; tests make and drop databases on it. Unset: an embedded server in memory.
ADMIN_URL: Final = "DENSEMEM_TEST_DATABASE_URL"
SERVICE_LOGIN: Final = "densemem_service"
_TEMPLATE: Final = "densemem_template"
_numbers = itertools.count()


def start_server(stack: ExitStack) -> None:
    """Leave `ADMIN_URL` naming a server that holds a migrated template; the stack stops what was started."""
    if ADMIN_URL not in os.environ:
        memory = Path("/dev/shm")
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="densemem-tests-", dir=memory if memory.is_dir() else None)
        )
        server = stack.enter_context(
            start(Path(folder) / "data", durable=False, settings={"max_connections": "300"})
        )
        os.environ[ADMIN_URL] = server.conninfo()
        stack.callback(os.environ.pop, ADMIN_URL)
    with psycopg.connect(admin_url("postgres"), autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [SERVICE_LOGIN]).fetchall():
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN NOINHERIT").format(sql.Identifier(SERVICE_LOGIN))
            )
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(_TEMPLATE)))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_TEMPLATE)))
    migrate(admin_url(_TEMPLATE), role_prefix="densemem", service_login=SERVICE_LOGIN)


def admin_url(dbname: str) -> str:
    """Return the superuser's connection string for a database of the run's server."""
    return make_conninfo(os.environ[ADMIN_URL], dbname=dbname)


def service_url(dbname: str) -> str:
    """Return the connection string of the service's login, which is nobody until a role is set."""
    return make_conninfo(os.environ[ADMIN_URL], dbname=dbname, user=SERVICE_LOGIN)


def unruled_url(dbname: str) -> str:
    """Return the connection string of a superuser whom no trigger follows, whatever role it takes."""
    return make_conninfo(admin_url(dbname), options="-c session_replication_role=replica")


def create_database(*, empty: bool = False) -> str:
    """Make a private database, migrated unless `empty`, and return its name."""
    name = f"densemem_{os.getpid()}_{next(_numbers)}"
    template = "template1" if empty else _TEMPLATE
    with psycopg.connect(admin_url("postgres"), autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    return name


def drop_database(name: str) -> None:
    """Remove a private database, whoever is still connected."""
    with psycopg.connect(admin_url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
