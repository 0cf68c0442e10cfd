"""Submissions that something is to be placed of and nobody will: found, and made due again.

The work item of a submission ends in the transaction that places all of it, so no code of ours leaves one behind.
A hand in the database could, and a client would wait for ever. A worker goes from team to team and looks.
"""

from typing import Final, LiteralString

from app.kernel.database import Database, Scope, Writing
from app.queue.leases import enqueue, lock_item, reopen
from app.remember.intake import PLACEMENT

TEAMS_AT_ONCE: Final = 100
INGESTS_AT_ONCE: Final = 100


async def reopen_overlooked(database: Database, *, after: str = "") -> str | None:
    """Leave due what is overlooked of the next 100 teams by id, at most 100 submissions of each.

    Returns:
        The last team looked at, where the next call goes on; None: there are no more.
    """
    async with database.reading(Scope("app")) as reading:
        rows = await reading.fetch_all(_TEAMS, {"after": after, "limit": TEAMS_AT_ONCE})
    for row in rows:
        team_id: str = row["id"]
        async with database.reading(Scope("app", team_id)) as reading:
            found = await reading.fetch_all(_OVERLOOKED, {"team_id": team_id, "limit": INGESTS_AT_ONCE})
        for ingest in found:
            await _reopen_apart(database, team_id, ingest["id"])
    return rows[-1]["id"] if len(rows) == TEAMS_AT_ONCE else None


async def _reopen_apart(database: Database, team_id: str, ingest_id: str) -> None:
    async def make_due(w: Writing) -> None:
        await lock_item(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)
        # Whoever held the item may have placed it since.
        row = await w.fetch_one(_STANDING, {"team_id": team_id, "ingest_id": ingest_id})
        if row is None:
            return
        if row["has_item"]:
            await reopen(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)
        else:
            await enqueue(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)

    await database.unit_of_work(Scope("app", team_id), make_due)


_TEAMS: LiteralString = """
    SELECT id FROM teams WHERE id > %(after)s AND closed_at IS NULL ORDER BY id LIMIT %(limit)s
"""
# What awaits a review is open, and its work has ended in order. `finished_at IS NULL` would invite the queue's
# partial index, where one item is looked up by its key.
_OVERLOOKED: LiteralString = """
    SELECT ingests.id FROM ingests
    WHERE team_id = %(team_id)s AND finished_at IS NULL AND processing_state IN ('queued', 'processing')
      AND NOT EXISTS (
          SELECT FROM work_items AS item
          WHERE item.team_id = ingests.team_id AND item.kind = 'placement' AND item.item_id = ingests.id
            AND coalesce(item.finished_at, 'infinity') = 'infinity')
    ORDER BY id LIMIT %(limit)s
"""
_STANDING: LiteralString = """
    SELECT item.item_id IS NOT NULL AS has_item
    FROM ingests LEFT JOIN work_items AS item
      ON item.team_id = ingests.team_id AND item.kind = 'placement' AND item.item_id = ingests.id
    WHERE ingests.team_id = %(team_id)s AND ingests.id = %(ingest_id)s
      AND ingests.finished_at IS NULL AND processing_state IN ('queued', 'processing')
"""
