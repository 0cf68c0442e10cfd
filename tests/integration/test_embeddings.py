"""Recall by meaning: what embeddings add, what they leave alone, and what is said when they are not there."""

import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, LiteralString

import psycopg
import pytest

import app.recall.recall as recalling
from app.cli.bench.remember import found_caller
from app.kernel import migrate as migrating
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.recall.configured_embedder import MissingEmbedder, open_embedder
from app.recall.embedder import EmbeddingModel
from app.recall.embeddings import SEARCH, embed_team
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from app.worker.duties import embed_duty
from tests import factories
from tests.conftest import MakeTeam
from tests.databases import SERVICE_LOGIN, admin_url, create_database, drop_database, service_url
from tests.factories import Position
from tests.integration.recall_rows import Ledger

# What means the same shares a direction.
MEANINGS: Final = (
    {"automobile", "car", "vehicle"},
    {"wheel", "tyre"},
    {"depends", "needs"},
    {"maintained", "looks", "after"},
    {"licensed", "permitted"},
)

# A candidate that has all that it needs to be more.
NEARLY: Final = Position(tier="candidate", status="pending_evidence", verdict="entailed", has_support=True)


@dataclass
class ScriptedEmbedder:
    """Knows a few words that mean the same, and remembers what it was asked."""

    model: EmbeddingModel = field(default_factory=lambda: EmbeddingModel("scripted", "1"))
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        words = set(text.casefold().replace(".", "").replace("?", "").split())
        parts = [float(len(words & meaning)) for meaning in MEANINGS]
        length = sum(part**2 for part in parts) ** 0.5
        return [part / length if length else 0.0 for part in parts]


@pytest.fixture
def ledger(database: Database, team: Caller) -> Ledger:
    return Ledger(database, team, {})


@pytest.fixture
def embedder() -> ScriptedEmbedder:
    return ScriptedEmbedder()


async def ask(
    ledger: Ledger,
    query: str,
    embedder: ScriptedEmbedder | MissingEmbedder | None,
    *,
    valid_at: datetime | None = None,
    known_at: datetime | None = None,
) -> RecallAnswer:
    asked = RecallQuery(query, valid_at=valid_at, known_at=known_at)
    return await recall(ledger.database, ledger.caller, asked, now=datetime.now(UTC), embedder=embedder)


async def test_what_means_the_same_is_found_in_other_words(
    ledger: Ledger, embedder: ScriptedEmbedder
) -> None:
    meant = await ledger.say("Automobile", "depends_on", "Wheel")
    await ledger.say("Flask", "licensed_under", "MIT")
    assert (await ask(ledger, "car tyre", None)).results == ()
    assert await embed_team(ledger.database, embedder, ledger.caller.team_id) == 2
    answer = await ask(ledger, "car tyre", embedder)
    assert answer.results[0].relationship_id == meant.relationship_id
    assert "embeddings" in answer.results[0].matched_by
    assert answer.degradations == ()


async def test_words_that_say_what_is_asked_for_outweigh_meaning(
    ledger: Ledger, embedder: ScriptedEmbedder
) -> None:
    asked_for = await ledger.say("Automobile", "licensed_under", "MIT")
    await ledger.say("Automobile", "depends_on", "Wheel")
    await embed_team(ledger.database, embedder, ledger.caller.team_id)
    query = "What is Automobile licensed under, vehicle that needs tyre?"
    with_it, without = await ask(ledger, query, embedder), await ask(ledger, query, None)
    assert with_it.results[0].relationship_id == asked_for.relationship_id
    assert [one.relationship_id for one in with_it.results] == [
        one.relationship_id for one in without.results
    ]


async def test_vectors_are_made_once_and_of_no_mere_candidate(
    ledger: Ledger, embedder: ScriptedEmbedder
) -> None:
    await ledger.say("Automobile", "depends_on", "Wheel")
    candidate = await ledger.say("Automobile", "depends_on", "Tyre", NEARLY)
    team_id = ledger.caller.team_id
    assert await embed_team(ledger.database, embedder, team_id) == 1
    assert await embed_team(ledger.database, embedder, team_id) == 0
    await factories.change_relationship(
        ledger.database, ledger.caller, candidate.relationship_id, tier="fact", status="active"
    )
    assert await embed_team(ledger.database, embedder, team_id) == 1
    assert embedder.asked == ["Automobile depends on Wheel.", "Automobile depends on Tyre."]


async def test_vectors_of_another_model_are_compared_with_nothing_and_replaced(
    ledger: Ledger, embedder: ScriptedEmbedder
) -> None:
    await ledger.say("Automobile", "depends_on", "Wheel")
    await embed_team(ledger.database, embedder, ledger.caller.team_id)
    newer = ScriptedEmbedder(EmbeddingModel("scripted", "2"))
    assert (await ask(ledger, "car", newer)).results == ()
    assert await embed_team(ledger.database, newer, ledger.caller.team_id) == 1
    assert len((await ask(ledger, "car", newer)).results) == 1
    assert (await ask(ledger, "car", embedder)).results == ()


async def test_no_other_team_is_found_by_meaning(
    ledger: Ledger, embedder: ScriptedEmbedder, make_team: MakeTeam
) -> None:
    await ledger.say("Automobile", "depends_on", "Wheel")
    await embed_team(ledger.database, embedder, ledger.caller.team_id)
    stranger = Ledger(ledger.database, await make_team(), {})
    assert (await ask(stranger, "car", embedder)).results == ()


async def test_meaning_answers_as_of_a_moment_too(ledger: Ledger, embedder: ScriptedEmbedder) -> None:
    before = datetime.now(UTC)
    start = datetime(2020, 1, 1, tzinfo=UTC)
    made = await ledger.say("Automobile", "depends_on", "Wheel", Position(valid_from=start))
    known = datetime.now(UTC)
    await factories.change_relationship(
        ledger.database, ledger.caller, made.relationship_id, status="retracted"
    )
    await embed_team(ledger.database, embedder, ledger.caller.team_id)
    assert (await ask(ledger, "car", embedder)).results == ()
    assert len((await ask(ledger, "car", embedder, known_at=known)).results) == 1
    assert (await ask(ledger, "car", embedder, known_at=before)).results == ()
    early = await ask(ledger, "car", embedder, known_at=known, valid_at=datetime(2019, 1, 1, tzinfo=UTC))
    assert early.results == ()


async def test_a_model_that_is_not_there_costs_its_part_only(ledger: Ledger) -> None:
    await ledger.say("Automobile", "depends_on", "Wheel")
    answer = await ask(ledger, "Automobile", MissingEmbedder("The extra 'embed' is not installed."))
    assert len(answer.results) == 1
    assert [(one.part, one.code) for one in answer.degradations] == [("embeddings", "embeddings_unavailable")]


async def test_a_model_that_hangs_costs_its_part_only(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ledger.say("Automobile", "depends_on", "Wheel")
    released = threading.Event()

    class Hanging(ScriptedEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            released.wait(30)
            return super().embed(texts)

    monkeypatch.setattr(recalling, "MEANT_TIMEOUT_SECONDS", 0.05)
    try:
        answer = await ask(ledger, "Automobile", Hanging())
    finally:
        released.set()
    assert len(answer.results) == 1
    assert [one.code for one in answer.degradations] == ["embeddings_unavailable"]


@pytest.fixture
async def plain(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Database, str]]:
    """A database of a server without pgvector, and the administrator's address of it."""
    name = create_database(empty=True)
    with monkeypatch.context() as patched:
        patched.setattr(migrating, "offer_vectors", lambda connection: None)
        migrating.migrate(admin_url(name), role_prefix="densemem", service_login=SERVICE_LOGIN)
    database = Database(settings, url=service_url(name))
    await database.open()
    yield database, admin_url(name)
    await database.close()
    drop_database(name)


async def test_a_server_without_pgvector_serves_all_else_and_catches_up_when_it_comes(
    plain: tuple[Database, str], embedder: ScriptedEmbedder
) -> None:
    database, address = plain
    team = await found_caller(database)
    ledger = Ledger(database, team, {})
    await ledger.say("Automobile", "depends_on", "Wheel")
    assert await embed_team(database, embedder, team.team_id) == 1
    answer = await ask(ledger, "Automobile", embedder)
    assert len(answer.results) == 1
    assert [one.code for one in answer.degradations] == ["embeddings_unavailable"]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    assert "embeddings" in (await ask(ledger, "car", embedder)).results[0].matched_by


async def test_the_duty_goes_to_the_teams_that_changed(
    database: Database, make_team: MakeTeam, embedder: ScriptedEmbedder
) -> None:
    ledgers = [Ledger(database, await make_team(), {}) for _ in range(2)]
    for one in ledgers:
        await one.say("Automobile", "depends_on", "Wheel")
    duty = embed_duty(database, embedder)
    assert await duty.fulfil() is not None
    assert await _vectors(ledgers) == [1, 1]
    await ledgers[0].say("Car", "depends_on", "Wheel")
    before = len(embedder.asked)
    await duty.fulfil()
    assert await _vectors(ledgers) == [2, 1]
    assert embedder.asked[before:].count("Car depends on Wheel.") == 1


async def _vectors(ledgers: Sequence[Ledger]) -> list[int]:
    counts = []
    for ledger in ledgers:
        team_id = ledger.caller.team_id
        async with ledger.database.reading(Scope("app", team_id)) as reading:
            row = await reading.fetch_one("SELECT count(*) AS n FROM relationship_embeddings")
        assert row is not None
        counts.append(row["n"])
    return counts


async def test_vectors_are_read_by_the_teams_key_and_what_holds_by_its_own(
    database_name: str, team: Caller
) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(_FILL, {"team_id": team.team_id})
        connection.execute("ANALYZE relationship_embeddings")
        connection.execute("SELECT set_config('role', 'densemem_app', true)")
        connection.execute("SELECT set_config('densemem.team_id', %s, true)", [team.team_id])
        params = {"team_id": team.team_id, "model": "scripted", "version": "1", "vector": [0.1] * 8}
        moment = {"at": datetime.now(UTC), "known": None, "most": 400, "limit": 200}
        rows = connection.execute("EXPLAIN " + SEARCH, params | moment).fetchall()
        connection.rollback()
    plan = "\n".join(str(row[0]) for row in rows)
    assert "pk_relationship_embeddings" in plan, plan
    assert "Seq Scan" not in plan, plan


def test_no_folder_means_no_embedder_and_an_empty_one_says_why(tmp_path: Path) -> None:
    assert open_embedder(None) is None
    found = open_embedder(tmp_path)
    assert isinstance(found, MissingEmbedder)
    assert "embed" in found.why.casefold()
    assert str(tmp_path) not in found.why


# A hundred teams of a hundred vectors each.
_FILL: LiteralString = """
    INSERT INTO relationship_embeddings
        (team_id, relationship_id, model_name, model_version, text_digest, vector)
    SELECT CASE WHEN team = 0 THEN %(team_id)s ELSE 'team_' || team END, 'rel_' || n, 'scripted', '1', 'x',
           array_fill(0.1::real, ARRAY[8])
    FROM generate_series(0, 99) AS team, generate_series(1, 100) AS n
"""
