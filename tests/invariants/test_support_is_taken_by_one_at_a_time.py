"""Who takes support from a position waits for whoever else takes from it or is about to rest on it.

Each would leave what is in order as far as it sees; only together they would leave what nothing supports.
"""

from typing import LiteralString

import pytest
from psycopg import sql

from app.kernel.database import Database
from tests.conftest import MakeTeam
from tests.integration.submissions import remember, state
from tests.invariants.attempts import acting_as
from tests.invariants.attempts_on_supports import (
    change_position,
    evidence_of,
    meanwhile,
    quarantine_evidence_of,
    retract_evidence_of,
    turn_support,
)


@pytest.mark.parametrize("taking", [retract_evidence_of("Held"), turn_support("Held", "false", "revoked")])
async def test_who_takes_away_waits_for_who_is_about_to_rest_on_it(
    database: Database, database_name: str, make_team: MakeTeam, taking: LiteralString
) -> None:
    caller = await make_team()
    await remember(database, caller, state("Held", "uses", "Engine", source_group="docs"))
    with acting_as(database_name, "app", caller.team_id) as connection:
        connection.execute(
            sql.SQL(change_position("Held", "status = 'needs_review'", "source_lost")).format()
        )
        connection.commit()
    back = change_position("Held", "status = 'active'", "became_active")
    assert meanwhile(database_name, caller, [back], [taking]) == "LockNotAvailable"
    assert meanwhile(database_name, caller, [taking], [back]) == "LockNotAvailable"


def _of_the_newest(taking: LiteralString) -> LiteralString:
    """Take away the newest where the statement says the oldest."""
    return taking.replace("min(c", "max(c")


REPLACE_SOURCE: LiteralString = (
    "WITH replaced AS (UPDATE source_revisions AS v SET is_current = false FROM evidence AS e WHERE e.id = "
    + evidence_of("Held")
    + " AND (v.source_id, v.revision) = (e.source_id, e.source_revision) RETURNING v.*)"
    " INSERT INTO source_revisions (team_id, source_id, revision, is_current)"
    " SELECT team_id, source_id, '2', true FROM replaced"
)
TAKINGS: tuple[LiteralString, ...] = (
    retract_evidence_of("Held"),
    quarantine_evidence_of("Held"),
    turn_support("Held", "false", "revoked"),
    REPLACE_SOURCE,
)


@pytest.mark.parametrize("one", TAKINGS)
@pytest.mark.parametrize("other", TAKINGS)
async def test_two_that_take_away_wait_for_each_other(
    database: Database, database_name: str, make_team: MakeTeam, one: LiteralString, other: LiteralString
) -> None:
    """What each leaves rests on what the other takes."""
    caller = await make_team()
    for key in ("a", "b"):
        text = f"Held uses Engine: {key}."
        held = state(
            "Held", "uses", "Engine", text=text, source_key=key, source_revision="1", source_group="docs"
        )
        await remember(database, caller, held)
    assert meanwhile(database_name, caller, [one], [_of_the_newest(other)]) == "LockNotAvailable"
