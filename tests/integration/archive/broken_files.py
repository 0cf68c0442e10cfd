"""Files of a team that are not as an export writes them."""

import json
from collections.abc import Callable
from typing import Any

from app.archive.lines import Tally, write_row, write_trailer

Row = dict[str, Any]  # One row as the file has it.


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def without_last_line(content: bytes) -> bytes:
    return content[: content.rstrip(b"\n").rfind(b"\n") + 1]


def without_a_row(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def changed(content: bytes) -> bytes:
    return content.replace(b"Library 1", b"Library X")


def resealed(edit: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    """Return how to edit the lines of a file by a hand that writes the last line anew."""

    def spoil(content: bytes) -> bytes:
        tally = Tally()
        for number, line in enumerate(lines := edit(content.splitlines(keepends=True)[:-1])):
            table = line.split(b'"', 4)[3].decode() if number else None
            tally.add(line, table)
        return b"".join([*lines, write_trailer(tally)])

    return spoil


def with_header(**said: object) -> Callable[[bytes], bytes]:
    return resealed(lambda lines: [json.dumps(json.loads(lines[0]) | said).encode() + b"\n", *lines[1:]])


def with_team(**columns: object) -> Callable[[bytes], bytes]:
    def edit(lines: list[bytes]) -> list[bytes]:
        place, row = find(lines, "teams")
        return [*lines[:place], write_row("teams", json.dumps(row | columns)), *lines[place + 1 :]]

    return resealed(edit)


def with_more(table: str, **columns: object) -> Callable[[bytes], bytes]:
    """Return how to add a copy of the table's first row with other columns."""

    def edit(lines: list[bytes]) -> list[bytes]:
        place, row = find(lines, table)
        return [*lines[:place], write_row(table, json.dumps(row | columns)), *lines[place:]]

    return resealed(edit)


def with_line(row: bytes) -> Callable[[bytes], bytes]:
    return resealed(lambda lines: [*lines[:2], b'{"table":"profiles","row":' + row + b"}\n", *lines[2:]])


def without_team(lines: list[bytes]) -> list[bytes]:
    place, _ = find(lines, "teams")
    return lines[:place] + lines[place + 1 :]


def find(lines: list[bytes], table: str) -> tuple[int, Row]:
    rows = enumerate(json.loads(line) for line in lines)
    return next((place, line["row"]) for place, line in rows if line.get("table") == table)
