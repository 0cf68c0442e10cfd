"""Moments and questions for the tests of recall as of then."""

import os
from datetime import UTC, datetime, timedelta
from typing import Final

from app.kernel.database import Database
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller

EXAMPLES: Final = int(os.environ.get("DENSEMEM_AS_OF_EXAMPLES", "1"))


INSTANT: Final = timedelta(microseconds=1)


DAYS: Final = [
    datetime(2010, 1, 1, tzinfo=UTC),
    datetime(2015, 6, 30, tzinfo=UTC),
    datetime(2020, 1, 1, tzinfo=UTC),
]


NAMES: Final = "FastAPI, Fast API, MIT, BSD, Starlette"


async def ask(
    database: Database, team: Caller, *, valid_at: datetime | None = None, known_at: datetime | None = None
) -> RecallAnswer:
    query = RecallQuery(NAMES, limit=50, hypothesis_limit=0, valid_at=valid_at, known_at=known_at)
    return await recall(database, team, query, now=datetime.now(UTC))
