"""What recall finds around what a query names."""

from datetime import UTC, datetime

import pytest

from app.kernel.errors import NotFound
from app.recall import graph
from app.recall.model import Moment, RecallQuery
from app.recall.primary import find_matches
from tests.conftest import MakeTeam
from tests.factories import Position
from tests.integration.recall_rows import Ledger, ask, statements

FACT = Position(tier="fact")


async def test_a_chain_of_two_relations_is_followed_to_its_end(ledger: Ledger) -> None:
    await ledger.say("Lumen", "maintained_by", "Kestrel Labs")
    await ledger.say("Kestrel Labs", "headquartered_in", "Port Halford")
    await ledger.say("Raven Works", "headquartered_in", "Oakstead")
    await ledger.say("Lumen", "depends_on", "Copper")
    found = await ask(ledger, "Where is the maintainer of Lumen headquartered?")
    assert found.results[0].statement == "Kestrel Labs is headquartered in Port Halford."
    assert "graph" in found.results[0].matched_by
    assert all(one.subject.name != "Raven Works" for one in found.results)


@pytest.mark.parametrize("position", [FACT, Position(tier="validated_claim")])
async def test_what_is_asked_of_two_names_is_told_of_both_in_turn(ledger: Ledger, position: Position) -> None:
    for number in range(4):
        await ledger.say("Copper", "depends_on", f"Ore {number}", position)
    for number in range(12):
        await ledger.say("Lumen", "depends_on", f"Library {number}", FACT)
    told = await statements(ledger, "What do Copper and Lumen depend on?")
    subjects = [one.split()[0] for one in told]
    assert [sorted(subjects[place : place + 2]) for place in range(0, 8, 2)] == 4 * [["Copper", "Lumen"]]
    assert subjects[8:] == ["Lumen", "Lumen"]


async def test_a_long_name_has_its_turn_whatever_is_said_before_it(ledger: Ledger) -> None:
    for number in range(3):
        await ledger.say("customer-billing-reconciliation-service", "uses", f"Library {number}")
        await ledger.say("Ledger", "uses", f"Tool {number}")
    told = await statements(ledger, "What do we know of customer-billing-reconciliation-service and Ledger?")
    subjects = [one.split()[0] for one in told]
    assert [len(set(subjects[place : place + 2])) for place in (0, 2, 4)] == [2, 2, 2], told


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What do the dependencies of Kubernetes depend on?", "etcd depends on Raft."),
        ("What depends on what depends on Raft?", "Kubernetes depends on etcd."),
        # Said twice, asked once.
        ("Which dependencies does Raft depend on?", "Raft depends on Clocks."),
    ],
)
async def test_a_chain_may_be_of_one_relation(ledger: Ledger, query: str, first: str) -> None:
    await ledger.say("Kubernetes", "depends_on", "etcd")
    await ledger.say("etcd", "depends_on", "Raft")
    await ledger.say("Raft", "depends_on", "Clocks")
    assert (await statements(ledger, query))[0] == first


@pytest.mark.parametrize("name", ["depends", "Depends", "On"])
async def test_what_is_called_like_a_relation_relates_nothing_less(ledger: Ledger, name: str) -> None:
    await ledger.say("Kubernetes", "depends_on", "etcd")
    await ledger.say("etcd", "depends_on", "Raft")
    await ledger.say(name, "uses", "Verbs")
    assert (await statements(ledger, "What depends on etcd?"))[0] == "Kubernetes depends on etcd."
    assert (await statements(ledger, f"What does {name.title()} use?"))[0].endswith("uses Verbs.")
    assert (await statements(ledger, name))[0].endswith("uses Verbs.")


@pytest.mark.parametrize("name", ["C#", "C++", ".NET", "Rust"])
@pytest.mark.parametrize("query", ["What are {}'s dependencies?", "{}’s dependencies", "({})'s dependencies"])
async def test_whose_something_is_asked_for_is_named(ledger: Ledger, name: str, query: str) -> None:
    for other in ("C--", "NET", "C", name):
        await ledger.say(other, "depends_on", f"Library of {other}")
    assert (await statements(ledger, query.format(name)))[0] == f"{name} depends on Library of {name}."


async def test_one_hop_around_the_best_results_comes_after_them(ledger: Ledger) -> None:
    await ledger.say("FastAPI", "depends_on", "Starlette")
    await ledger.say("Starlette", "licensed_under", "BSD")
    await ledger.say("Copper", "has_topic", "Metals")
    answer = await ask(ledger, "FastAPI")
    assert [result.statement for result in answer.results] == [
        "FastAPI depends on Starlette.",
        "Starlette is licensed under BSD.",
    ]
    assert answer.results[1].matched_by == ("graph",)


async def test_the_graph_sets_nothing_back_however_much_lies_around_the_best(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So many at a hub that the newest facts are all that the graph gives.
    monkeypatch.setattr(graph, "MAX_MATCHES", 6)
    await ledger.say("Lumen", "licensed_under", "MIT")
    for number in range(8):
        await ledger.say(f"Service {number}", "licensed_under", "MIT", FACT)
    await ledger.say("Lumen", "depends_on", "Copper", FACT)
    answer = await ask(ledger, "Which licence, pray, does Lumen have?")
    assert [one.statement for one in answer.results[:2]] == [
        "Lumen is licensed under MIT.",
        "Lumen depends on Copper.",
    ]
    assert answer.results[2].matched_by == ("graph",)


async def test_the_graph_is_left_out_where_enough_lies_around_what_is_named(ledger: Ledger) -> None:
    for number in range(4):
        await ledger.say("FastAPI", "depends_on", f"Library {number}")
    await ledger.say("Library 0", "licensed_under", "BSD")
    moment = Moment(datetime.now(UTC))
    team_id = ledger.caller.team_id
    async with ledger.database.snapshot(ledger.caller.scope) as reading:
        whole = (await find_matches(reading, team_id, "FastAPI", moment)).groups
        enough = (await find_matches(reading, team_id, "FastAPI", moment, enough=4)).groups
        asked_for = (
            await find_matches(
                reading, team_id, "FastAPI", moment, enough=4, expand_from=[ledger.nodes["BSD"]]
            )
        ).groups
    assert len(whole) == 5
    assert enough == whole[:4]
    assert asked_for == whole


async def test_entities_to_expand_from_bring_their_neighbours(ledger: Ledger) -> None:
    await ledger.say("Copper", "has_topic", "Metals")
    wanted = RecallQuery("nothing of that name", expand_from_entity_ids=(ledger.nodes["Copper"],))
    assert await statements(ledger, wanted) == ["Copper has the topic Metals."]


async def test_an_entity_of_another_team_to_expand_from_is_not_found(
    ledger: Ledger, make_team: MakeTeam
) -> None:
    await ledger.say("Copper", "has_topic", "Metals")
    stranger = await make_team()
    answers = set()
    for entity_id in (ledger.nodes["Copper"], "ent_00000000000000000000000000", "x", "ENT_"):
        with pytest.raises(NotFound) as refused:
            await ask(ledger, RecallQuery("x", expand_from_entity_ids=(entity_id,)), caller=stranger)
        answers.add(str(refused.value))
    assert len(answers) == 1


async def test_the_graph_adds_where_most_around_a_name_is_only_disputed(ledger: Ledger) -> None:
    for number in range(4):
        await ledger.say("FastAPI", "depends_on", f"Doubt {number}", Position(tier="fact", status="disputed"))
    await ledger.say("FastAPI", "depends_on", "Starlette")
    await ledger.say("Starlette", "licensed_under", "BSD")
    assert await statements(ledger, RecallQuery("FastAPI", limit=2)) == [
        "FastAPI depends on Starlette.",
        "Starlette is licensed under BSD.",
    ]
