"""The work of a round, and what it leaves: told in words, so that any two rounds can be compared."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from app.kernel.database import Database, Scope
from app.ledger.founding import found_team
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id
from tests.concurrency.ledger_checks import find_broken
from tests.concurrency.test_killed_workers import STORIES, submit_everything
from tests.cycles import make_pattern, queue_run


@dataclass(frozen=True, slots=True)
class End:
    """What a team has in the end: rows of each story, and the checks that they break."""

    told: Mapping[str, list[dict[str, Any]]]  # Rows.
    broken: Mapping[str, Any]  # Rows that should not be.


@dataclass(frozen=True, slots=True)
class Scenario:
    """`prepare` founds a team and gives it its work; `stories` tell what became of it."""

    name: str
    prepare: Callable[[Database], Awaitable[Caller]]
    stories: Mapping[str, LiteralString]

    async def read_end(self, database: Database, caller: Caller) -> End:
        """Return what the team has now."""
        told = {}
        async with database.reading(Scope("app", caller.team_id)) as reading:
            for title, statement in self.stories.items():
                told[title] = await reading.fetch_all(statement, {"team_id": caller.team_id})
        return End(told, await find_broken(database, caller.team_id))


async def queue_dream(database: Database) -> Caller:
    """Found a team that knows enough for one idea, and queue its run."""
    team_id = new_team_id()
    scope = Scope("app", team_id)
    await database.unit_of_work(scope, lambda w: found_team(w, team_id, team_id))
    profile = await database.unit_of_work(scope, lambda w: create_profile(w, team_id, "First"))
    caller = Caller(
        key_id="key_00000000000000000000000000",
        team_id=team_id,
        profile_id=profile.profile_id,
        scopes=frozenset({"read", "write", "operate"}),
        max_authority="authoritative",
    )
    await make_pattern(database, caller)
    await queue_run(database, caller)
    return caller


_DREAM_STORIES: Final[dict[str, LiteralString]] = {
    "runs": """
        SELECT status, reason, eligible, premises, groups, generated, rejected, deduplicated, reinforced, persisted
        FROM cycle_runs WHERE team_id = %(team_id)s AND trigger = 'manual'
    """,
    "hypotheses": """
        SELECT s.name AS subject, h.predicate_key, o.name AS object, h.status, h.row_version,
               (SELECT count(*) FROM hypothesis_sources AS x
                WHERE x.team_id = h.team_id AND x.hypothesis_id = h.id) AS sources,
               (SELECT array_agg(e.event ORDER BY e.id) FROM hypothesis_events AS e
                WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id) AS story
        FROM hypotheses AS h
        JOIN entities AS s ON s.team_id = h.team_id AND s.id = h.subject_entity_id
        JOIN entities AS o ON o.team_id = h.team_id AND o.id = h.object_entity_id
        WHERE h.team_id = %(team_id)s ORDER BY 1, 2, 3
    """,
    "positions": """
        SELECT predicate_key, count(*) AS positions, sum(version) AS versions FROM relationships
        WHERE team_id = %(team_id)s GROUP BY 1 ORDER BY 1
    """,
    "work": STORIES["work"],
}
PLACEMENT: Final = Scenario("placement", submit_everything, STORIES)
CYCLE: Final = Scenario("cycle", queue_dream, _DREAM_STORIES)
