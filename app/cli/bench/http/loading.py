"""A whole instance in bulk: teams by the ordinary way, what they know by COPY, past triggers and foreign keys.

On a server that holds nothing else, as a superuser, in one transaction: indexes that are no constraint's are made
after the rows, the rows are frozen, and the server is left at rest, so that nobody pays later for what a load
leaves undone.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, LiteralString

import psycopg
from psycopg import sql

from app.cli.bench.http.rows import TABLES, Numbers, TeamRows, make_rows
from app.cli.bench.recall.corpus import TeamCorpus, make_team, share_out
from app.cli.bench.recall.questions import make_questions
from app.cli.bench.remember import found_caller
from app.cli.database import open_database
from app.kernel.backend import Backend
from app.kernel.database import Database, Scope
from app.kernel.errors import SetupError
from app.kernel.settings import Settings
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import Predicate
from app.tenancy.callers import Caller
from app.tenancy.keys import KeyDraft, create_key

# Rows of relationships that are written at a time.
AT_ONCE: Final = 20_000
# Of a team's Hypotheses, the share that is asked about, and of how many teams something is asked in words.
SHARE_ASKED: Final = 0.01
LEAST_ASKED: Final = 20
TEAMS_WITH_QUESTIONS: Final = 60
QUESTIONS_OF_A_CLASS: Final = 2


@dataclass(frozen=True, slots=True)
class Size:
    """How much the instance holds, and what it is drawn from. The largest team has a few percent of all."""

    hypotheses: int
    relationships: int
    teams: int
    seed: int


@dataclass(frozen=True, slots=True)
class LoadedTeam:
    """Its key, how much of the instance it is, and what it can be asked about."""

    caller: Caller
    secret: str
    relationships: int
    hypothesis_ids: tuple[str, ...]
    product_names: tuple[str, ...]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The teams, the largest first, and how many rows there are in all tables."""

    teams: tuple[LoadedTeam, ...]
    rows: int
    hypotheses: int
    relationships: int


def load_instance(backend: Backend, settings: Settings, size: Size) -> Loaded:
    """Leave an empty migrated server with teams and their rows, its statistics up to date and all of it on disk.

    Raises:
        SetupError: the server holds a team already.
    """
    with psycopg.connect(backend.admin_url) as admin:
        if admin.execute(_ANY_TEAM).fetchone() is not None:
            raise SetupError("This server is in use; the measurement fills an empty one.")
    founded = asyncio.run(_found_all(backend, settings, size.teams))
    with psycopg.connect(backend.admin_url) as admin:
        # Triggers would tell of each row and look at each reference.
        admin.execute("SET LOCAL session_replication_role = replica")
        admin.execute("SET LOCAL maintenance_work_mem = '1GB'")
        admin.execute("SET LOCAL synchronous_commit = off")
        with _without_indexes(admin):
            loaded = _copy_all(admin, founded, size)
    with psycopg.connect(backend.admin_url, autocommit=True) as admin:
        # What the server would do by itself within minutes, beside whatever is measured.
        admin.execute("VACUUM (ANALYZE)")
        admin.execute("CHECKPOINT")
    return loaded


@dataclass(frozen=True, slots=True)
class _Founded:
    caller: Caller
    secret: str
    predicates: Mapping[str, Predicate]


async def _found_all(backend: Backend, settings: Settings, teams: int) -> list[_Founded]:
    async with open_database(settings, backend) as database:
        permits = asyncio.Semaphore(settings.pool_size)

        async def found() -> _Founded:
            async with permits:
                return await _found(database)

        return await asyncio.gather(*(found() for _ in range(teams)))


async def _found(database: Database) -> _Founded:
    caller = await found_caller(database)
    scope = Scope("app", caller.team_id)
    draft = KeyDraft(profile_id=caller.profile_id, scopes=frozenset({"read", "write"}))
    key = await database.unit_of_work(scope, lambda w: create_key(w, caller.team_id, draft))
    async with database.reading(scope) as reading:
        return _Founded(caller, key.secret, await list_predicates(reading, caller.team_id))


@contextmanager
def _without_indexes(admin: psycopg.Connection) -> Iterator[None]:
    """Make the indexes of the tables anew at the end of the block: sorted at once, not row by row."""
    found = admin.execute(_INDEXES, [list(TABLES)]).fetchall()
    for name, _ in found:
        admin.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
    yield
    for _, definition in found:
        admin.execute(definition.encode())


def _copy_all(admin: psycopg.Connection, founded: Sequence[_Founded], size: Size) -> Loaded:
    # Only what the same transaction has emptied can be written frozen. Nothing is in there yet.
    names = sql.SQL(", ").join(map(sql.Identifier, TABLES))
    admin.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))
    sizes, numbers, now = share_out(size.relationships, len(founded)), Numbers(), datetime.now(UTC)
    teams: list[LoadedTeam] = []
    waiting: dict[str, list[tuple[object, ...]]] = {table: [] for table in TABLES}
    counts = dict.fromkeys(TABLES, 0)
    for place, one in enumerate(founded):
        corpus = make_team(seed=size.seed, place=place, size=sizes[place])
        chance = random.Random(f"guesses/{size.seed}/{place}")
        made = make_rows(
            one.caller,
            corpus,
            one.predicates,
            hypotheses=round(size.hypotheses * sizes[place] / sum(sizes)),
            chance=chance,
            numbers=numbers,
            now=now,
        )
        teams.append(_describe(one, corpus, made, chance, asks=place < TEAMS_WITH_QUESTIONS, seed=size.seed))
        for table, rows in made.rows.items():
            waiting[table] += rows
            counts[table] += len(rows)
        if len(waiting["relationships"]) >= AT_ONCE or place == len(founded) - 1:
            _copy(admin, waiting)
    return Loaded(tuple(teams), sum(counts.values()), counts["hypotheses"], counts["relationships"])


def _copy(admin: psycopg.Connection, waiting: Mapping[str, list[tuple[object, ...]]]) -> None:
    for table, columns in TABLES.items():
        statement = sql.SQL("COPY {} ({}) FROM STDIN WITH (FREEZE)").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns.split(", ")))
        )
        with admin.cursor() as cursor, cursor.copy(statement) as copy:
            for row in waiting[table]:
                copy.write_row(row)
        waiting[table].clear()


def _describe(
    founded: _Founded, corpus: TeamCorpus, made: TeamRows, chance: random.Random, *, asks: bool, seed: int
) -> LoadedTeam:
    open_ids = made.open_hypothesis_ids
    asked = min(len(open_ids), max(LEAST_ASKED, round(SHARE_ASKED * len(open_ids))))
    products = [one.name for one in corpus.entities if one.kind == "product"]
    questions = make_questions([corpus], seed=seed, each=QUESTIONS_OF_A_CLASS) if asks else ()
    return LoadedTeam(
        caller=founded.caller,
        secret=founded.secret,
        relationships=len(corpus.known),
        hypothesis_ids=tuple(chance.sample(open_ids, asked)),
        product_names=tuple(chance.sample(products, min(len(products), LEAST_ASKED))),
        questions=tuple(one.text for one in questions),
    )


_ANY_TEAM: LiteralString = "SELECT FROM teams LIMIT 1"
# Those of constraints stay: foreign keys rest on them.
_INDEXES: LiteralString = """
    SELECT relation.relname, pg_get_indexdef(relation.oid)
    FROM pg_index AS index
    JOIN pg_class AS relation ON relation.oid = index.indexrelid
    WHERE index.indrelid = ANY (%s::regclass[])
      AND NOT EXISTS (SELECT FROM pg_constraint AS held WHERE held.conindid = index.indexrelid)
"""
