"""Placing with the provider's verifier, over HTTP and through the worker's own step."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.kernel.database import Database
from app.kernel.settings import Settings
from app.llm.key import FILE_VARIABLE, KEY_VARIABLE
from app.llm.prices import BUILT_IN
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.placements import Placement, get_placement
from app.remember.provider.usage import read_verifier_costs
from app.remember.provider.verifier import ProviderVerifier, bound_verdict
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.tenancy.callers import Caller
from app.worker.provider import Provider, open_provider
from app.worker.steps import placement_kind
from tests.cycles import set_setting
from tests.integration.submissions import lease, rows, scope, state, submit
from tests.provider_server.hostile import HOSTILE
from tests.provider_server.replies import Said
from tests.provider_server.server import KEY, Answer, ProviderServer
from tests.unit.lexical_case import cite, make_claim

USAGE = {"input_tokens": 1000, "output_tokens": 100}


def verdict(name: str, confidence: float = 0.9) -> Any:
    """Return a speaker that gives every question this verdict."""

    def speak(body: dict[str, Any]) -> Answer:
        request = json.loads(body["messages"][0]["content"].split("\n")[1])["request"]
        answer = {"request": request, "verdict": name, "confidence": confidence, "rationale": "It says so."}
        return Said(text=json.dumps(answer), model=body["model"], usage=USAGE)

    return speak


def depends_on_each(subject: str, names: Sequence[str]) -> Submission:
    """Return one submission of several claims, each with a text of its own."""
    texts = [f"{subject} depends on {name}." for name in names]
    return Submission(
        evidence=tuple(map(EvidenceItem, texts)),
        entities=(EntityProposal("s", subject), *(EntityProposal(name, name) for name in names)),
        relationships=tuple(
            RelationshipProposal(
                proposal_id=name,
                subject_ref="s",
                predicate="depends_on",
                evidence=(CitedSpan(number, 0, len(texts[number])),),
                object_ref=name,
            )
            for number, name in enumerate(names)
        ),
    )


async def place(database: Database, team: Caller, ingest_id: str, provided: Provider) -> Placement:
    kind = placement_kind(database, slots=1, lease_seconds=60, provider=provided)
    await kind.step(await lease(database, team, ingest_id))
    async with database.reading(scope(team)) as reading:
        return await get_placement(reading, team.team_id, ingest_id)


@pytest.mark.parametrize(
    ("name", "confidence", "category"),
    [
        ("entailed", 0.9, "relationship_validated_claim"),
        ("entailed", 0.6, "relationship_validated_claim"),
        ("entailed", 0.59, "relationship_pending_evidence"),
        ("insufficient", 0.9, "relationship_pending_evidence"),
        ("contradicted", 0.9, "relationship_rejected"),
    ],
)
async def test_the_verdict_and_the_write_threshold_decide(
    database: Database,
    team: Caller,
    server: ProviderServer,
    provided: Provider,
    name: str,
    confidence: float,
    category: str,
) -> None:
    server.speak = verdict(name, confidence)
    text = "Uvicorn is what Gradio runs upon."
    ingest_id = await submit(database, team, state("Gradio", "depends_on", "Uvicorn", text=text))
    placement = await place(database, team, ingest_id, provided)
    [outcome] = placement.relationship_outcomes
    assert (outcome.category, outcome.verdict, outcome.confidence) == (category, name, confidence)
    assert server.messages[0]["model"] == "claude-sonnet-5-5"


async def test_a_failure_is_no_verdict_and_a_later_try_gets_one(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = lambda body: Said(text="I would rather not.", model=body["model"], usage=USAGE)
    ingest_id = await submit(database, team, state("Gradio", "depends_on", "Uvicorn"))
    waiting = await place(database, team, ingest_id, provided)
    assert waiting.processing_state == "queued"
    assert [error["code"] for error in waiting.errors] == ["verifier_invalid_answer"]
    async with database.reading(scope(team)) as reading:
        query = "SELECT id FROM verification_events WHERE team_id = %(team_id)s"
        assert await reading.fetch_all(query, {"team_id": team.team_id}) == []

    server.speak = verdict("insufficient")
    placed = await place(database, team, ingest_id, provided)
    assert placed.processing_state == "completed"
    async with database.reading(scope(team)) as reading:
        query = "SELECT relationship_id FROM eligible_relationships WHERE team_id = %(team_id)s"
        eligible = await reading.fetch_all(query, {"team_id": team.team_id})
        events = await reading.fetch_all(
            "SELECT verifier_kind, verifier_version FROM verification_events WHERE team_id = %(team_id)s",
            {"team_id": team.team_id},
        )
    assert len(eligible) == 1
    assert events == [{"verifier_kind": "provider", "verifier_version": "verifier-v1"}]


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
async def test_an_answer_of_no_use_is_no_verdict_changes_nothing_known_and_is_paid_for(
    database: Database, team: Caller, server: ProviderServer, provided: Provider, answer: Answer
) -> None:
    server.script = [answer]
    ingest_id = await submit(database, team, state("Gradio", "depends_on", "Uvicorn"))
    waiting = await place(database, team, ingest_id, provided)
    assert waiting.processing_state == "queued"
    [error] = waiting.errors
    assert error["code"] in ("verifier_malformed", "verifier_invalid_answer")
    known = "entities", "relationships", "verification_events", "supports", "review_tasks"
    counts = " + ".join(f"(SELECT count(*) FROM {table} WHERE team_id = %(team_id)s)" for table in known)
    async with database.reading(scope(team)) as reading:
        left = await reading.fetch_one(f"SELECT {counts} AS rows", {"team_id": team.team_id})
        [cost] = await read_verifier_costs(reading, team.team_id, since=datetime.now(UTC).date())
    assert left == {"rows": 0}
    assert len(server.messages) == 1
    assert cost.cost_usd > 0


async def test_every_answer_is_charged_to_the_team_also_one_that_was_no_use(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = lambda body: Said(text="no", model=body["model"], usage=USAGE)
    ingest_id = await submit(database, team, state("Gradio", "depends_on", "Uvicorn"))
    await place(database, team, ingest_id, provided)
    server.speak = verdict("entailed")
    await place(database, team, ingest_id, provided)
    today = datetime.now(UTC).date()
    async with database.reading(scope(team)) as reading:
        costs = await read_verifier_costs(reading, team.team_id, since=today - timedelta(days=1))
    assert [(cost.model, cost.tokens.input, cost.tokens.output) for cost in costs] == [
        ("claude-sonnet-5-5", 2000, 200)
    ]
    price = BUILT_IN.prices["claude-sonnet-5-5"]
    assert sum(cost.cost_usd for cost in costs) == (2000 * price.input + 200 * price.output) / 1_000_000


async def test_a_call_is_on_the_ledger_before_the_next_one_begins(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = verdict("entailed")
    verifier = await provided.choose_verifier(database, team.team_id)
    claim = make_claim("FastAPI", "depends_on", "Starlette")
    for calls in (1, 2):
        await verifier.judge(claim, cite("[[FastAPI depends on Starlette]]."))
        async with database.reading(scope(team)) as reading:
            [cost] = await read_verifier_costs(reading, team.team_id, since=datetime.now(UTC).date())
        assert cost.tokens.input == 1000 * calls


async def test_who_verifies_follows_the_setting_and_the_key_of_the_moment(
    monkeypatch: pytest.MonkeyPatch, database: Database, team: Caller, provided: Provider
) -> None:
    async def chosen(by: Provider) -> type:
        return type(await by.choose_verifier(database, team.team_id))

    assert await chosen(provided) is ProviderVerifier
    monkeypatch.delenv(KEY_VARIABLE)
    assert await chosen(provided) is LexicalVerifier
    monkeypatch.setenv(FILE_VARIABLE, "/nowhere/key")
    assert await chosen(provided) is LexicalVerifier
    async with open_provider(Settings.model_validate({"verifier": "provider"})) as always:
        assert await chosen(always) is ProviderVerifier
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    async with open_provider(Settings.model_validate({"verifier": "lexical"})) as never:
        assert await chosen(never) is LexicalVerifier


async def test_a_team_that_has_used_up_its_day_is_verified_lexically(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = verdict("entailed")
    usual = bound_verdict(provided.verifier, provided.prices)
    await set_setting(database, team, "max_daily_cost_usd", str(usual.cost_usd))
    first = await submit(database, team, state("Gradio", "depends_on", "Uvicorn"))
    await place(database, team, first, provided)
    assert len(server.messages) == 1
    second = await submit(database, team, state("Gradio", "depends_on", "FastAPI"))
    placement = await place(database, team, second, provided)
    assert len(server.messages) == 1, "there is no room for all that another one might cost"
    [outcome] = placement.relationship_outcomes
    assert outcome.category == "relationship_validated_claim", "the sentence is one that rules can read"


async def test_a_cap_that_is_reached_in_a_placement_leaves_the_rest_waiting_without_a_verdict(
    database: Database, team: Caller, server: ProviderServer
) -> None:
    server.speak = verdict("entailed")
    names = ("Uvicorn", "FastAPI", "Jupyter")
    async with open_provider(
        Settings.model_validate({"anthropic_base_url": server.url, "verifier": "provider"})
    ) as strict:
        first = await submit(database, team, depends_on_each("Gradio", ["Sanic-2"]))
        await place(database, team, first, strict)
        [one] = await rows(database, team, "SELECT cost_usd, charged_usd FROM verifier_permits")
        await set_setting(database, team, "max_daily_cost_usd", str(one["charged_usd"] + one["cost_usd"]))

        ingest_id = await submit(database, team, depends_on_each("Gradio", names))
        placement = await place(database, team, ingest_id, strict)
        assert placement.processing_state == "queued"
        placed = [one for one in placement.relationship_outcomes if one.category is not None]
        assert (len(placed), len(server.messages)) == (1, 2)
        assert [error["code"] for error in placement.errors] == ["verifier_over_budget"] * 2
        assert len(await rows(database, team, "SELECT id FROM verification_events")) == 2
        [item] = await rows(
            database,
            team,
            "SELECT run_at > now() AS is_later, finished_at, attempt FROM work_items WHERE item_id = %(id)s",
            id=ingest_id,
        )
        assert item == {"is_later": True, "finished_at": None, "attempt": 0}

        await set_setting(database, team, "max_daily_cost_usd", "5")
        assert (await place(database, team, ingest_id, strict)).processing_state == "completed"
    assert len(server.messages) == 1 + len(names)


async def test_a_verifier_asked_for_by_name_waits_for_the_next_day(
    database: Database, team: Caller, server: ProviderServer
) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "0")
    fields = {"anthropic_base_url": server.url, "verifier": "provider"}
    ingest_id = await submit(database, team, state("Gradio", "depends_on", "Uvicorn"))
    async with open_provider(Settings.model_validate(fields)) as strict:
        placement = await place(database, team, ingest_id, strict)
    assert placement.processing_state == "queued"
    assert [error["code"] for error in placement.errors] == ["verifier_over_budget"]
    assert server.requests == []
