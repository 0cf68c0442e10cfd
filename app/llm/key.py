"""Finding the API key: read when it is needed, so that a rotated one counts at the next call.

It comes from ANTHROPIC_API_KEY, or from the file that ANTHROPIC_API_KEY_FILE names: the bare key, a line
`ANTHROPIC_API_KEY=…`, or a folder with exactly one such file. What is wrong is said without the key.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

KEY_VARIABLE: Final = "ANTHROPIC_API_KEY"
FILE_VARIABLE: Final = "ANTHROPIC_API_KEY_FILE"
MAX_FILE_BYTES: Final = 4_096
_PRINTABLE: Final = re.compile(r"[\x21-\x7e]{8,512}")


@dataclass(frozen=True, slots=True)
class Key:
    """A key and where it was found. It never shows itself."""

    secret: str
    source: str

    def __repr__(self) -> str:
        return f"Key(source={self.source!r})"


@dataclass(frozen=True, slots=True)
class NoKey:
    """There is no key that could be used. `fault` is None when none is configured, else says what is wrong."""

    fault: str | None = None


def find_key(environment: Mapping[str, str] | None = None) -> Key | NoKey:
    """Return the key that is configured now; the variable outweighs the file."""
    environment = os.environ if environment is None else environment
    if given := environment.get(KEY_VARIABLE, "").strip():
        return _check(given, KEY_VARIABLE)
    if named := environment.get(FILE_VARIABLE, "").strip():
        return _read_file(Path(named))
    return NoKey()


def _read_file(path: Path) -> Key | NoKey:
    try:
        if path.is_dir():
            files = [
                each for each in sorted(path.iterdir()) if each.is_file() and not each.name.startswith(".")
            ]
            if len(files) != 1:
                return NoKey(f"{FILE_VARIABLE} names a folder with {len(files)} files; it needs exactly one.")
            path = files[0]
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return NoKey(f"{FILE_VARIABLE} can't be read: {error.strerror}.")
    if len(content) > MAX_FILE_BYTES:
        return NoKey(f"The file of {FILE_VARIABLE} is too long to be a key.")
    try:
        lines = [line.strip() for line in content.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        return NoKey(f"The file of {FILE_VARIABLE} is not text.")
    lines = [line for line in lines if line and not line.startswith("#")]
    named = [line for line in lines if line.removeprefix("export ").startswith(f"{KEY_VARIABLE}=")]
    if named:
        return _check(named[0].partition("=")[2].strip().strip("\"'"), FILE_VARIABLE)
    if len(lines) != 1:
        return NoKey(f"The file of {FILE_VARIABLE} holds {len(lines)} lines and none is {KEY_VARIABLE}=….")
    return _check(lines[0], FILE_VARIABLE)


def _check(text: str, source: str) -> Key | NoKey:
    # Anything else would break the header that carries it, and the error would quote it.
    if not _PRINTABLE.fullmatch(text) or "=" in text[:20]:
        return NoKey(f"What {source} holds does not look like a key.")
    return Key(text, source)
