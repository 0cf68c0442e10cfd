"""Whether evidence merely says a Hypothesis of the team again: the answer to the port that `remember` asks.

Statements are folded once a team and kept until the team has a new or reinforced Hypothesis, since a placement
asks once for each Relationship. What is kept is bounded in both directions.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, LiteralString

from app.hypotheses.independence import FoldedStatements, fold_statements
from app.kernel.aside import work_aside
from app.kernel.database import Reading

MAX_HYPOTHESES: Final = 20_000
MAX_TEAMS: Final = 32
# In code points, of all quotes together; what is longer is looked at beside the event loop.
LONGEST_AT_ONCE: Final = 8_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """Statements of one team, as of a stamp that changes whenever one of them does."""

    stamp: tuple[object, ...]
    statements: FoldedStatements


@dataclass(slots=True)
class EchoIndex:
    """Folded statements and rationales of the teams asked for last. One per worker process."""

    _teams: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)

    async def is_echo(self, reading: Reading, team_id: str, quotes: Sequence[str]) -> bool:
        """Return whether one of the quotes restates a statement or rationale of the team, or strings several.

        The newest 20 000 Hypotheses count, in whatever state they are: a rejected guess said again is still a
        guess. Source: Design, section 4 step 5.
        """
        if not quotes:
            return False
        statements = await self._statements(reading, team_id)
        if sum(map(len, quotes)) <= LONGEST_AT_ONCE:
            return _is_among(statements, quotes)
        return await work_aside(_is_among, statements, quotes)

    async def _statements(self, reading: Reading, team_id: str) -> FoldedStatements:
        row = await reading.fetch_one(_STAMP, {"team_id": team_id})
        assert row is not None
        stamp = (row["count"], row["moments"])
        kept = self._teams.pop(team_id, None)
        if kept is None or kept.stamp != stamp:
            rows = await reading.fetch_all(_TEXTS, {"team_id": team_id, "limit": MAX_HYPOTHESES})
            texts = [text for row in rows for text in (row["statement"], row["rationale"])]
            kept = _Kept(stamp, await work_aside(fold_statements, texts))
        self._teams[team_id] = kept
        if len(self._teams) > MAX_TEAMS:
            self._teams.popitem(last=False)
        return kept.statements


def _is_among(statements: FoldedStatements, quotes: Sequence[str]) -> bool:
    return any(statements.restated_by(quote) or statements.strung_together_by(quote) for quote in quotes)


# A statement never changes, and a rationale only when a generation reinforces it. The sum, unlike the newest
# moment, also tells of a transaction that ended after one that began later.
_STAMP: LiteralString = """
    SELECT count(*), sum(extract(epoch FROM reinforced_at)) AS moments
    FROM hypotheses WHERE team_id = %(team_id)s
"""
_TEXTS: LiteralString = """
    SELECT statement, rationale FROM hypotheses
    WHERE team_id = %(team_id)s ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""
