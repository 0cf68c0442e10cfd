"""Paths of the data folder and of the socket."""

import os
from pathlib import Path

import pytest

from app.postgres.errors import EmbeddedPostgresError
from app.postgres.layout import (
    SOCKET_PATH_LIMIT_BYTES,
    lay_out,
    name_socket_folder,
    socket_folder_trouble,
    socket_path,
)


def test_one_folder_has_one_name_whatever_way_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    assert lay_out(tmp_path / "link") == lay_out(tmp_path / "x" / ".." / "data") == lay_out(tmp_path / "data")


def test_a_path_that_postgresql_would_cut_is_refused() -> None:
    with pytest.raises(EmbeddedPostgresError, match="901 bytes"):
        lay_out(Path("/" + "/".join(["x" * 99] * 8 + ["x" * 100])))


def test_a_path_with_a_line_break_is_refused() -> None:
    with pytest.raises(EmbeddedPostgresError, match="line break"):
        lay_out(Path("/srv/two\nlines"))


def test_a_data_folder_with_a_very_long_path_gets_a_short_socket() -> None:
    folder = name_socket_folder(Path("/" + "ä" * 400), uid=4_294_967_294, bases=[Path("/tmp")])
    assert len(os.fsencode(socket_path(folder))) <= SOCKET_PATH_LIMIT_BYTES


def test_the_socket_folder_is_the_same_at_each_start_and_another_for_each_data_folder() -> None:
    bases = [Path("/tmp")]
    first = name_socket_folder(Path("/a"), uid=1, bases=bases)
    assert first == name_socket_folder(Path("/a"), uid=1, bases=bases)
    assert first != name_socket_folder(Path("/b"), uid=1, bases=bases)


def test_a_base_that_is_too_long_is_passed_over() -> None:
    long, short = Path("/" + "x" * 80), Path("/tmp")
    assert name_socket_folder(Path("/a"), uid=1, bases=[long, short]).parent == short
    with pytest.raises(EmbeddedPostgresError, match="TMPDIR"):
        name_socket_folder(Path("/a"), uid=1, bases=[long])


def test_a_closed_folder_of_ours_can_hold_the_socket(tmp_path: Path) -> None:
    folder = tmp_path / "socket"
    folder.mkdir(mode=0o700)
    assert socket_folder_trouble(folder, owners=[os.geteuid()]) is None


def test_a_link_an_open_folder_and_anothers_folder_cannot_hold_the_socket(tmp_path: Path) -> None:
    folder, link = tmp_path / "socket", tmp_path / "link"
    folder.mkdir(mode=0o700)
    link.symlink_to(folder)
    assert socket_folder_trouble(link, owners=[os.geteuid()]) == "is not a folder"
    assert socket_folder_trouble(folder, owners=[os.geteuid() + 1]) == f"belongs to account {os.geteuid()}"
    folder.chmod(0o750)
    assert "mode 0750" in str(socket_folder_trouble(folder, owners=[os.geteuid()]))
