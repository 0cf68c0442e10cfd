"""What a command prints: a table or lines for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Json = dict[str, Any]  # The shape of each answer is the API's; see openapi/densemem.json.


def print_json(answer: object) -> None:
    """Print one JSON document."""
    print(json.dumps(answer, ensure_ascii=False, indent=2, default=str))


def print_table(columns: Mapping[str, str], rows: Sequence[Json]) -> None:
    """Print rows under headings; `columns` maps a heading to the field that it shows."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in columns:
        table.add_column(heading, overflow="fold")
    for row in rows:
        # Text, not markup: names may hold brackets.
        table.add_row(*(Text(show(row.get(field))) for field in columns.values()))
    Console(highlight=False, soft_wrap=False).print(table)


def print_lines(*lines: str) -> None:
    """Print lines as they are."""
    for line in lines:
        print(line)


def show(value: object) -> str:
    """Return a value as people read it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)
