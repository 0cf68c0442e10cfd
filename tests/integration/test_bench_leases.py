"""The measurement of leases runs to its end, ours and pgbench with the same statements."""

from app.cli.bench.leases import measure_all
from app.cli.bench.pgbench import find_pgbench
from app.kernel.backend import Backend
from app.kernel.settings import Settings
from tests.databases import SERVICE_LOGIN, admin_url, service_url


async def test_leases_are_measured_beside_the_same_statements_under_pgbench(
    settings: Settings, database_name: str
) -> None:
    backend = Backend(
        service_url=service_url(database_name),
        dreamer_url=None,
        admin_url=admin_url(database_name),
        service_login=SERVICE_LOGIN,
        is_embedded=True,
    )
    [measured] = await measure_all(backend, settings, [1], 1)
    assert measured.rate > 0
    assert (measured.pgbench_rate is None) == (find_pgbench() is None)
    assert measured.share is None or measured.share > 0
