"""Whether evidence says a Hypothesis again."""

from collections.abc import Sequence

import pytest

from app.hypotheses.echo import EchoIndex
from app.kernel.database import Database, Scope
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.factories import make_entity, make_relationship
from tests.hypothesis_factories import Guess, make_hypothesis


async def make_guess(database: Database, team: Caller, name: str) -> str:
    subject, object_id = (
        await make_entity(database, team, name),
        await make_entity(database, team, "Starlette"),
    )
    source = await make_relationship(database, team, subject, "has_topic", object_id)
    guess = Guess(rationale="Many frameworks need it.")
    return await make_hypothesis(database, team, Edge(subject, "depends_on", object_id), [source], guess)


async def ask(
    database: Database, team: Caller, quotes: Sequence[str], index: EchoIndex | None = None
) -> bool:
    async with database.reading(Scope("app", team.team_id)) as reading:
        if index is None:
            return await EchoIndex().is_echo(reading, team.team_id, quotes)
        return await index.is_echo(reading, team.team_id, quotes)


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        (["FastAPI may depend on Starlette."], True),
        (["  fastapi MAY depend -- on starlette"], True),
        (["FastAPI might depend on Starlette."], True),
        (["FastAPI may well depend on Starlette."], True),
        (["FastAPI depends on Starlette."], False),
        (["Many frameworks need it"], True),
        (["Something else.", "FastAPI may depend on Starlette"], True),
        ([], False),
        (["..."], False),
    ],
)
async def test_an_echo_is_a_statement_or_rationale_up_to_one_word(
    database: Database, team: Caller, quotes: list[str], expected: bool
) -> None:
    await make_guess(database, team, "FastAPI")
    assert await ask(database, team, quotes) is expected


async def test_many_long_quotes_are_looked_through_like_one(database: Database, team: Caller) -> None:
    await make_guess(database, team, "FastAPI")
    others = ["Something else. " * 200 + str(number) for number in range(5)]
    assert not await ask(database, team, others)
    assert await ask(database, team, [*others, "FastAPI may depend on Starlette."])


async def test_another_teams_guess_is_no_echo(database: Database, team: Caller, make_team: MakeTeam) -> None:
    await make_guess(database, team, "FastAPI")
    assert not await ask(database, await make_team(), ["FastAPI may depend on Starlette."])


async def test_an_index_hears_of_guesses_that_came_later(database: Database, team: Caller) -> None:
    index = EchoIndex()
    quote = ["Apache Airflow may depend on Starlette."]
    await make_guess(database, team, "FastAPI")
    assert not await ask(database, team, quote, index)
    await make_guess(database, team, "Apache Airflow")
    assert await ask(database, team, quote, index)


async def test_an_index_keeps_teams_apart(database: Database, team: Caller, make_team: MakeTeam) -> None:
    index, other = EchoIndex(), await make_team()
    await make_guess(database, team, "FastAPI")
    await make_guess(database, other, "Apache Airflow")
    assert await ask(database, team, ["FastAPI may depend on Starlette."], index)
    assert not await ask(database, other, ["FastAPI may depend on Starlette."], index)
    assert await ask(database, other, ["Apache Airflow may depend on Starlette."], index)
