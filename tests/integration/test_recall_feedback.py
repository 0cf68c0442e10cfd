"""Opinions on answers of recall: recorded, checked, and read by nothing that decides."""

from typing import LiteralString

import psycopg
import pytest

from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput
from app.kernel.ids import new_id
from app.recall.feedback import RecallFeedback, Recorded, record_feedback
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.factories import make_entity, make_relationship

_KEPT: LiteralString = """
    SELECT rating, useful_ids, wrong_ids, comment, profile_id FROM recall_feedback WHERE team_id = %(team_id)s
"""


async def _record(database: Database, caller: Caller, feedback: RecallFeedback) -> Recorded:
    scope = Scope("app", caller.team_id)
    return await database.unit_of_work(scope, lambda writing: record_feedback(writing, caller, feedback))


async def _relationship(database: Database, caller: Caller) -> str:
    subject_id, object_id = [await make_entity(database, caller, name) for name in ("FastAPI", "Starlette")]
    made = await make_relationship(database, caller, subject_id, "depends_on", object_id)
    return made.relationship_id


async def test_an_opinion_is_kept_with_its_author(database: Database, team: Caller) -> None:
    relationship_id = await _relationship(database, team)
    recorded = await _record(
        database,
        team,
        RecallFeedback(new_id("rec"), "partly", useful_ids=[relationship_id], comment="One of three."),
    )
    async with database.reading(Scope("app", team.team_id)) as reading:
        rows = await reading.fetch_all(_KEPT, {"team_id": team.team_id})
    assert recorded.feedback_id.startswith("rfb_")
    assert rows == [
        {
            "rating": "partly",
            "useful_ids": [relationship_id],
            "wrong_ids": [],
            "comment": "One of three.",
            "profile_id": team.profile_id,
        }
    ]


async def test_what_the_team_can_not_see_can_not_be_judged(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    foreign = await _relationship(database, await make_team())
    own = await _relationship(database, team)
    for wrong in (foreign, new_id("rel"), "nothing", ""):
        with pytest.raises(InvalidInput) as refusal:
            await _record(database, team, RecallFeedback(new_id("rec"), "unhelpful", wrong_ids=[own, wrong]))
        assert [(error.field, error.code) for error in refusal.value.errors] == [
            ("wrong_ids.1", "unknown_id")
        ]


async def test_an_opinion_can_not_contradict_itself_or_be_about_nothing(
    database: Database, team: Caller
) -> None:
    own = await _relationship(database, team)
    both = RecallFeedback(new_id("rec"), "partly", useful_ids=[own], wrong_ids=[own])
    nothing = RecallFeedback(new_id("rel"), "helpful")
    for feedback, code in ((both, "contradiction"), (nothing, "invalid_id")):
        with pytest.raises(InvalidInput) as refusal:
            await _record(database, team, feedback)
        assert [error.code for error in refusal.value.errors] == [code]


async def test_the_dreamer_reads_no_opinion(database: Database, team: Caller) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with database.reading(Scope("dreamer", team.team_id)) as reading:
            await reading.fetch_all(_KEPT, {"team_id": team.team_id})
