"""The door over the shared database; each test signs in with keys of its own team."""

import pytest

from app.api.app import create_app
from app.kernel.database import Database
from app.kernel.settings import Settings
from tests.api.client import Api


@pytest.fixture(scope="session")
def api(database: Database, settings: Settings) -> Api:
    return Api(create_app(database, settings), database)
