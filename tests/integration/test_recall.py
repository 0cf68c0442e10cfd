"""What recall finds, and in which order."""

from datetime import UTC, datetime

import psycopg
import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput
from app.kernel.round_trips import Ask, Told, Wire
from app.recall.model import RecallQuery, RecallResult
from tests import case_factories
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import Position
from tests.integration.recall_rows import Ledger, ask, statements

FACT = Position(tier="fact")


async def the_one(ledger: Ledger, query: str) -> RecallResult:
    [result] = (await ask(ledger, query)).results
    return result


async def test_a_result_says_who_what_and_quotes_its_evidence(ledger: Ledger) -> None:
    content = "FastAPI depends on Starlette, its manual says."
    made = await ledger.say("FastAPI", "depends_on", "Starlette", Position(tier="fact", content=content))
    found = await the_one(ledger, "FastAPI and Starlette")
    assert found.relationship_id == made.relationship_id
    assert (found.subject.name, found.subject.entity_id) == ("FastAPI", ledger.nodes["FastAPI"])
    assert (found.object.name, found.object.entity_id) == ("Starlette", ledger.nodes["Starlette"])
    assert (found.predicate.key, found.predicate.label) == ("depends_on", "Depends on")
    assert (found.polarity, found.tier) == ("+", "fact")
    assert found.statement == "FastAPI depends on Starlette."
    assert [(one.evidence_id, one.quote) for one in found.evidence] == [(made.evidence_id, content)]
    assert found.matched_by == ("text", "names", "graph")
    assert found.score == pytest.approx(1.0)


async def test_a_value_is_found_and_shown_with_its_type(ledger: Ledger) -> None:
    await ledger.say("FastAPI", "requires_python", ">=3.10")
    found = await the_one(ledger, "which python does FastAPI require")
    assert found.object.entity_id is None
    assert (found.object.value_id, found.object.value_type) == (ledger.nodes[">=3.10"], "string")
    assert (found.object.name, found.object.value, found.object.unit) == (">=3.10", ">=3.10", "")


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("C++", "what depends on C++?"),
        (".NET", "is .NET needed"),
        ("a/b", "where is a/b used"),
        ("x: y", "tell me about x: y"),
        ('the "best" one', 'the "best" one'),
        ("O'Reilly", "who is O'Reilly?"),
        ("人工智能", "我想知道人工智能的历史"),
        ("파이썬", "파이썬은 무엇인가"),
        ("ไพทอน", "ภาษาไพทอนคืออะไร"),
        ("👍", "who needs 👍"),
        ("🧑‍🚀", "🧑‍🚀?"),
        ("ירושלים", "מה זה ירושלים?"),
        ("Straße", "STRASSE"),
        ("C#", "C# or not"),
        ("50% off", "why 50% off"),
        ("under_score", "under_score"),
        (r"back\slash", r"back\slash"),
        ("<|endoftext|>", "<|endoftext|>"),
        # With a slip in them.
        ("Visual C++ Runtime", "what needs Visaul C++ Runtime?"),
        (".NET Framework", "is .NET Framewrok needed"),
        ("modules/networking", "where is modules/netwroking used"),
        ("@slate/commandline", "@slate/comandline"),
        ("Kestrel: the Sequel", "who needs Kestrle: the Sequel"),
        ("Straßenbahn", "Strassenbahm"),
        ("Łódź Fabryczna", "Łódź Fabryczan"),
        ("데이터베이스", "데이타베이스"),
        ("Ленинградский вокзал", "где Ленинградскй вокзал?"),
        ("ירושלים", "ירושלם"),
        ("under_scored_name", "under_scroed_name"),
        ("🚀 Launcher", "🚀 Lanucher"),
    ],
)
async def test_names_of_any_script_and_punctuation_are_found(
    ledger: Ledger, database: Database, name: str, query: str
) -> None:
    await ledger.say("Something", "depends_on", name)
    await ledger.say("Nothing else", "has_topic", "Gardening")
    answer = await ask(ledger, query)
    assert answer.results[0].object.name == name
    assert "names" in answer.results[0].matched_by


async def test_c_is_not_c_plus_plus(ledger: Ledger) -> None:
    await ledger.say("Kernel", "depends_on", "C")
    await ledger.say("Browser", "depends_on", "C++")
    assert (await statements(ledger, "C++"))[0] == "Browser depends on C++."
    assert (await statements(ledger, "C"))[0] == "Kernel depends on C."


async def test_an_alias_finds_what_its_entity_takes_part_in(ledger: Ledger) -> None:
    await ledger.node("PostgreSQL", aliases=["Postgres", "PG"])
    await ledger.say("FastAPI", "depends_on", "PostgreSQL")
    assert await statements(ledger, "Who needs PG?") == ["FastAPI depends on PostgreSQL."]


async def test_a_misspelt_name_is_found_by_likeness(ledger: Ledger) -> None:
    await ledger.say("FastAPI", "depends_on", "Starlette")
    await ledger.say("Django", "depends_on", "Sqlparse")
    answer = await ask(ledger, "starlete")
    assert answer.results[0].statement == "FastAPI depends on Starlette."
    assert "names" in answer.results[0].matched_by


async def test_a_slip_in_one_word_of_a_name_finds_none_that_shares_the_other(ledger: Ledger) -> None:
    await ledger.say("Lumen Gateway", "depends_on", "Copper")
    for other in ("Raven Gateway", "Heron Gateway", "Lumen"):
        await ledger.say(other, "depends_on", "Tin")
    assert (await statements(ledger, "What does Lumne Gateway depend on?"))[0] == (
        "Lumen Gateway depends on Copper."
    )
    assert (await statements(ledger, "What does Lumen Gatewya depend on?"))[0] == (
        "Lumen Gateway depends on Copper."
    )


async def test_what_is_asked_of_a_name_comes_before_what_else_is_known_of_it(ledger: Ledger) -> None:
    for number in range(12):
        await ledger.say(f"Service {number}", "depends_on", "Lumen")
    await ledger.say("Lumen", "licensed_under", "MIT")
    for number in range(12):
        await ledger.say("Lumen", "has_topic", f"Topic {number}")
    assert (await statements(ledger, "Which licence does Lumen have?"))[0] == "Lumen is licensed under MIT."


async def test_a_paraphrase_is_found_by_its_words(ledger: Ledger) -> None:
    await ledger.say("FastAPI", "licensed_under", "MIT licence")
    assert await statements(ledger, "licensing of anything") == ["FastAPI is licensed under MIT licence."]


async def test_partial_matches_answer_only_where_nothing_holds_every_word(ledger: Ledger) -> None:
    await ledger.say("Copper", "has_topic", "metals")
    await ledger.say("Bronze", "has_topic", "statues")
    assert await statements(ledger, "topic statues") == ["Bronze has the topic statues."]
    assert len(await statements(ledger, "topic zinc")) == 2
    # What is known of a thing that the query names comes alone, not before what shares a word with the query.
    assert await statements(ledger, "topic of Copper, if any") == ["Copper has the topic metals."]


async def test_equivalent_positions_are_one_result(ledger: Ledger, make_profile: MakeProfile) -> None:
    second, third = [await make_profile(ledger.caller, name) for name in ("Second", "Third")]
    first = await ledger.say("Ada Lovelace", "married_to", "William King")
    strong = await ledger.say("William King", "married_to", "Ada Lovelace", FACT, by=second)
    other = await ledger.say("Ada Lovelace", "married_to", "William King", by=third)
    found = await the_one(ledger, "Ada Lovelace")
    assert found.relationship_id == strong.relationship_id
    assert found.equivalent_relationship_ids == (first.relationship_id, other.relationship_id)
    assert len(found.evidence) == 3
    assert found.evidence[0].evidence_id == strong.evidence_id


async def test_copies_of_a_position_do_not_lift_it(ledger: Ledger, make_profile: MakeProfile) -> None:
    for number in range(4):
        profile = await make_profile(ledger.caller, f"Copier {number}")
        await ledger.say("Copper", "has_topic", "Metals", by=profile)
    await ledger.say("Copper", "has_topic", "Copper Metals")
    assert (await statements(ledger, "Copper Metals"))[0] == "Copper has the topic Copper Metals."


async def test_a_denied_relationship_reads_as_denied(ledger: Ledger) -> None:
    await ledger.say("FastAPI", "depends_on", "Django", Position(polarity="-"))
    found = await the_one(ledger, "FastAPI")
    assert (found.polarity, found.statement) == ("-", "FastAPI does not depend on Django.")


async def test_another_team_finds_nothing(ledger: Ledger, make_team: MakeTeam) -> None:
    await ledger.say("FastAPI", "depends_on", "Starlette")
    answer = await ask(ledger, "FastAPI depends on Starlette", caller=await make_team())
    assert (answer.results, answer.conflicts, answer.related_hypotheses) == ((), (), ())


async def test_the_order_is_the_same_on_repeat_and_bounded(ledger: Ledger) -> None:
    for number in range(12):
        await ledger.say("FastAPI", "depends_on", f"Library {number}")
    first = await statements(ledger, RecallQuery("FastAPI", limit=7))
    assert len(first) == 7
    for _ in range(3):
        assert await statements(ledger, RecallQuery("FastAPI", limit=7)) == first


async def test_however_many_are_only_disputed_what_is_not_is_found_behind_them(ledger: Ledger) -> None:
    # Facts come first, so more of them than are looked at in one step stand before the others.
    for number in range(8):
        await ledger.say("FastAPI", "depends_on", f"Doubt {number}", Position(tier="fact", status="disputed"))
    for name in ("Starlette", "Pydantic"):
        await ledger.say("FastAPI", "depends_on", name)
    for limit in (1, 2, 3):
        found = await statements(ledger, RecallQuery("FastAPI", limit=limit))
        assert len(found) == min(limit, 2)
        assert all("Doubt" not in one for one in found)


async def test_an_answer_takes_three_round_trips_and_one_more_where_the_graph_can_add(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [await ledger.say("FastAPI", "depends_on", f"Library {number}") for number in range(5)]
    await case_factories.make_conflict(ledger.database, ledger.caller, ledger.nodes["FastAPI"], made[:2])
    trips: list[int] = []
    attempt = Wire.attempt

    async def count(wire: Wire, *asked: Ask, **how: int) -> tuple[list[Told], psycopg.Error | None]:
        trips.append(len(asked))
        return await attempt(wire, *asked, **how)

    monkeypatch.setattr(Wire, "attempt", count)
    counts = []
    for limit in (2, 10):
        trips.clear()
        answer = await ask(ledger, RecallQuery("FastAPI", limit=limit))
        assert (len(answer.results), len(answer.conflicts)) == (min(limit, 5), 1)
        counts.append(len(trips))
    assert counts == [3, 4]


@pytest.mark.parametrize(
    "query",
    [
        RecallQuery(""),
        RecallQuery(" \n\t"),
        RecallQuery("x" * 513),
        RecallQuery("x", limit=0),
        RecallQuery("x", limit=51),
        RecallQuery("x", hypothesis_limit=-1),
        RecallQuery("x", hypothesis_limit=21),
        RecallQuery("x", known_at=datetime(2999, 1, 1, tzinfo=UTC)),
        RecallQuery("x", expand_from_entity_ids=("ent_00000000000000000000000000",) * 51),
    ],
)
async def test_what_is_out_of_bounds_is_refused(ledger: Ledger, query: RecallQuery) -> None:
    with pytest.raises(InvalidInput) as refused:
        await ask(ledger, query)
    assert refused.value.errors


@pytest.mark.parametrize(
    "query",
    ["'", '"', "\\", "!", ":*", "a & | ! b", "()", "%", "_", "the", "?", "\u200b", "x" * 512, "((" * 200],
)
async def test_odd_queries_are_answered(ledger: Ledger, query: str) -> None:
    await ledger.say("FastAPI", "depends_on", "Starlette")
    assert (await ask(ledger, query)).degradations == ()
