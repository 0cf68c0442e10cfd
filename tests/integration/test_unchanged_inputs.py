"""Unchanged inputs cost nothing: a skipped cycle generates nothing, and asks the database little."""

import pytest

from app.dreaming.generation import Generated, Generator
from app.dreaming.model import Inputs
from app.dreaming.spending.budgets import Budgets
from app.kernel.database import Database
from app.kernel.round_trips import Ask, Told
from app.kernel.transactions import Transaction
from app.tenancy.callers import Caller
from tests.cycles import lease_run, queue_run, read_run, run_cycle, run_once
from tests.factories import make_entity, make_relationship

MOST_STATEMENTS = 30


async def test_a_skipped_cycle_generates_nothing_and_asks_as_little_of_a_larger_team(
    database: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    generations = 0

    def generate(inputs: Inputs, budgets: Budgets) -> Generated:
        nonlocal generations
        generations += 1
        return Generated()

    statements = 0
    tell = Transaction._tell

    async def count(self: Transaction, *asked: Ask) -> list[Told]:
        nonlocal statements
        statements += len(asked)
        return await tell(self, *asked)

    generator = Generator("rules", "counted-v1", generate)
    asked = []
    for size in (3, 30):
        for number in range(size):
            first, second = [
                await make_entity(database, team, f"{size}.{number}.{end}") for end in ("one", "two")
            ]
            await make_relationship(database, team, first, "depends_on", second)
        assert (await run_once(database, team, generator=generator)).status == "succeeded"
        run_id = await queue_run(database, team)
        lease = await lease_run(database, run_id)
        before = generations
        with monkeypatch.context() as patch:
            patch.setattr(Transaction, "_tell", count)
            statements = 0
            await run_cycle(database, lease, generator=generator, others_write=True)
            asked.append(statements)
        skipped = await read_run(database, team, run_id)
        assert (skipped.status, skipped.reason) == ("skipped", "inputs_unchanged")
        assert generations == before
    assert asked[0] == asked[1] <= MOST_STATEMENTS
