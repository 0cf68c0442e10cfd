"""What `doctor` says of Redis."""

from app.coordination.doctor import diagnose_redis
from app.kernel.settings import Settings
from tests.redis_server import redis_server


def settings_for(url: str | None) -> Settings:
    return Settings.model_validate({"redis_url": url})


async def test_no_redis_is_no_fault() -> None:
    finding = await diagnose_redis(settings_for(None))
    assert finding.ok
    assert "PostgreSQL" in finding.detail


async def test_redis_is_well_while_it_can_be_written_to() -> None:
    with redis_server() as server:
        assert (await diagnose_redis(settings_for(server.url))).ok
        server.fill()
        full = await diagnose_redis(settings_for(server.url))
        server.kill()
        away = await diagnose_redis(settings_for(server.url))
    for finding in (full, away):
        assert not finding.ok
        assert finding.remedy


async def test_a_url_of_something_else_is_named_without_its_password() -> None:
    finding = await diagnose_redis(settings_for("https://:hunter2@example.org"))
    assert not finding.ok
    assert "REDIS_URL" in finding.detail
    assert "hunter2" not in f"{finding}"
