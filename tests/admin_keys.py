"""Admin keys, which only the owner makes, for tests that hold a database as the service does."""

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.tenancy.keys import NewKey, create_admin_key
from tests.databases import admin_url


async def make_admin_key(database: Database) -> NewKey:
    """Make an admin key in the same database, by the login that migrates."""
    async with database.reading(Scope("app")) as reading:
        row = await reading.fetch_one("SELECT current_database() AS name")
    assert row is not None
    owner = Database(Settings.model_validate({"pool_size": 2}), url=admin_url(row["name"]))
    await owner.open()
    try:
        return await owner.unit_of_work(Scope("owner"), create_admin_key)
    finally:
        await owner.close()
