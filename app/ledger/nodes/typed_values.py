"""Typed Values as rows: one per team, type, canonical spelling and unit."""

from collections.abc import Collection
from typing import LiteralString

from app.kernel.database import Reading, Writing
from app.kernel.ids import new_id
from app.ledger.vocabulary import TypedValue


async def find_or_create_values(
    w: Writing, team_id: str, values: Collection[TypedValue]
) -> dict[TypedValue, str]:
    """Return the id of each value's row, which is there afterwards."""
    distinct = sorted(set(values), key=lambda value: (value.value_type, value.canonical, value.unit))
    if not distinct:
        return {}
    params = {
        "team_id": team_id,
        "ids": [new_id("val") for _ in distinct],
        "types": [value.value_type for value in distinct],
        "canonical": [value.canonical for value in distinct],
        "units": [value.unit for value in distinct],
    }
    # A second statement, because the first does not see rows that another transaction was faster to insert.
    await w.execute(_INSERT, params)
    rows = await w.fetch_all(_SELECT, params)
    return {TypedValue(row["value_type"], row["canonical"], row["unit"]): row["id"] for row in rows}


async def get_value_text(reading: Reading, team_id: str, value_id: str) -> str:
    """Return a stored value as a sentence holds it."""
    row = await reading.fetch_one(_GET, {"team_id": team_id, "id": value_id})
    assert row is not None, "a position's value is stored"
    return value_text(TypedValue(row["value_type"], row["canonical"], row["unit"]))


def value_text(value: TypedValue) -> str:
    """Return the value as a sentence holds it: canonical form, then the unit."""
    return f"{value.canonical} {value.unit}".rstrip()


_GET: LiteralString = """
    SELECT value_type, canonical, unit FROM typed_values WHERE team_id = %(team_id)s AND id = %(id)s
"""
_INSERT: LiteralString = """
    INSERT INTO typed_values (team_id, id, value_type, canonical, unit)
    SELECT %(team_id)s, id, value_type, canonical, unit
    FROM unnest(%(ids)s::text[], %(types)s::text[], %(canonical)s::text[], %(units)s::text[])
         AS draft (id, value_type, canonical, unit)
    ON CONFLICT (team_id, value_type, canonical, unit) DO NOTHING
"""
_SELECT: LiteralString = """
    SELECT stored.id, stored.value_type, stored.canonical, stored.unit
    FROM unnest(%(types)s::text[], %(canonical)s::text[], %(units)s::text[])
         AS wanted (value_type, canonical, unit)
    JOIN typed_values AS stored
      ON stored.team_id = %(team_id)s AND stored.value_type = wanted.value_type
     AND stored.canonical = wanted.canonical AND stored.unit = wanted.unit
"""
