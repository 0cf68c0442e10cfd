"""What the ledger and the sweep do to a Hypothesis in every state: the lifecycle's table, and nothing else."""

from datetime import timedelta
from typing import get_args

import pytest

from app.hypotheses.lifecycle import ALLOWED, HypothesisStatus, SystemEvent
from app.hypotheses.sweep import sweep_team
from app.kernel.database import Database, Scope
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.case_factories import make_review
from tests.cycles import read_hypotheses
from tests.factories import Position, change_relationship, make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis, set_status
from tests.integration.submissions import rows
from tests.moments import NOW

STATUSES: tuple[HypothesisStatus, ...] = get_args(HypothesisStatus)
EVENTS: tuple[SystemEvent, ...] = ("source_lost", "target_active", "target_contradicted", "retention_expired")
LAST_EVENT = (
    "SELECT * FROM hypothesis_events WHERE team_id = %(team_id)s AND actor_kind <> 'client' ORDER BY id"
)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("status", STATUSES)
async def test_every_state_takes_exactly_the_ledgers_events_of_the_table(
    database: Database, team: Caller, status: HypothesisStatus, event: SystemEvent
) -> None:
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Starlette", "AnyIO")]
    source = await make_relationship(database, team, ends[0], "depends_on", ends[1])
    edge = Edge(ends[0], "uses", ends[2])
    hypothesis_id = await make_hypothesis(database, team, edge, [source])
    await set_status(database, team, hypothesis_id, status)
    scope = Scope("dreamer", team.team_id)
    if event == "source_lost":
        await change_relationship(database, team, source.relationship_id, status="retracted")
    elif event == "retention_expired":
        sql = "UPDATE hypotheses SET reinforced_at = %(at)s WHERE status NOT IN ('submitted', 'rejected')"
        await database.unit_of_work(scope, lambda w: w.execute(sql, {"at": NOW - timedelta(days=91)}))
    else:
        position = Position(polarity="+" if event == "target_active" else "-")
        await make_relationship(database, team, ends[0], "uses", ends[2], position)
    await database.unit_of_work(scope, lambda w: sweep_team(w, team.team_id, after="", now=NOW))

    after = ALLOWED.get((status, event))
    [row] = await read_hypotheses(database, team)
    assert row["status"] == (after or status)
    told = [
        (one["event"], one["from_status"], one["to_status"]) for one in await rows(database, team, LAST_EVENT)
    ]
    assert told == [("accepted", None, "proposed"), *([] if after is None else [(event, status, after)])]


async def test_what_only_shares_an_end_or_changes_a_source_harmlessly_stales_nothing(
    database: Database, team: Caller
) -> None:
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Starlette", "AnyIO", "Trio")]
    source = await make_relationship(database, team, ends[0], "depends_on", ends[1])
    await make_hypothesis(database, team, Edge(ends[0], "uses", ends[2]), [source])
    for subject, key, other in (
        (ends[0], "uses", ends[3]),
        (ends[3], "uses", ends[2]),
        (ends[2], "uses", ends[0]),
        (ends[0], "depends_on", ends[2]),
    ):
        await make_relationship(database, team, subject, key, other)
    await make_relationship(database, team, ends[0], "uses", ends[2], Position(scope="tests"))
    neighbour = await make_relationship(database, team, ends[1], "uses", ends[3])
    await change_relationship(database, team, neighbour.relationship_id, status="retracted")
    await change_relationship(database, team, source.relationship_id, tier="fact", effect="harmless")
    await make_review(database, team)
    await database.unit_of_work(
        Scope("dreamer", team.team_id), lambda w: sweep_team(w, team.team_id, after="", now=NOW)
    )
    assert [row["status"] for row in await read_hypotheses(database, team)] == ["proposed"]
