"""Cycles that ask the provider: what is sent, what is believed, what it costs."""

import json
import re

import pytest

from app.dreaming.generation import RULES_VERSION
from app.hypotheses.queries import get_hypothesis
from app.kernel.database import Database, Scope
from app.kernel.ids import ID_ANYWHERE
from app.tenancy.callers import Caller
from tests.cycles import (
    Pattern,
    read_hypotheses,
)
from tests.dreamer import Shown
from tests.factories import CANDIDATE, Position, make_entity, make_relationship, make_value
from tests.integration.provider.dreaming import Dreaming, dream, first_idea, saying, shown_in
from tests.provider_server.replies import (
    MODEL,
    Said,
)
from tests.provider_server.server import KEY

SECRET = "sk-ant-a-secret-of-the-evidence-0123456789"
EVIDENCE = f"Nobody may read this sentence, least of all {SECRET}."


async def test_an_idea_of_the_model_becomes_a_hypothesis_with_its_version(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.speak = saying(first_idea)
    run = await dream(database, team, dreaming)
    assert (run.status, run.generator_kind, run.generator_version) == ("succeeded", "provider", "dreamer-v1")
    assert run.model == MODEL
    assert run.funnel["persisted"] == 1
    [row] = await read_hypotheses(database, team)
    assert row["statement"] == "Library 4 may use Engine 4.", "not the model's own words"
    assert (row["generator_kind"], row["generator_version"]) == (
        "provider",
        f"dreamer-v1+{RULES_VERSION}",
    )
    assert row["likelihood"] == 0.6
    assert row["paths"], "the rules' explanation comes along"
    async with database.reading(Scope("app", team.team_id)) as reading:
        shown, _ = await get_hypothesis(reading, team.team_id, row["id"])
    assert shown.explanation.premises


async def test_what_it_used_is_on_the_run(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_input_tokens": 3000,
        "cache_creation_input_tokens": 500,
    }
    dreaming.server.speak = lambda body: Said(text=first_idea(shown_in(body)), usage=usage)
    run = await dream(database, team, dreaming)
    used = run.usage
    assert (used.input_tokens, used.output_tokens) == (1000, 200)
    assert (used.cache_read_tokens, used.cache_write_tokens, used.turns) == (3000, 500, 1)
    assert used.cost_usd == pytest.approx((1000 * 4 + 200 * 20 + 3000 * 0.2 + 500 * 5) / 1_000_000)


async def test_forty_groups_send_no_id_no_evidence_no_rationale_and_no_secret(
    database: Database, team: Caller, dreaming: Dreaming
) -> None:
    subjects = [await make_entity(database, team, f"Package {n}", aliases=(f"pkg{n}",)) for n in range(24)]
    hubs = [await make_entity(database, team, f"Toolkit {n}", kind="project") for n in range(4)]
    version = await make_value(database, team, "3.11")
    for place, subject in enumerate(subjects):
        position = CANDIDATE if place % 5 == 4 else Position()
        position = Position(tier=position.tier, status=position.status, content=EVIDENCE)
        await make_relationship(database, team, subject, "depends_on", hubs[place % 4], position)
        await make_relationship(
            database, team, subject, "uses", hubs[(place + 1) % 4], Position(content=EVIDENCE)
        )
    await make_relationship(database, team, subjects[0], "requires_python", version)
    dreaming.server.speak = saying(lambda shown: shown.answer())
    run = await dream(database, team, dreaming)
    assert run.status == "succeeded", run.error
    assert run.funnel["groups"] == 40

    # Everything that was sent, but for the one header that carries the key.
    wire = [
        f"{request.path} { ({**request.headers, 'authorization': ''}) } {request.body.decode()}"
        f" {json.dumps(request.json, ensure_ascii=False)}"
        for request in dreaming.server.requests
    ]
    assert len(wire) == 2, "counted, then asked"
    assert len(dreaming.server.messages) == 1
    shown = shown_in(dreaming.server.messages[0])
    assert len(shown.groups) == 40
    assert "candidate" in {row[4] for row in shown.document["paths"]}
    async with database.reading(Scope("app", team.team_id)) as reading:
        verdicts = await reading.fetch_all(
            "SELECT rationale FROM verification_events WHERE team_id = %(team_id)s", {"team_id": team.team_id}
        )
    rationales = {row["rationale"] for row in verdicts}
    assert rationales
    forbidden = [team.team_id, team.profile_id, run.run_id, SECRET, "Nobody may read", KEY, *rationales]
    for text in wire:
        assert not ID_ANYWHERE.search(text)
        assert not re.search(r"[0-9a-f]{32}", text), "no digest either"
        assert not [each for each in forbidden if each in text]


async def test_each_bad_item_is_rejected_and_counted_and_the_good_one_stays(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    def answer(shown: Shown) -> str:
        good = json.loads(first_idea(shown))["ideas"][0]
        spoilt = [
            {**good, "subject": "node_99"},
            {**good, "likelihood": 1.7},
            {**good, "statement": "Library 4 uses Engine 4."},
            {**good, "tier": "fact"},
        ]
        return shown.answer(*spoilt, good)

    dreaming.server.speak = saying(answer)
    run = await dream(database, team, dreaming)
    assert run.status == "partially_rejected"
    counts = {rejection["reason"]: rejection["count"] for rejection in run.rejections}
    assert counts == {"schema_invalid": 2, "unknown_reference": 1, "statement_invalid": 1}
    assert run.funnel["generated"] == 5
    assert run.funnel["persisted"] == 1


async def test_triggers_with_unchanged_inputs_are_one_call(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.speak = saying(first_idea)
    runs = [await dream(database, team, dreaming) for _ in range(6)]
    assert [run.status for run in runs] == ["succeeded", *["skipped"] * 5]
    assert len(dreaming.server.messages) == 1
    assert len(await read_hypotheses(database, team)) == 1
