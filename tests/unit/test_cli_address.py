"""A server keeps its address beside its data while it serves, and the commands of that folder find it."""

import os
from pathlib import Path

import pytest

from app.cli.address import find_address, keep_address
from app.cli.client import locate_server
from app.kernel.settings import Settings

URL = "http://127.0.0.1:51234"


def test_an_address_is_found_while_its_server_keeps_it(tmp_path: Path) -> None:
    assert find_address(tmp_path) is None
    with keep_address(tmp_path, URL):
        assert find_address(tmp_path) == URL
        assert (tmp_path / "address").stat().st_mode & 0o077 == 0
    assert find_address(tmp_path) is None


def test_what_a_killed_server_left_is_no_address(tmp_path: Path) -> None:
    (tmp_path / "address").write_text(URL)
    assert find_address(tmp_path) is None


def test_the_first_of_two_servers_keeps_its_address(tmp_path: Path) -> None:
    with keep_address(tmp_path, URL):
        with keep_address(tmp_path, "http://127.0.0.1:2"):
            assert find_address(tmp_path) == URL
        assert find_address(tmp_path) == URL


def test_where_there_is_no_such_folder_nothing_is_kept(tmp_path: Path) -> None:
    with keep_address(tmp_path / "none", URL):
        assert find_address(tmp_path / "none") is None
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("served", "asked"),
    [("http://0.0.0.0:8", "http://127.0.0.1:8"), ("http://[::]:8", "http://[::1]:8"), (URL, URL)],
)
def test_a_server_on_every_interface_is_asked_on_this_host(tmp_path: Path, served: str, asked: str) -> None:
    with keep_address(tmp_path, served):
        assert find_address(tmp_path) == asked


def test_commands_ask_the_server_of_their_folder_unless_they_are_told_another(tmp_path: Path) -> None:
    def located(**fields: object) -> str:
        return locate_server(Settings.model_validate({"data_dir": tmp_path, "key": "dm_x", **fields})).url

    assert located() == "http://127.0.0.1:8420"
    with keep_address(tmp_path, URL):
        assert located() == URL
        assert located(url="http://elsewhere:1") == "http://elsewhere:1"
