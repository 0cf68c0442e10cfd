"""What is kept of a conversation with the provider: for operators, for some days, without secrets."""

import asyncio
import json
from collections.abc import Callable, Sequence
from time import process_time

import psycopg
import pytest

from app.dreaming.provider.conversation import Line
from app.dreaming.provider.exchange import MOST_CHARACTERS, describe_request
from app.dreaming.provider.exchanges import KeptExchange, list_exchanges, purge_exchanges
from app.dreaming.provider.generator import PROMPT, provider_generator
from app.dreaming.provider.sheet import Sheet
from app.dreaming.runs.history import Run
from app.kernel.database import Database, Role, Scope
from app.kernel.errors import NotFound
from app.kernel.settings import Settings
from app.llm.model import Answered, Malformed, Message, Outcome, Question, Refused
from app.llm.prices import BUILT_IN
from app.llm.prompts import load_prompt
from app.llm.redaction import REDACTED, cap, redact, redact_json
from app.llm.scripted import SCRIPTED_NAME, ScriptedModel
from app.llm.usage import Usage
from app.tenancy.callers import Caller
from app.worker.loop import run_worker
from tests.conftest import MakeTeam
from tests.cycles import Pattern, make_pattern, run_once
from tests.databases import admin_url
from tests.dreamer import read_shown

KEY = "the-key-of-the-moment-0123456789"
SECRET = "sk-ant-0123456789abcdef"
Script = Sequence[str | Outcome] | Callable[[Question], str]


@pytest.fixture
async def pattern(database: Database, team: Caller) -> Pattern:
    return await make_pattern(database, team)


async def dream(database: Database, team: Caller, script: Script | None = None, *, days: int = 7) -> Run:
    def answer(question: Question) -> str:
        shown = read_shown(question.messages[0].text)
        rationale = f"It said {SECRET} and {KEY}."
        good = shown.idea(shown.groups[0], "Uses", rationale=rationale)
        return shown.answer(good, {"nonsense": True})

    line = Line(
        model=ScriptedModel(script if script is not None else answer),
        prices=BUILT_IN,
        prompt=load_prompt(PROMPT),
        exchange_days=days,
        secrets=lambda: (KEY,),
    )
    return await run_once(database, team, generator=provider_generator(line, falls_back=True))


async def read_kept(database: Database, team: Caller, run: Run) -> tuple[KeptExchange, ...]:
    async with database.reading(Scope("app", team.team_id)) as reading:
        return await list_exchanges(reading, team.team_id, run.run_id)


def expire(database_name: str, run: Run) -> None:
    """Let the days of the run's exchanges be over, as nobody but a superuser could."""
    with psycopg.connect(admin_url(database_name), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE provider_exchanges SET expires_at = clock_timestamp() - interval '1 second'"
            " WHERE cycle_run_id = %s",
            [run.run_id],
        )


async def test_nothing_is_kept_unless_the_installation_asks_for_it(
    database: Database, team: Caller, pattern: Pattern
) -> None:
    run = await dream(database, team, days=0)
    assert run.generator_kind == "provider"
    assert await read_kept(database, team, run) == ()


async def test_a_turn_is_kept_with_what_its_references_meant_and_without_secrets(
    database: Database, team: Caller, pattern: Pattern
) -> None:
    run = await dream(database, team)
    [kept] = await read_kept(database, team, run)
    assert (kept.turn, kept.outcome, kept.fault, kept.ideas, kept.malformed) == (1, "answered", None, 2, 1)
    assert kept.prompt_version == "dreamer-v1"
    assert kept.request is not None
    assert kept.answer is not None
    assert kept.references is not None
    assert SECRET not in kept.answer
    assert KEY not in kept.answer
    assert REDACTED in kept.answer
    shown = read_shown(kept.request.removeprefix("[user]\n"))
    for reference, name in shown.names.items():
        assert kept.references[reference]["name"] == name  # type: ignore[index]  # A node's entry.
    sources = json.dumps(kept.references)
    assert pattern.last.relationship_id in sources
    assert (kept.expires_at - kept.created_at).days in (6, 7)


async def test_no_output_is_never_ambiguous(database: Database, team: Caller, pattern: Pattern) -> None:
    run = await dream(
        database, team, ["I would rather not.", Malformed("empty", Usage()), Refused("bio", Usage())]
    )
    turns = await read_kept(database, team, run)
    assert [(turn.turn, turn.outcome) for turn in turns] == [
        (1, "answered"),
        (2, "malformed"),
        (3, "refused"),
    ]
    assert turns[0].fault is not None
    assert turns[0].answer == "I would rather not."
    assert (turns[1].answer, turns[2].answer) == (None, None)


async def test_nothing_that_is_kept_of_an_answer_holds_the_key_wherever_it_was_put(
    database: Database, team: Caller, pattern: Pattern
) -> None:
    hidden = "".join(f"\\u{ord(letter):04x}" for letter in KEY)

    def answer(question: Question) -> str:
        shown = read_shown(question.messages[0].text)
        if len(question.messages) == 1:
            return f'{{"{hidden}": 1, "{SECRET}": 1, "ideas": [], "request": "{shown.request}"}}'
        assert not any(KEY in one.text or hidden in one.text for one in question.messages)
        return shown.answer(
            {**shown.idea(shown.groups[0], "Uses"), KEY: 1}, {KEY: KEY}, [KEY], {"statement": KEY}
        )

    run = await dream(database, team, answer)
    turns = await read_kept(database, team, run)
    assert [turn.fault for turn in turns] == ["the answer's object: it has an unknown field", None]
    assert "it has an unknown field" in str(run.rejections)
    said = f"{turns!r} {run!r}"
    assert not any(secret in said for secret in (KEY, hidden, SECRET))


async def test_what_is_over_is_not_shown_and_then_taken_out_in_every_team(
    database: Database, database_name: str, team: Caller, pattern: Pattern
) -> None:
    run = await dream(database, team, ["no answer", Refused(None, Usage())])
    expire(database_name, run)
    over, _ = await read_kept(database, team, run)
    assert (over.fault, over.request, over.answer, over.references) == (None, None, None, None)
    assert over.outcome == "answered"
    assert await purge_exchanges(database) >= 1
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT fault, request, answer, reference_table FROM provider_exchanges WHERE cycle_run_id = %s",
            [run.run_id],
        ).fetchall()
    assert rows == [(None, None, None, None)] * 2
    assert await purge_exchanges(database) == 0


async def test_a_worker_takes_it_out_by_itself(
    database: Database, database_name: str, team: Caller, pattern: Pattern
) -> None:
    run = await dream(database, team)
    expire(database_name, run)
    stop = asyncio.Event()
    idle = Settings.model_validate({"worker_placements": 0, "worker_cycles": 0})
    working = asyncio.create_task(run_worker(database, idle, stop=stop))
    with psycopg.connect(admin_url(database_name), autocommit=True) as connection:
        query = "SELECT 1 FROM provider_exchanges WHERE cycle_run_id = %s AND answer IS NOT NULL"
        async with asyncio.timeout(60):
            while not working.done() and connection.execute(query, [run.run_id]).fetchone():
                await asyncio.sleep(0.02)
    stop.set()
    await working


async def test_a_long_answer_is_kept_up_to_a_length(
    database: Database, team: Caller, pattern: Pattern
) -> None:
    long = Answered("no JSON " * 20_000, SCRIPTED_NAME, Usage(turns=1))
    run = await dream(database, team, [long, Refused(None, Usage())])
    [kept, _] = await read_kept(database, team, run)
    assert kept.answer is not None
    assert "more characters left out" in kept.answer
    assert len(kept.answer) < 65_000


def test_a_long_request_is_kept_up_to_a_length_and_without_secrets() -> None:
    question = Question(
        instructions="",
        messages=(Message("user", f"{KEY} and {SECRET} " + "x" * 70_000),),
        schema={},
        max_output_tokens=1,
    )
    nothing = Sheet("request_1", 1, "", (), {}, {}, {}, {})
    kept = describe_request(question, nothing, model="m", prompt_version="dreamer-v1", secrets=(KEY,))
    assert kept.request.startswith(f"[user]\n{REDACTED} and {REDACTED}")
    assert "more characters left out" in kept.request
    assert len(kept.request) < 65_000
    assert kept.outcome == "submitted"


async def test_another_team_finds_no_such_run(
    database: Database, team: Caller, pattern: Pattern, make_team: MakeTeam
) -> None:
    run = await dream(database, team)
    other = await make_team()
    with pytest.raises(NotFound):
        await read_kept(database, other, run)


@pytest.mark.parametrize("name", ["app", "dreamer"])
async def test_no_role_changes_or_deletes_what_was_kept(
    database: Database, team: Caller, pattern: Pattern, name: Role
) -> None:
    await dream(database, team)
    scope = Scope(name, team.team_id)
    for statement in ("UPDATE provider_exchanges SET answer = 'x'", "DELETE FROM provider_exchanges"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await database.unit_of_work(scope, lambda w, query=statement: w.execute(query))  # type: ignore[misc]


def test_redaction_takes_keys_out_and_leaves_everything_else() -> None:
    text = f"a {SECRET} b dm_0123456789abcdef c Bearer abcdefghijklmnop d sk-short e\x00"
    assert redact(text) == f"a {REDACTED} b {REDACTED} c {REDACTED} d sk-short e\ufffd"
    assert redact("half \ud800 pair") == "half ? pair"
    assert redact("nothing", ("", "thing")) == f"no{REDACTED}"


def test_beginnings_of_keys_without_an_end_take_no_longer_than_other_text() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    assert redact(f"a {begin}\nabc\n{end} b") == f"a {REDACTED} b"
    assert redact(f"{begin} {begin}\nabc\n{end}") == f"{begin} {REDACTED}"
    many = begin * 32_000
    began = process_time()
    assert redact(many) == many
    assert process_time() - began < 5, "the square of their number would take minutes"


def test_long_texts_are_cut_with_a_mark() -> None:
    assert cap("abc", 3) == "abc"
    cut = cap("x" * (MOST_CHARACTERS + 5), MOST_CHARACTERS)
    assert cut.endswith("[5 more characters left out]")
    assert len(cut) < 70_000


def test_a_key_is_found_behind_the_escapes_of_json() -> None:
    hidden = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    assert redact_json(f'{{"a": "{hidden}"}}', [KEY]) == f'{{"a": "{REDACTED}"}}'
    assert redact_json(r'{"a": "\u0022\u005c\u00e9"}') == r'{"a": "\u0022\u005c\u00e9"}'
