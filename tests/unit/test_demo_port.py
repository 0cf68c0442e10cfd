"""Where a demo serves that is kept."""

import pytest

from app.cli.demo.stage import choose_port
from app.kernel.settings import Settings


def test_a_kept_demo_serves_at_the_port_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DENSEMEM_PORT", "18420")
    assert choose_port(Settings(), keeps_serving=True) == 18420
    # One that goes is no reason to disturb what serves there.
    assert choose_port(Settings(), keeps_serving=False) == 0


def test_a_kept_demo_of_no_port_takes_a_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DENSEMEM_PORT", raising=False)
    assert choose_port(Settings(), keeps_serving=True) == 0
