"""A small form of the measurement of the door: it loads, asks, writes scripts for pgbench, and judges."""

from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest

from app.cli.bench.http.loading import Size, load_instance
from app.cli.bench.http.measuring import Plan, measure_door
from app.cli.bench.http.report import BAR_CLIENTS, judge, write_bars, write_rows
from app.cli.bench.http.rows import TABLES
from app.cli.bench.pgbench import find_pgbench
from app.kernel.backend import Backend
from app.kernel.errors import SetupError
from app.kernel.settings import Settings
from tests.databases import SERVICE_LOGIN, admin_url, create_database, drop_database, service_url

SIZE = Size(hypotheses=300, relationships=300, teams=3, seed=2)
OPERATIONS = {"bare", "list_dreams", "get_dream", "recall", "remember", "feedback"}


@pytest.fixture
def backend() -> Iterator[Backend]:
    name = create_database()
    yield Backend(
        service_url=service_url(name),
        dreamer_url=None,
        admin_url=admin_url(name),
        service_login=SERVICE_LOGIN,
        is_embedded=True,
    )
    drop_database(name)


def test_the_door_is_measured_beside_a_bare_endpoint_and_its_own_statements(
    backend: Backend, settings: Settings
) -> None:
    loaded = load_instance(backend, settings, SIZE)
    assert len(loaded.teams) == SIZE.teams
    assert loaded.relationships >= SIZE.relationships
    assert SIZE.hypotheses - SIZE.teams <= loaded.hypotheses <= SIZE.hypotheses + SIZE.teams
    with psycopg.connect(backend.admin_url) as admin:
        # What was loaded past the foreign keys and without indexes is whole all the same.
        assert admin.execute("SELECT count(*) FROM eligible_relationships").fetchone() == (
            loaded.relationships,
        )
        assert admin.execute("SELECT count(*) FROM hypothesis_sources").fetchone() == (2 * loaded.hypotheses,)
        assert admin.execute("SELECT FROM pg_indexes WHERE indexname = 'hypotheses_newest'").fetchone() == ()
        # Nothing is left that the server would do beside what is measured.
        assert admin.execute(_NEVER_TIDIED, [list(TABLES)]).fetchall() == []

    points = measure_door(
        backend, settings, loaded, Plan(clients=[BAR_CLIENTS], seconds=0.2, seed=1, scripts=3)
    )
    assert {point.operation for point in points} == OPERATIONS
    for point in points:
        assert point.refused == 0, point
        assert point.rate > 0
        assert point.api_ms > 0
        assert 0 < point.p50_ms <= point.p99_ms
        assert (point.pgbench_rate is None) == (point.operation == "bare" or find_pgbench() is None)
    assert [row["operation"] for row in write_rows(points)] == [point.operation for point in points]
    assert {bar["met"] for bar in write_bars(judge(points))} <= {"no", "yes", "goal"}
    assert len(judge(points)) == 5

    with pytest.raises(SetupError, match="in use"):
        load_instance(backend, settings, SIZE)


_NEVER_TIDIED: LiteralString = """
    SELECT relname FROM pg_stat_user_tables
    WHERE relname = ANY (%s) AND (last_vacuum IS NULL OR last_analyze IS NULL)
"""
