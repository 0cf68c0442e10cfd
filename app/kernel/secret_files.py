"""Secrets from files: `<VARIABLE>_FILE` names a file with the value, as containers are given theirs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

from app.kernel.errors import SetupError
from app.kernel.settings import Settings

SUFFIX: Final = "_FILE"


def read_secret_files(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets that files hold, by the names of their settings; one line end at the end is dropped.

    Raises:
        SetupError: a variable is given both ways, or its file can't be read or is empty. No value is repeated.
    """
    found = {}
    for name, field in Settings.model_fields.items():
        variable = name_secret(name, field)
        path = None if variable is None else environment.get(variable + SUFFIX)
        if variable is None or path is None:
            continue
        if variable in environment:
            raise SetupError(f"Set {variable} or {variable}{SUFFIX}, not both.", code="secret_given_twice")
        found[name] = _read(variable, Path(path))
    return found


def name_secret(name: str, field: FieldInfo) -> str | None:
    """Return the variable of a setting that is a secret; None for any other."""
    if SecretStr not in get_args(field.annotation):
        return None
    alias = field.validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"DENSEMEM_{name.upper()}"


def _read(variable: str, path: Path) -> str:
    try:
        value = path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"{variable}{SUFFIX} names a file that can't be read: {type(error).__name__}.",
            code="secret_file_unreadable",
        ) from None
    if not value:
        raise SetupError(f"{variable}{SUFFIX} names an empty file.", code="secret_file_empty")
    return value
