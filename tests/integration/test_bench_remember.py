"""The measurement of `remember`: the very same rows twice, once through every step and once raw."""

import pytest

from app.cli.bench.remember import measure
from app.kernel.database import Database
from app.kernel.settings import Settings


@pytest.mark.parametrize(("batch", "fewest_rows"), [(1, 12 * 9), (5, 12 * 7)])
async def test_a_batch_is_measured_beside_its_own_raw_rows(
    database: Database, settings: Settings, batch: int, fewest_rows: int
) -> None:
    measured = await measure(database, settings, relationships=12, batch=batch)
    assert (measured.batch, measured.relationships) == (batch, 12)
    assert measured.rows >= fewest_rows
    assert 0 < measured.total_rate < measured.raw_rate
    assert measured.total_rate <= min(measured.accept_rate, measured.place_rate)
