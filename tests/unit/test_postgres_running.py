"""The note about a running server and the addresses it leads to."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from psycopg.conninfo import conninfo_to_dict

from app.postgres.running import RunningInfo, find_running, read_note, write_note

PLAIN = "/tmp/densemem-0-0123456789abcdef"
AWKWARD = '/tmp/it\'s a \\ "ü" & 50% folder'


def info_at(socket_dir: str) -> RunningInfo:
    return RunningInfo(pid=3, supervisor_pid=2, owner_pid=1, socket_dir=socket_dir, port=5432, version="18.6")


@pytest.mark.parametrize("socket_dir", [PLAIN, AWKWARD])
def test_libpq_reads_the_same_address_from_both_forms(socket_dir: str) -> None:
    info = info_at(socket_dir)
    expected = {"host": socket_dir, "port": "5432", "user": "a user", "dbname": "d'b"}
    assert conninfo_to_dict(info.conninfo(user="a user", dbname="d'b")) == expected
    assert conninfo_to_dict(info.url(user="a user", dbname="d'b")) == expected


def test_the_url_has_no_host_before_the_database() -> None:
    parts = urlsplit(info_at(PLAIN).url())
    assert (parts.scheme, parts.netloc, parts.path) == ("postgresql", "postgres@", "/postgres")
    assert parse_qs(parts.query)["host"] == [PLAIN]


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_note(tmp_path / "running.json", info_at(AWKWARD))
    assert read_note(tmp_path / "running.json") == info_at(AWKWARD)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 1, "unknown": 2}'])
def test_a_note_that_makes_no_sense_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "running.json").write_text(text)
    assert read_note(tmp_path / "running.json") is None


def test_no_server_is_found_where_there_is_no_folder_or_only_an_old_note(tmp_path: Path) -> None:
    assert find_running(tmp_path / "missing") is None
    write_note(tmp_path / "running.json", info_at(str(tmp_path / "gone")))
    assert find_running(tmp_path) is None
