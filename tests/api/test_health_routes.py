"""What is open to everybody."""

import psycopg

from app.api.app import build_openapi, create_app
from app.kernel.database import Database
from app.kernel.settings import Settings
from tests.api.client import Api
from tests.databases import admin_url, create_database, drop_database, service_url


async def test_a_living_process_is_alive_and_ready(api: Api) -> None:
    client = api.anonymous()
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    ready = await client.get("/readyz")
    assert ready.status_code == 200
    expected = {"status": "ready", "database": "ok", "migrations": "ok", "degraded": []}
    assert ready.json() == expected


async def test_a_process_with_another_schema_is_not_ready(settings: Settings) -> None:
    name = create_database()
    with psycopg.connect(admin_url(name), autocommit=True) as admin:
        admin.execute("UPDATE alembic_version SET version_num = '0001'")
    database = Database(settings, url=service_url(name))
    await database.open()
    ready = await Api(create_app(database, settings), database).anonymous().get("/readyz")
    await database.close()
    drop_database(name)
    assert (ready.status_code, ready.json()["migrations"]) == (503, "behind")


async def test_a_process_goes_on_while_a_newer_one_takes_over(settings: Settings) -> None:
    name = create_database()
    with psycopg.connect(admin_url(name), autocommit=True) as admin:
        admin.execute("UPDATE alembic_version SET version_num = '9999'")
    database = Database(settings, url=service_url(name))
    await database.open()
    ready = await Api(create_app(database, settings), database).anonymous().get("/readyz")
    await database.close()
    drop_database(name)
    assert (ready.status_code, ready.json()["migrations"]) == (200, "ahead")
    assert [part["code"] for part in ready.json()["degraded"]] == ["schema_is_newer"]


async def test_a_process_without_its_database_is_alive_and_not_ready() -> None:
    settings = Settings.model_validate({"pool_timeout_seconds": 0.1})
    nowhere = Database(settings, url="host=/nonexistent dbname=nowhere")
    client = Api(create_app(nowhere, settings), nowhere).anonymous()
    assert (await client.get("/healthz")).status_code == 200
    ready = await client.get("/readyz")
    assert (ready.status_code, ready.json()["database"]) == (503, "unavailable")


async def test_the_contract_is_served(api: Api) -> None:
    assert (await api.anonymous().get("/openapi.json")).json() == build_openapi()
