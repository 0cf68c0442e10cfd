"""The worker's step for one team, done here and now, so that no test waits for a worker."""

from typing import LiteralString

from app.hypotheses.echo import EchoIndex
from app.kernel.database import Database, Scope
from app.queue.leases import Lease
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.pipeline import place_ingest
from app.review.submissions import settle_submissions
from app.tenancy.callers import Caller


async def place_all(database: Database, caller: Caller) -> None:
    """Leave everything that the caller's team has submitted placed."""
    scope = Scope("app", caller.team_id)
    rows = await database.unit_of_work(
        scope, lambda writing: writing.fetch_all(_LEASE, {"team_id": caller.team_id})
    )
    for row in rows:
        await place_ingest(database, Lease(**row), verifier=LexicalVerifier(), echo=EchoIndex().is_echo)
        await database.unit_of_work(scope, lambda writing: settle_submissions(writing, caller.team_id))


# A worker leases whatever is due; a test must leave other tests' teams alone.
_LEASE: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, worker = 'test', lease_expires_at = clock_timestamp() + interval '1 minute'
    WHERE team_id = %(team_id)s AND kind = 'placement' AND finished_at IS NULL AND worker IS NULL
    RETURNING team_id, kind, item_id, epoch, attempt, worker
"""
