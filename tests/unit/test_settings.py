"""Every setting is documented as it is, and a wrong one is refused."""

from pathlib import Path

import pytest
from pydantic import AliasChoices, ValidationError
from pydantic.fields import FieldInfo

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


def test_connection_strings_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://densemem:hidden@127.0.0.1/densemem")
    assert "hidden" not in repr(Settings())
