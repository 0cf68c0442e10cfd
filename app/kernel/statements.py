"""Core statements, compiled once to SQL at import time.

Executing through SQLAlchemy costs three to nine times what psycopg needs for the same statement, so tables
are described by SQLAlchemy and statements are compiled here and run on psycopg. Values arrive by name:
`insert(Team).values(id=bindparam("id"))` is run with `{"id": …}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Executable
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler

_DIALECT = psycopg.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves dialects untyped.


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with `%(name)s` placeholders, and the constants that the statement itself brought along."""

    sql: bytes
    constants: Mapping[str, object]


def compiled(statement: Executable) -> Statement:
    """Return the statement as SQL for psycopg; call it at module level, not per request."""
    assert isinstance(statement, ClauseElement)
    result = statement.compile(dialect=_DIALECT)
    assert isinstance(result, SQLCompiler)
    constants = {name: value for name, value in result.params.items() if not result.binds[name].required}
    return Statement(str(result).encode(), constants)
