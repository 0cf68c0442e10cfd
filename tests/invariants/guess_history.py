"""Everything that the ledger of guesses holds of a team, and what of it must never change."""

from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Database, Row, Scope
from app.tenancy.callers import Caller
from tests.invariants.catalogue import GUESSES


@dataclass(frozen=True, slots=True)
class History:
    """Everything that the ledger of guesses holds of a team, by table."""

    rows: dict[str, list[Row]]

    def without_state(self) -> dict[str, list[Row]]:
        """Return what must never change: all but the columns in which the present state is kept."""
        return {
            table: [{name: row[name] for name in row if name not in STATE.get(table, ())} for row in rows]
            for table, rows in self.rows.items()
        }

    def starts_with(self, earlier: "History") -> bool:
        mine, theirs = self.without_state(), earlier.without_state()
        return all(mine[table][: len(theirs[table])] == theirs[table] for table in GUESSES)


STATE = {
    "hypotheses": (
        "status",
        "needs_reassessment",
        "row_version",
        "updated_at",
        "reinforced_at",
        "submission_is_open",
    ),
    # Which versions an earlier generation saw stays in its event.
    "hypothesis_sources": ("is_current", "version"),
}
HISTORY: dict[str, LiteralString] = {
    "hypotheses": "SELECT * FROM hypotheses WHERE team_id = %(team_id)s ORDER BY created_at, id",
    "hypothesis_sources": "SELECT * FROM hypothesis_sources WHERE team_id = %(team_id)s"
    " ORDER BY hypothesis_id, relationship_id",
    "hypothesis_events": "SELECT * FROM hypothesis_events WHERE team_id = %(team_id)s ORDER BY id",
    "hypothesis_submissions": "SELECT * FROM hypothesis_submissions WHERE team_id = %(team_id)s"
    " ORDER BY created_at, ingest_id",
}


async def read_history(database: Database, caller: Caller) -> History:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        params = {"team_id": caller.team_id}
        return History({table: await reading.fetch_all(HISTORY[table], params) for table in GUESSES})
