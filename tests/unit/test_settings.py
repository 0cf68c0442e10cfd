"""Every setting is documented as it is, and a wrong one is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import AliasChoices, ValidationError
from pydantic.fields import FieldInfo

from app.cli.context import read_settings
from app.cli.server import serve_until_signalled
from app.cli.worker import work_until_signalled
from app.kernel.errors import SetupError
from app.kernel.settings import Settings

PAGE = Path("docs/settings.md").read_text(encoding="utf-8")
SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def row_of(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    variable = alias.choices[0] if isinstance(alias, AliasChoices) else f"DENSEMEM_{name.upper()}"
    default = "unset" if field.default is None else f"`{field.default}`"
    bounds = ", ".join(
        f"{sign} {getattr(constraint, limit):g}"
        for constraint in field.metadata
        for limit, sign in SIGNS.items()
        if getattr(constraint, limit, None) is not None
    )
    return f"| `{variable}` | {default} | {bounds} | {field.description} |"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_setting_is_on_the_page_with_default_and_bounds(name: str) -> None:
    assert row_of(name, Settings.model_fields[name]) in PAGE


def test_page_names_no_setting_that_there_is_not() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(rows) == len(Settings.model_fields) <= 40


def test_wrong_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DENSEMEM_POOL_SIZE", "1")
    with pytest.raises(ValidationError):
        Settings()


NO_ADDRESSES = (
    "",
    "api.anthropic.com",
    "notaurl",
    "ftp://a",
    "https://",
    "https://a b",
    "http://gateway:PORT",
    "http://gateway:",
    "http://[::1",
    "http://[gateway]",
    "http://localhost:99999",
    "http://localhost:0",
    "http://localhost:-1",
    "http://a..b",
    "http://.",
    f"http://{'a' * 64}.com",
    "https://a/?model=b",
    "https://a#b",
    "https://a\x01",
    "https://a\n",
)


@pytest.mark.parametrize(
    "address", ["http://localhost:8080", "https://a.b/c/", "http://[::1]:80", "HTTPS://a."]
)
def test_an_address_of_the_provider_is_kept_as_it_is(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    assert Settings().anthropic_base_url == address


def test_a_wrong_address_of_the_provider_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://gateway:PORT")
    with pytest.raises(SetupError, match=r"ANTHROPIC_BASE_URL: .*a port that is none"):
        read_settings()


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_an_address_of_the_provider_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    "start", [lambda settings: serve_until_signalled(settings, with_worker=True), work_until_signalled]
)
def test_with_a_wrong_price_file_nothing_is_started(
    tmp_path: Path, start: Callable[[Settings], None]
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text("{}")
    with pytest.raises(SetupError, match="price file"):
        start(Settings.model_validate({"price_file": prices, "data_dir": tmp_path / "data"}))
    assert list(tmp_path.iterdir()) == [prices]


def test_connection_strings_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://densemem:hidden@127.0.0.1/densemem")
    assert "hidden" not in repr(Settings())
