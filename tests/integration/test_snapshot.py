"""What one snapshot makes of the eligible Relationships, and how it is bounded."""

import pickle
from datetime import timedelta

from app.dreaming.generation import RULES
from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs
from app.kernel.database import Database, Scope
from app.ledger.vocabulary import Tier
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.factories import (
    CANDIDATE,
    Position,
    change_relationship,
    make_entity,
    make_relationship,
    make_value,
)
from tests.moments import DAY, NOW


async def read(database: Database, caller: Caller, *, max_premises: int = 20_000) -> Inputs:
    async with database.snapshot(Scope("dreamer", caller.team_id)) as reading:
        return await read_inputs(reading, caller.team_id, max_premises=max_premises, now=NOW)


async def test_copies_of_a_position_are_one_premise_with_all_source_ids(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    starlette = await make_entity(database, team, "Starlette")
    owners = [team] + [await make_profile(team, f"Profile {number}") for number in range(9)]
    made = [await make_relationship(database, owner, fastapi, "depends_on", starlette) for owner in owners]

    inputs = await read(database, team)

    [premise] = inputs.premises
    assert [source.relationship_id for source in premise.sources] == sorted(
        one.relationship_id for one in made
    )
    assert {source.owner_profile_id for source in premise.sources} == {owner.profile_id for owner in owners}
    assert (inputs.eligible_count, inputs.over_input_budget) == (10, 0)

    await change_relationship(database, team, made[0].relationship_id, status="retracted")
    [premise] = (await read(database, team)).premises
    assert len(premise.sources) == 9


async def test_an_established_copy_makes_a_premise_established(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    fastapi = await make_entity(database, team, "FastAPI")
    starlette = await make_entity(database, team, "Starlette")
    await make_relationship(database, team, fastapi, "depends_on", starlette, CANDIDATE)
    [premise] = (await read(database, team)).premises
    assert premise.is_candidate

    await make_relationship(database, second, fastapi, "depends_on", starlette)
    [premise] = (await read(database, team)).premises
    assert not premise.is_candidate
    assert [source.is_candidate for source in premise.sources] == [True, False]


async def test_an_inverse_is_written_in_its_primary_direction(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    wheel = await make_entity(database, team, "Wheel")
    car = await make_entity(database, team, "Car")
    await make_relationship(database, team, wheel, "part_of", car)
    await make_relationship(database, second, car, "has_part", wheel)

    [premise] = (await read(database, team)).premises

    assert (premise.subject_id, premise.predicate_key, premise.object_id) == (car, "has_part", wheel)
    assert len(premise.sources) == 2


async def test_a_state_outside_its_window_is_read_and_carries_no_path(
    database: Database, team: Caller
) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    for number, window in enumerate(((None, -DAY), (DAY, None), (-DAY, DAY))):
        valid_from, valid_to = (None if edge is None else NOW + edge for edge in window)
        library = await make_entity(database, team, f"Library {number}")
        position = Position(valid_from=valid_from, valid_to=valid_to)
        await make_relationship(database, team, fastapi, "depends_on", library, position)

    premises = (await read(database, team)).premises

    assert sorted(premise.carries_paths for premise in premises) == [False, False, True]


async def test_a_value_is_named_by_its_canonical_form_and_unit(database: Database, team: Caller) -> None:
    wheel = await make_entity(database, team, "Wheel")
    python = await make_value(database, team, ">=3.11")
    length = await make_value(database, team, "5", value_type="number", unit="km")
    await make_relationship(database, team, wheel, "requires_python", python)

    inputs = await read(database, team)

    assert inputs.nodes[python].name == ">=3.11"
    assert inputs.nodes[python].value_type == "string"
    assert inputs.nodes[wheel].kind == "product"
    assert length not in inputs.nodes


async def test_over_the_budget_the_newest_come_first_then_what_waits_longest_and_the_rest_is_counted(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    fastapi = await make_entity(database, team, "FastAPI")
    made = []
    for number in range(4):
        library = await make_entity(database, team, f"Library {number}")
        made += [
            await make_relationship(database, owner, fastapi, "depends_on", library)
            for owner in (team, second)
        ]

    inputs = await read(database, team, max_premises=3)

    read_ids = {source.relationship_id for premise in inputs.premises for source in premise.sources}
    assert read_ids == {one.relationship_id for one in (*made[:2], *made[4:])}
    assert (inputs.eligible_count, inputs.over_input_budget) == (8, 2)


async def test_premises_that_were_read_least_since_their_last_change_come_first(
    database: Database, team: Caller
) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    made = []
    for number in range(3):
        library = await make_entity(database, team, f"Library {number}")
        made.append(await make_relationship(database, team, fastapi, "depends_on", library))

    async def note_read(number: int, *, ago: timedelta) -> None:
        await database.unit_of_work(
            Scope("dreamer", team.team_id),
            lambda writing: writing.execute(
                "INSERT INTO premise_assessments (team_id, semantic_group_key, cycles, last_assessed_at)"
                " VALUES (%(team_id)s, %(key)s, 1, clock_timestamp() - %(ago)s)",
                {"team_id": team.team_id, "key": made[number].group_key, "ago": ago},
            ),
        )

    await note_read(2, ago=timedelta(0))
    await note_read(0, ago=DAY)

    inputs = await read(database, team, max_premises=2)

    assert {premise.group_key for premise in inputs.premises} == {made[0].group_key, made[1].group_key}


async def test_a_premise_budget_of_nothing_still_counts_what_there_is(
    database: Database, team: Caller
) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    starlette = await make_entity(database, team, "Starlette")
    await make_relationship(database, team, fastapi, "depends_on", starlette)
    inputs = await read(database, team, max_premises=0)
    assert (inputs.premises, inputs.eligible_count, inputs.over_input_budget) == ((), 1, 1)


async def test_standing_knows_active_opposite_and_taken_slots(database: Database, team: Caller) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    starlette = await make_entity(database, team, "Starlette")
    flask = await make_entity(database, team, "Flask")
    mit = await make_entity(database, team, "MIT", kind="document")
    bsd = await make_entity(database, team, "BSD", kind="document")
    active = await make_relationship(database, team, fastapi, "depends_on", starlette)
    negative = await make_relationship(database, team, flask, "depends_on", starlette, Position(polarity="-"))
    await make_relationship(database, team, starlette, "depends_on", flask, Position(scope="tests"))
    await make_relationship(database, team, fastapi, "licensed_under", mit)
    past = Position(valid_to=NOW - DAY)
    expired = await make_relationship(database, team, flask, "licensed_under", bsd, past)
    coming = Position(valid_from=NOW + DAY)
    future = await make_relationship(database, team, flask, "uses", starlette, coming)
    event = await make_relationship(database, team, flask, "caused", starlette, past)
    pending = await make_relationship(database, team, starlette, "licensed_under", bsd, CANDIDATE)

    standing = (await read(database, team)).standing

    assert {active.target_identity, event.target_identity} < standing.active
    assert not {expired.target_identity, future.target_identity} & standing.active
    assert standing.opposite == {negative.target_identity}
    assert pending.target_identity not in standing.active
    assert len(standing.active) == 3
    assert standing.taken_slots == {(fastapi, "licensed_under"): {mit}}


async def test_equal_ledgers_are_read_in_equal_order(database: Database, team: Caller) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    tiers: tuple[Tier, ...] = ("fact", "validated_claim")
    for number in range(6):
        library = await make_entity(database, team, f"Library {number}")
        await make_relationship(
            database, team, fastapi, "depends_on", library, Position(tier=tiers[number % 2])
        )
    first, second = await read(database, team), await read(database, team)
    assert first == second
    keys = [premise.group_key for premise in first.premises]
    assert keys == sorted(keys)


async def test_inputs_survive_the_way_to_another_process(database: Database, team: Caller) -> None:
    fastapi = await make_entity(database, team, "FastAPI")
    starlette = await make_entity(database, team, "Starlette")
    await make_relationship(database, team, fastapi, "depends_on", starlette)
    inputs = await read(database, team)
    assert pickle.loads(pickle.dumps(inputs)) == inputs
    assert pickle.loads(pickle.dumps(RULES)) == RULES


async def test_planner_may_not_loop_over_a_team_that_the_statistics_do_not_know(
    database: Database, team: Caller
) -> None:
    async with database.snapshot(Scope("dreamer", team.team_id)) as reading:
        await read_inputs(reading, team.team_id, max_premises=10, now=NOW)
        row = await reading.fetch_one("SELECT current_setting('enable_nestloop') AS setting")
    assert row == {"setting": "off"}
