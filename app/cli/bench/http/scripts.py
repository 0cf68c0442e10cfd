"""Recorded requests as scripts of pgbench: the very statements, with their values written out."""

import re
from collections.abc import Sequence
from typing import Final

import psycopg
from psycopg.types.json import JsonbDumper

from app.cli.bench.http.recording import Told
from app.kernel.backend import Backend

# Ids that a request makes: each run of its script needs others.
_NEW_ID: Final = re.compile(r"\b(ing|evd|cit)_[0-7][0-9A-HJKMNP-TV-Z]{25}")
_MAKES: Final = "INSERT INTO ingests"
_LEAST: Final = 10**17


def write_scripts(backend: Backend, requests: Sequence[Sequence[Told]]) -> list[str]:
    """Return the script of each request; one that makes ids needs pgbench's simple protocol.

    There alone variables are replaced inside of quoted values.
    """
    with psycopg.connect(backend.service_url) as connection:
        connection.adapters.register_dumper(dict, JsonbDumper)
        cursor = psycopg.ClientCursor(connection)
        return [_write(cursor, request) for request in requests]


def makes_ids(script: str) -> bool:
    """Say whether the script makes rows that no two runs may make alike."""
    return _MAKES in script


def _write(cursor: psycopg.ClientCursor[tuple[object, ...]], request: Sequence[Told]) -> str:
    text = "".join(cursor.mogrify(one.sql, one.params or None).strip() + ";\n" for one in request)
    if not makes_ids(text):
        return text
    drawn = []
    for place, row_id in enumerate(sorted({found[0] for found in _NEW_ID.finditer(text)})):
        drawn.append(f"\\set new_{place} random({_LEAST}, {10 * _LEAST - 1})\n")
        text = text.replace(row_id, f"{row_id.partition('_')[0]}_00000000:new_{place}")
    return "".join(drawn) + text
