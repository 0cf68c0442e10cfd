"""Secrets from files, as containers are given theirs."""

from pathlib import Path

import pytest

from app.kernel.errors import SetupError
from app.kernel.secret_files import name_secret, read_secret_files
from app.kernel.settings import Settings


def test_each_secret_may_come_from_a_file(tmp_path: Path) -> None:
    secrets = {
        name: variable
        for name, field in Settings.model_fields.items()
        if (variable := name_secret(name, field)) is not None
    }
    assert set(secrets) >= {"database_url", "migration_database_url", "dreamer_database_url", "redis_url"}
    assert set(secrets) >= {"metrics_token", "key"}
    file = tmp_path / "secret"
    file.write_text("a value\n")
    environment = {f"{variable}_FILE": str(file) for variable in secrets.values()}
    settings = Settings(**read_secret_files(environment))  # type: ignore[arg-type]  # Every one is a secret.
    for name in secrets:
        assert getattr(settings, name).get_secret_value() == "a value"


def test_without_files_nothing_is_given() -> None:
    assert read_secret_files({"DATABASE_URL": "here"}) == {}


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xfe"])
def test_a_file_that_gives_no_secret_is_an_error_that_repeats_nothing(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SetupError) as refused:
        read_secret_files({"REDIS_URL_FILE": str(file)})
    assert "REDIS_URL_FILE" in str(refused.value)
    assert str(tmp_path) not in str(refused.value)


def test_both_ways_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="not both"):
        read_secret_files({"REDIS_URL_FILE": str(tmp_path), "REDIS_URL": "redis://here"})
