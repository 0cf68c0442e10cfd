"""Log lines: JSON, ours and other libraries', and nothing that a message might quote."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from app.kernel.logs import configure_logs


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    structlog.reset_defaults()


def test_our_line_carries_what_is_bound(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info")
    with structlog.contextvars.bound_contextvars(correlation_id="c1"):
        structlog.get_logger().warning("lease lost", action="cycle", team="team_1")
    line = json.loads(capsys.readouterr().err)
    assert line.pop("timestamp")
    assert line == {
        "event": "lease lost",
        "action": "cycle",
        "team": "team_1",
        "level": "warning",
        "correlation_id": "c1",
    }


def test_a_librarys_line_is_json_without_what_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info")
    try:
        raise ValueError("evidence text")
    except ValueError:
        logging.getLogger("asyncio").exception("Task exception was never retrieved\nfuture: evidence text")
    logging.getLogger("psycopg.pool").warning("error connecting in %r: %s", "pool-1", "evidence text")
    logging.getLogger("httpx2").info("request")
    lines = capsys.readouterr().err.splitlines()
    assert "evidence text" not in "".join(lines)
    first, second = (json.loads(line) for line in lines)
    assert (first["event"], first["error"]) == ("Task exception was never retrieved", "ValueError")
    assert (second["event"], second["logger"]) == ("error connecting in %r: %s", "psycopg.pool")
