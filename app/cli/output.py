"""What a command prints: a table or lines for people, JSON for programs."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.llm.words import is_unseen, write_out

UNBOUNDED_WIDTH: Final = 500
Json = dict[str, Any]  # The shape of each answer is the API's; see openapi/densemem.json.


def print_json(answer: object) -> None:
    """Print one JSON document."""
    # JSON itself escapes no more than the oldest of the control characters.
    print(write_out(json.dumps(answer, ensure_ascii=False, indent=2, default=str)))


def print_table(columns: Mapping[str, str], rows: Sequence[Json]) -> None:
    """Print rows under headings; `columns` maps a heading to the field that it shows."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, field in columns.items():
        # An id or a time that is cut in two cannot be copied.
        is_whole = field.endswith(("_id", "_at"))
        table.add_column(heading, overflow="ignore" if is_whole else "fold", no_wrap=is_whole)
    for row in rows:
        # Text, not markup: names may hold brackets.
        table.add_row(*(Text(show(row.get(field))) for field in columns.values()))
    # Another program's line is as long as it needs to be.
    width = None if sys.stdout.isatty() else UNBOUNDED_WIDTH
    Console(highlight=False, width=width).print(table)


def print_lines(*lines: str) -> None:
    """Print each on a line of its own, whatever stands in it."""
    for line in lines:
        print(make_visible(line))


def print_error(line: str) -> None:
    """Print it on standard error; a server's log in it keeps its lines."""
    print("\n".join(map(make_visible, line.split("\n"))), file=sys.stderr)


def show(value: object) -> str:
    """Return a value as people read it, and as they would write it: no notation of a programming language."""
    match value:
        case None:
            return "–"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.2f}"
        case list():
            return ", ".join(map(show, value)) or show(None)
        case dict():
            return "; ".join(f"{show(name)}={show(inner)}" for name, inner in value.items()) or show(None)
        case _:
            return make_visible(str(value))


def make_visible(text: str) -> str:
    """Return the text with what a terminal obeys or hides written out: a name, or a model, may have said it."""
    return "".join(repr(one)[1:-1] if is_unseen(one) else one for one in text)
