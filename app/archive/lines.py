"""The file of a team: JSON Lines. The first line says what it is, the last one that it is whole. Pure.

A line between them is `{"table":"<name>","row":{…}}`. A row's JSON is PostgreSQL's own text and is never parsed on
the way, so every number and every character comes back as it was.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from app.kernel.errors import InvalidInput
from app.kernel.ids import is_id

FORMAT: Final = "densemem-team"
FORMAT_VERSION: Final = 1
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
_START: Final = b'{"table":"'
_MIDDLE: Final = b'","row":'


@dataclass(frozen=True, slots=True)
class Header:
    """What the file is: whose rows, of which schema, of which moment (RFC 3339)."""

    team_id: str
    name: str
    revision: str
    exported_at: str


@dataclass(slots=True)
class Tally:
    """Rows by table and the digest of every byte so far; writer and reader keep one each."""

    counts: Counter[str] = field(default_factory=Counter)
    _digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, line: bytes, table: str | None = None) -> bytes:
        """Count the line, of the table if it is a row, and return it."""
        self._digest.update(line)
        if table is not None:
            self.counts[table] += 1
        return line

    def trailer(self) -> dict[str, object]:
        """Return what the last line must say."""
        counts = dict(sorted(self.counts.items()))
        return {
            "end": True,
            "rows": self.counts.total(),
            "counts": counts,
            "sha256": self._digest.hexdigest(),
        }


def write_header(header: Header) -> bytes:
    """Return the first line."""
    return _dump(
        {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "revision": header.revision,
            "team_id": header.team_id,
            "name": header.name,
            "exported_at": header.exported_at,
        }
    )


def write_row(table: str, row: str) -> bytes:
    """Return the line of one row; `row` is JSON in one line."""
    return b"".join((_START, table.encode(), _MIDDLE, row.encode(), b"}\n"))


def write_trailer(tally: Tally) -> bytes:
    """Return the last line."""
    return _dump(tally.trailer())


def read_header(file: BinaryIO, tally: Tally) -> Header:
    """Return what the file is, leaving it at its second line; InvalidInput for anything else than such a file."""
    line = _read_line(file)
    try:
        said = json.loads(line)
        if said["format"] != FORMAT:
            raise ValueError
        is_ours = said["version"] == FORMAT_VERSION
        header = Header(said["team_id"], said["name"], said["revision"], said["exported_at"])
        if not is_id(str(header.team_id), "team") or not isinstance(header.name, str):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise refuse_file("This is no exported team.") from None
    if not is_ours:
        raise refuse_file("The file is of another version of the format.")
    tally.add(line)
    return header


def read_rows(file: BinaryIO, tally: Tally) -> Iterator[tuple[str, bytes]]:
    """Give table and JSON of each row; the last step is reached only by a whole file.

    Raises:
        InvalidInput: the file was cut, changed, or goes on after its end.
    """
    while line := _read_line(file):
        if not line.startswith(_START):
            if line != write_trailer(tally) or file.read(1):
                raise refuse_file("The file was changed or does not end where it says.")
            return
        table, middle, row = line[len(_START) :].partition(_MIDDLE)
        if not middle or not row.endswith(b"}\n"):
            break
        tally.add(line, table.decode(errors="replace"))
        yield table.decode(errors="replace"), row[: -len(b"}\n")]
    raise refuse_file("The file was cut: its last line is missing.")


def _read_line(file: BinaryIO) -> bytes:
    line = file.readline(MAX_LINE_BYTES + 1)
    if len(line) > MAX_LINE_BYTES:
        raise refuse_file("A line of the file is longer than 64 MiB.")
    return line


def refuse_file(message: str) -> InvalidInput:
    """Return the refusal of a file."""
    return InvalidInput(message, code="archive_invalid")


def _dump(said: dict[str, object]) -> bytes:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
