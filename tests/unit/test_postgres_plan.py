"""What owner and supervisor tell each other."""

import pytest

from app.postgres.errors import (
    BinariesMissingError,
    DataFolderInUseError,
    EmbeddedPostgresError,
    NotPermittedError,
)
from app.postgres.plan import Plan, read_plan, read_report, write_plan, write_report
from app.postgres.running import RunningInfo


def test_a_plan_is_one_line_and_is_read_as_it_was_written() -> None:
    plan = Plan(
        data_dir="/data with\ttab, ü and \udcff",
        socket_dir="/tmp/s",
        bin_dir="/bin",
        version="18.6",
        initdb=["initdb"],
        server=["postgres", "-c", "a=b\nc"],
        owner_pid=7,
        durable=True,
        namespaces=False,
    )
    line = write_plan(plan)
    assert line.count(b"\n") == 1
    assert read_plan(line) == plan


def test_a_running_server_is_reported_whole() -> None:
    info = RunningInfo(pid=3, supervisor_pid=2, owner_pid=1, socket_dir="/tmp/s", port=5432, version="18.6")
    assert read_report(write_report(info)) == info


@pytest.mark.parametrize(
    "kind", [BinariesMissingError, DataFolderInUseError, NotPermittedError, EmbeddedPostgresError]
)
def test_a_failure_keeps_its_kind_its_words_and_its_remedy(kind: type[EmbeddedPostgresError]) -> None:
    error = read_report(write_report(kind("What.", remedy="How.")))
    assert isinstance(error, EmbeddedPostgresError)
    assert (type(error), error.message, error.remedy, str(error)) == (kind, "What.", "How.", "What. How.")


@pytest.mark.parametrize("line", [b"", b'{"running": {'])
def test_a_supervisor_that_ends_without_a_word_is_a_failure(line: bytes) -> None:
    assert isinstance(read_report(line), EmbeddedPostgresError)
