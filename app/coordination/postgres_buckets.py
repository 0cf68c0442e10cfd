"""Buckets in PostgreSQL: one short transaction takes a block."""

from typing import LiteralString

from app.coordination.buckets import Grant, Limit
from app.kernel.database import Database, Scope


class PostgresBuckets:
    """The instance's buckets in the table `rate_buckets`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, name: str, limit: Limit) -> Grant:
        """Take up to a block in a transaction of its own."""
        params = {"name": name, "burst": limit.burst, "rate": limit.per_second, "block": limit.block}
        row = await self._database.unit_of_work(Scope("app"), lambda w: w.fetch_one(_TAKE, params))
        assert row is not None
        return Grant(row["granted"], max(0.0, 1 - row["tokens"]) / limit.per_second)


# The row's lock makes takers of one bucket queue; those of others never meet. `greatest` on the time: whoever
# waited for the row began earlier than the one before it, and must not refill the same seconds twice.
_TAKE: LiteralString = """
    INSERT INTO rate_buckets AS bucket (name, tokens, granted, refilled_at)
    VALUES (%(name)s, %(burst)s - least(%(block)s, %(burst)s), least(%(block)s, %(burst)s), statement_timestamp())
    ON CONFLICT (name) DO UPDATE SET (tokens, granted, refilled_at) = (
        SELECT filled.tokens - least(%(block)s, floor(filled.tokens)), least(%(block)s, floor(filled.tokens)),
               greatest(bucket.refilled_at, statement_timestamp())
        FROM (SELECT least(%(burst)s, bucket.tokens + %(rate)s * greatest(
                  0, extract(epoch FROM statement_timestamp() - bucket.refilled_at))::float8) AS tokens) AS filled
    )
    RETURNING granted, tokens
"""
