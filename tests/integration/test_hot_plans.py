"""Each statement of the frequent requests touches a few blocks, in a small instance and in one of a million rows.

What is looked at is what requests really told the database. The long form is `make bench-plans`; the bounds are
the same, for what a request costs must not depend on how much others know.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import JsonbDumper

from app.cli.bench.http.loading import Loaded, LoadedTeam, Size, load_instance
from app.cli.bench.http.recording import Told, record_requests
from app.cli.bench.http.requests import Asked, make_requests
from app.kernel.backend import Backend
from app.kernel.database import Database
from app.kernel.settings import Settings
from app.recall.related import Surroundings, ask_related
from tests.databases import SERVICE_LOGIN, admin_url, create_database, drop_database, service_url
from tests.plans import blocks, explain

# Hypotheses and Relationships; the long form asks a million of each in 1 000 teams.
ROWS: Final = int(os.environ.get("DENSEMEM_PLAN_ROWS", "1000"))
SIZE: Final = Size(hypotheses=ROWS, relationships=ROWS, teams=max(3, min(ROWS // 100, 1_000)), seed=2)
# Requests of each operation.
COUNT: Final = 3
# So many blocks a statement at most: 8 KiB each, mostly the same few again and again.
MOST_BLOCKS: Final = {
    "list_dreams": 2_500,
    "get_dream": 600,
    "recall": 20_000,
    "remember": 300,
    "feedback": 600,
}
# A table of so few rows may well be read as a whole.
FEW_ROWS: Final = 5_000
LISTS: Final = (
    "/v1/dreams?sort=likelihood&min_likelihood=0.3",
    "/v1/dreams?sort=newest&status=proposed&status=reinforced",
    "/v1/dreams?limit=100&status=rejected",
)


@dataclass(frozen=True, slots=True)
class World:
    """A database with an instance in it."""

    backend: Backend
    name: str
    loaded: Loaded


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[World]:
    name = create_database()
    backend = Backend(service_url(name), None, admin_url(name), SERVICE_LOGIN, is_embedded=True)
    yield World(backend, name, load_instance(backend, settings, SIZE))
    drop_database(name)


@pytest.mark.parametrize("operation", list(MOST_BLOCKS))
async def test_every_statement_of_a_request_touches_few_blocks(
    world: World, settings: Settings, operation: str
) -> None:
    database = Database(settings, url=world.backend.service_url)
    await database.open()
    recorded = await record_requests(database, settings, requests(world.loaded, operation))
    await database.close()
    with psycopg.connect(admin_url(world.name), autocommit=True) as connection:
        connection.adapters.register_dumper(dict, JsonbDumper)
        large = find_large_tables(connection)
        assert ("hypotheses" in large) == (ROWS > FEW_ROWS)
        for request in recorded:
            # Whose request it is, as the last transaction of it was told.
            [*_, entry] = [told for told in request if "'densemem.team_id'" in str(told.sql)]
            connection.execute("SELECT set_config('densemem.team_id', %s, false)", [entry.params["team_id"]])
            connection.execute("SET ROLE densemem_app")
            for mode in ("force_custom_plan", "force_generic_plan"):
                connection.execute(sql.SQL("SET plan_cache_mode = {}").format(sql.Literal(mode)))
                for told in request:
                    check(connection, told, operation, large)
            connection.execute("RESET ROLE")


def check(
    connection: psycopg.Connection[tuple[Any, ...]], told: Told, operation: str, large: Sequence[str]
) -> None:
    """Look at the plan of one statement, unless it only begins, sets or ends."""
    query = told.sql if isinstance(told.sql, str) else told.sql.decode()
    if query.strip().startswith(("BEGIN", "COMMIT", "SELECT set_config")):
        return
    # Rows that a request has inserted are there already.
    plan = explain(connection, query, told.params, carries_out=not query.strip().startswith("INSERT"))
    for table in large:
        assert f"Seq Scan on {table}" not in plan, f"{query}\n{plan}"
    assert blocks(plan) <= MOST_BLOCKS[operation], f"{query}\n{plan}"


def requests(loaded: Loaded, operation: str) -> list[Asked]:
    """Return requests of the largest team and of others."""
    asked = make_requests([loaded.teams[0]], seed=1, count=1)[operation]
    asked += make_requests(loaded.teams, seed=2, count=COUNT)[operation]
    if operation == "list_dreams":
        asked += [Asked(team, "GET", path) for path in LISTS for team in _ends(loaded.teams)]
    return asked


def _ends(teams: Sequence[LoadedTeam]) -> tuple[LoadedTeam, LoadedTeam]:
    return teams[0], teams[-1]


def find_large_tables(connection: psycopg.Connection[tuple[Any, ...]]) -> list[str]:
    """Return the tables that nobody should read as a whole."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > %s"
        " AND relnamespace = 'public'::regnamespace",
        [FEW_ROWS],
    )
    return [name for (name,) in rows]


def test_guesses_near_an_answer_are_weighed_from_the_indexes_of_their_ends_and_not_sorted_first(
    world: World,
) -> None:
    near = Surroundings("anything", datetime.now(UTC), ("group",), 10, ("entity",))
    query, params = ask_related("any", near, limit=5)
    with psycopg.connect(admin_url(world.name), autocommit=True) as connection:
        # As autovacuum leaves a table behind.
        connection.execute("VACUUM hypotheses")
        connection.execute("SET ROLE densemem_app")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        plan = explain(connection, str(query), params)
    assert "Index Only Scan using hypotheses_by_subject" in plan
    assert "Index Only Scan using hypotheses_by_object_entity" in plan
    assert "HashAggregate" in plan


def test_what_holds_now_is_asked_of_the_rows_alone(world: World) -> None:
    query = "SELECT * FROM held_relationships(%(team_id)s, now(), NULL) WHERE semantic_group_key = %(key)s"
    with psycopg.connect(admin_url(world.name)) as connection:
        connection.execute("SET LOCAL ROLE densemem_app")
        plan = explain(connection, query, {"team_id": "any", "key": "any"})
    assert "Join" not in plan
