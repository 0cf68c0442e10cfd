"""How PostgreSQL carries a statement out, and how much of the database it touches for that."""

import re
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql


def explain(
    connection: psycopg.Connection[tuple[Any, ...]],
    query: str,
    values: Mapping[str, object],
    *,
    carries_out: bool = True,
) -> str:
    """Return the plan of the statement, carried out or not; what it writes is undone."""
    # A statement of psycopg's, with its names for parameters, as one of PostgreSQL's.
    used = [name for name in values if f"%({name})s" in query]
    numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${used.index(found[1]) + 1}", query).replace("%%", "%")
    how = sql.SQL(
        "EXPLAIN (ANALYZE, BUFFERS) EXECUTE statement" if carries_out else "EXPLAIN EXECUTE statement"
    )
    with connection.transaction(force_rollback=True):
        connection.execute(f"PREPARE statement AS {numbered}".encode())
        arguments = sql.SQL(", ").join(sql.Literal(values[name]) for name in used)
        called = sql.SQL("({})").format(arguments) if used else sql.SQL("")
        rows = connection.execute(how + called).fetchall()
        connection.execute("DEALLOCATE statement")
    return "\n".join(row[0] for row in rows)


def blocks(plan: str) -> int:
    """Return how many blocks the whole statement touched: the first line of buffers is the top node's."""
    found = re.search(r"Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?", plan)
    return 0 if found is None else sum(int(number or 0) for number in found.groups())
