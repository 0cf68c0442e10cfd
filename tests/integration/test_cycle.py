"""A whole cycle: what it records, when it has nothing to do, and how it ends when something goes wrong."""

import threading

import pytest

from app.dreaming import reading as cycle_reading
from app.dreaming.generation import Generated, Generator
from app.dreaming.model import Inputs
from app.dreaming.runs.asking import StartRequest
from app.dreaming.spending.budgets import BUDGET_NAMES, Budgets
from app.hypotheses.outcomes import OutcomeCounts, read_outcomes
from app.kernel.database import Database, Reading, Scope
from app.tenancy.callers import Caller
from tests.cycles import (
    idea,
    lease_run,
    make_pattern,
    queue_run,
    read_events,
    read_hypotheses,
    read_run,
    run_cycle,
    run_once,
    scripted,
    set_setting,
)
from tests.factories import Made, change_relationship, make_entity, make_relationship


async def test_the_rules_dream_of_what_the_pattern_suggests(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)

    run = await run_once(database, team)

    [row] = await read_hypotheses(database, team)
    assert (row["subject_entity_id"], row["object_entity_id"]) == (pattern.subjects[4], pattern.objects[4])
    assert row["statement"] == "Library 4 may use Engine 4."
    assert row["paths"][0]["premise_keys"] == [pattern.last.group_key]
    assert (row["generator_kind"], row["generator_version"]) == ("rules", "blend-v5")
    assert run.funnel == {
        "eligible": 9,
        "premises": 9,
        "groups": 1,
        "generated": 1,
        "rejected": 0,
        "deduplicated": 0,
        "reinforced": 0,
        "persisted": 1,
    }
    assert (run.status, run.epoch, run.attempt, run.worker) == ("succeeded", 1, 0, "worker")
    assert run.started_at is not None
    assert run.finished_at is not None
    assert run.snapshot_digest is not None
    assert [budget["name"] for budget in run.budgets] == list(BUDGET_NAMES)


async def test_a_cycle_reads_all_of_its_inputs_at_one_moment(
    database: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = await make_pattern(database, team)
    seen = []

    async def read_late(reading: Reading, team_id: str) -> tuple[OutcomeCounts, ...]:
        # Committed between two questions of the cycle.
        await make_relationship(database, team, pattern.subjects[0], "uses", pattern.objects[1])
        seen.append(await reading.fetch_one("SELECT count(*) AS eligible FROM eligible_relationships"))
        return await read_outcomes(reading, team_id)

    monkeypatch.setattr(cycle_reading, "read_outcomes", read_late)
    run = await run_once(database, team, others_write=True)
    assert seen == [{"eligible": 9}]
    assert run.funnel["eligible"] == 9


async def test_nothing_eligible_is_skipped_with_its_reason(database: Database, team: Caller) -> None:
    run = await run_once(database, team)
    assert (run.status, run.reason) == ("skipped", "no_eligible_inputs")


async def test_twenty_cycles_over_the_same_inputs_leave_one_row_and_one_generation(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    first = await run_once(database, team)
    runs = [await run_once(database, team) for _ in range(19)]
    assert first.status == "succeeded"
    assert {(run.status, run.reason) for run in runs} == {("skipped", "inputs_unchanged")}
    assert {run.snapshot_digest for run in runs} == {first.snapshot_digest}
    assert len(await read_hypotheses(database, team)) == 1


async def test_a_run_that_left_items_over_for_the_budget_is_not_taken_as_assessed(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    generator = scripted(
        lambda inputs, _: [
            idea(inputs, pattern.subjects[4], key, pattern.objects[4], pattern.last)
            for key in ("uses", "benefits_from")
        ]
    )
    request = StartRequest(budgets={"max_outputs": 1})
    kept = [(await run_once(database, team, request, generator=generator)).status for _ in range(3)]
    assert kept == ["succeeded", "succeeded", "skipped"]
    assert len(await read_hypotheses(database, team)) == 2


@pytest.mark.parametrize("name", ["max_outputs", "max_premises", "max_groups", "max_duration_seconds"])
async def test_a_budget_of_nothing_means_none(database: Database, team: Caller, name: str) -> None:
    await make_pattern(database, team)
    run = await run_once(database, team, StartRequest(budgets={name: 0}))
    assert (run.status, run.stopped_by) == ("succeeded", name)
    assert run.funnel["generated"] == 0
    assert run.funnel["eligible"] == 9
    assert await read_hypotheses(database, team) == []


async def test_generation_that_takes_too_long_is_stopped_by_the_duration_budget(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    release = threading.Event()

    def generate(inputs: Inputs, budgets: Budgets) -> Generated:
        release.wait(30)
        return Generated()

    try:
        run = await run_once(
            database,
            team,
            StartRequest(budgets={"max_duration_seconds": 1}),
            generator=Generator("rules", "slow-v1", generate),
        )
    finally:
        release.set()
    assert (run.status, run.stopped_by) == ("succeeded", "max_duration_seconds")


async def test_a_team_that_was_switched_off_meanwhile_is_skipped(database: Database, team: Caller) -> None:
    run_id = await queue_run(database, team)
    await set_setting(database, team, "enabled", "false")
    await run_cycle(database, await lease_run(database, run_id))
    run = await read_run(database, team, run_id)
    assert (run.status, run.reason) == ("skipped", "dreaming_disabled")


async def test_an_expired_run_of_a_team_that_was_switched_off_is_still_closed(
    database: Database, team: Caller
) -> None:
    run_id = await queue_run(database, team)
    lost = await lease_run(database, run_id, seconds=0.01)
    await set_setting(database, team, "enabled", "false")
    taken_over = await lease_run(database, run_id)
    assert (taken_over.epoch, taken_over.attempt) == (lost.epoch + 1, 1)
    await run_cycle(database, taken_over)
    run = await read_run(database, team, run_id)
    assert (run.status, run.reason, run.attempt) == ("skipped", "dreaming_disabled", 1)
    assert run.summary == "Skipped: dreaming is switched off for the team."


async def test_what_the_next_cycle_does_not_regenerate_becomes_stale(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    generator = scripted(
        lambda inputs, _: [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)]
    )
    await run_once(database, team, generator=generator)
    await change_relationship(database, team, pattern.last.relationship_id, effect="reassess")
    [row] = await read_hypotheses(database, team)
    assert (row["status"], row["needs_reassessment"]) == ("proposed", True)

    await run_once(database, team, generator=scripted(lambda inputs, _: []))

    assert (await read_events(database, team))[-1] == ("not_reinforced", "proposed", "stale")


async def test_what_the_next_cycle_regenerates_after_a_changed_revision_is_reinforced(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    await run_once(database, team)
    await change_relationship(database, team, pattern.last.relationship_id, effect="reassess")
    await run_once(database, team)
    [row] = await read_hypotheses(database, team)
    assert (row["status"], row["needs_reassessment"]) == ("reinforced", False)


async def test_retention_stales_what_was_not_reinforced_for_long_even_in_a_skipped_run(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    await database.unit_of_work(
        Scope("dreamer", team.team_id),
        lambda writing: writing.execute(
            "UPDATE hypotheses SET reinforced_at = clock_timestamp() - interval '91 days'"
        ),
    )
    dry = await run_once(database, team, StartRequest(dry_run=True))
    assert dry.status == "succeeded"
    assert [row["status"] for row in await read_hypotheses(database, team)] == ["proposed"]

    run = await run_once(database, team)
    assert (run.status, run.reason) == ("skipped", "inputs_unchanged")
    assert (await read_events(database, team))[-1] == ("retention_expired", "proposed", "stale")


async def test_the_sweep_finds_what_a_lost_event_left(
    database: Database, unruled: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    await run_once(database, team)
    await change_relationship(unruled, team, pattern.last.relationship_id, status="quarantined")
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "proposed"
    await run_once(database, team)
    assert (await read_events(database, team))[-1] == ("source_lost", "proposed", "stale")


async def test_over_the_input_budget_each_cycle_reads_what_was_read_least(
    database: Database, team: Caller
) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    groups = set()
    for number in range(4):
        library = await make_entity(database, team, f"Library {number}")
        made = await make_relationship(database, team, fastapi, "depends_on", library)
        groups.add(made.group_key)
    seen: list[frozenset[str]] = []

    def propose(inputs: Inputs, budgets: Budgets) -> Generated:
        seen.append(frozenset(premise.group_key for premise in inputs.premises))
        return Generated()

    generator = Generator("rules", "v1", propose)
    request = StartRequest(budgets={"max_premises": 2})
    runs = [await run_once(database, team, request, generator=generator) for _ in range(3)]

    assert [run.status for run in runs] == ["succeeded", "succeeded", "skipped"]
    assert seen[0] | seen[1] == groups
    assert runs[0].over_input_budget == 2


async def test_in_thirty_cycles_every_component_is_read_whole_beside_one_that_never_rests(
    database: Database, team: Caller
) -> None:
    components: list[set[str]] = []
    busy: list[Made] = []
    for number in range(6):
        ends = [await make_entity(database, team, f"Library {number}.{step}") for step in range(3)]
        made = [
            await make_relationship(database, team, *pair)
            for pair in ((ends[0], "depends_on", ends[1]), (ends[1], "depends_on", ends[2]))
        ]
        components.append({one.group_key for one in made})
        busy = busy or made
    seen: list[set[str]] = []

    def propose(inputs: Inputs, budgets: Budgets) -> Generated:
        seen.append({premise.group_key for premise in inputs.premises})
        return Generated()

    generator = Generator("rules", "v1", propose)
    request = StartRequest(budgets={"max_premises": 4})
    for _ in range(30):
        for one in busy:
            await change_relationship(database, team, one.relationship_id, effect="harmless")
        run = await run_once(database, team, request, generator=generator)
        assert (run.status, run.funnel["premises"], run.over_input_budget) == ("succeeded", 4, 8)
    assert all(components[0] <= keys for keys in seen), "what has changed is read at once"
    for component in components:
        assert sum(component <= keys for keys in seen) >= 2
