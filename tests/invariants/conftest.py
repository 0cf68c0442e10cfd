"""The HTTP door over the shared database, and a login of the dreamer's own: two ways to try what is forbidden."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from app.api.app import create_app
from app.kernel.database import Database
from app.kernel.settings import Settings
from tests.api.client import Api
from tests.databases import admin_url, service_url


@pytest.fixture(scope="session")
def api(database: Database, settings: Settings) -> Api:
    return Api(create_app(database, settings), database)


@pytest.fixture
def dreamers_url(database_name: str) -> Iterator[str]:
    """A login that may become the dreamer and nobody else, as DREAMER_DATABASE_URL names one."""
    login = sql.Identifier(f"{database_name}_dreamer_login")
    with psycopg.connect(admin_url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT").format(login))
        connection.execute(sql.SQL("GRANT densemem_dreamer TO {}").format(login))
        yield make_conninfo(service_url(database_name), user=f"{database_name}_dreamer_login")
        connection.execute(sql.SQL("DROP ROLE {}").format(login))
