"""Bringing a database up to date: roles first, then the numbered migrations as the owner."""

from pathlib import Path
from typing import Final

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from app.kernel.errors import SetupError, Unavailable
from app.kernel.roles import PREPARATION_LOCK, ensure_roles, offer_vectors

MINIMUM_SERVER_VERSION: Final = 150000


def migrations_folder() -> Path:
    """Return where the migrations lie: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_migrations"
    return installed if installed.exists() else package.parent / "migrations"


def migrate(admin_url: str, *, role_prefix: str, service_login: str, revision: str = "head") -> None:
    """Leave roles and tables at `revision`; safe to be run by many processes at once.

    Args:
        admin_url: libpq connection string of a login that may create roles, or that was given them.
        service_login: the login that the service will use.

    Raises:
        SetupError: too old a server, or missing privileges; the message says how to mend it.
        Unavailable: no server answers.
    """
    try:
        connection = psycopg.connect(admin_url, autocommit=True)
    except psycopg.OperationalError as error:
        raise Unavailable("PostgreSQL does not answer.", code="database_unavailable") from error
    with connection:
        if connection.info.server_version < MINIMUM_SERVER_VERSION:
            raise SetupError("PostgreSQL 15 or newer is needed.", code="server_too_old")
        connection.execute("SELECT pg_advisory_lock(%s)", [PREPARATION_LOCK])
        ensure_roles(connection, prefix=role_prefix, service_login=service_login)
        offer_vectors(connection)
        # The lock stays with this session while the migrations run on a second one.
        run_migrations(admin_url, role_prefix=role_prefix, revision=revision)


def is_current(url: str, *, role_prefix: str) -> bool:
    """Say whether the schema is at the newest revision, as a login sees it that may become the application."""
    try:
        with psycopg.connect(url) as connection:
            connection.execute("SELECT set_config('role', %s, true)", [f"{role_prefix}_app"])
            rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    except psycopg.OperationalError as error:
        raise Unavailable("PostgreSQL does not answer.", code="database_unavailable") from error
    except psycopg.Error:
        # No such role, no such table, no right to it: all mean that the database is not prepared.
        return False
    return rows == [(head_revision(),)]


def run_migrations(admin_url: str, *, role_prefix: str, revision: str = "head") -> None:
    """Upgrade to `revision` as the owner role; the roles exist."""
    command.upgrade(alembic_config(admin_url, role_prefix=role_prefix), revision)


def alembic_config(admin_url: str, *, role_prefix: str) -> Config:
    """Return Alembic's configuration without any file: the URL never reaches disk or log."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    config.attributes["url"] = admin_url
    config.attributes["role_prefix"] = role_prefix
    return config


def known_revisions() -> frozenset[str]:
    """Return every revision that this code knows."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    return frozenset(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())


def head_revision() -> str:
    """Return the newest revision that this code knows."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    head = ScriptDirectory.from_config(config).get_current_head()
    assert head is not None
    return head
