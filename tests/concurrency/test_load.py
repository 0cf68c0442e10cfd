"""A short form of far too much load: nobody gets a 500, nobody waits for ever, and nothing is left behind."""

from collections.abc import Iterator

import pytest

from app.kernel.backend import Backend
from tests.databases import SERVICE_LOGIN, admin_url, create_database, drop_database, service_url
from tests.load.trial import Plan, run_trial


@pytest.fixture
def backend() -> Iterator[Backend]:
    name = create_database()
    yield Backend(service_url(name), None, admin_url(name), SERVICE_LOGIN, is_embedded=True)
    drop_database(name)


def test_more_clients_than_a_process_can_serve_are_answered_and_leave_nothing_behind(
    backend: Backend,
) -> None:
    trial = run_trial(backend, Plan(clients=100, unread_feeds=10, seconds=3))
    assert trial.find_faults() == [], trial.describe()
    assert trial.tally.aborted > 0
