"""Finding PostgreSQL's programs."""

from pathlib import Path

import pytest

from app.postgres.binaries import (
    find_binaries,
    find_wheel_folder,
    inspect_folder,
    parse_major,
    parse_version,
    version_in_path,
)
from app.postgres.errors import BinariesMissingError


def make_programs(folder: Path, *, says: str) -> Path:
    folder.mkdir()
    for name in ("postgres", "initdb"):
        (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
        (folder / name).chmod(0o755)
    return folder


def test_the_configured_folder_comes_first(tmp_path: Path) -> None:
    folder = make_programs(tmp_path / "mine", says="postgres (PostgreSQL) 16.2")
    found = find_binaries({"DENSEMEM_POSTGRES_BIN": str(folder)})
    assert (found.bin_dir, found.version, found.major) == (folder, "16.2", 16)


def test_a_configured_folder_that_is_no_use_is_an_error_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(BinariesMissingError, match="DENSEMEM_POSTGRES_BIN") as caught:
        find_binaries({"DENSEMEM_POSTGRES_BIN": str(tmp_path)})
    assert "DATABASE_URL" in caught.value.remedy


def test_the_wheel_is_used_before_the_system(tmp_path: Path) -> None:
    folder = make_programs(tmp_path / "system", says="postgres (PostgreSQL) 17.1")
    assert find_binaries({"PATH": str(folder)}).bin_dir == find_wheel_folder()


def test_a_link_on_path_leads_to_the_folder_of_both_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_programs(tmp_path / "system", says="postgres (PostgreSQL) 17.1")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "postgres").symlink_to(folder / "postgres")
    monkeypatch.setattr("app.postgres.binaries.find_wheel_folder", lambda: None)
    assert find_binaries({"PATH": str(tmp_path / "links")}).bin_dir == folder


def test_without_any_programs_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.postgres.binaries.find_wheel_folder", lambda: None)
    monkeypatch.setattr("app.postgres.binaries.SYSTEM_FOLDERS", ())
    with pytest.raises(BinariesMissingError) as caught:
        find_binaries({"PATH": "/nowhere"})
    assert "DENSEMEM_POSTGRES_BIN" in caught.value.remedy


@pytest.mark.parametrize(
    ("says", "reason"),
    [("postgres (PostgreSQL) 14.9", "older than 15"), ("hello", "printed no version")],
)
def test_programs_too_old_or_of_another_kind_are_refused(tmp_path: Path, says: str, reason: str) -> None:
    assert reason in str(inspect_folder(make_programs(tmp_path / "bin", says=says)))


def test_a_program_that_fails_is_refused(tmp_path: Path) -> None:
    folder = make_programs(tmp_path / "bin", says="")
    (folder / "postgres").write_text("#!/bin/sh\nexit 3\n")
    assert "does not run" in str(inspect_folder(folder))


@pytest.mark.parametrize(
    ("printed", "version", "major"),
    [
        ("postgres (PostgreSQL) 18.6\n", "18.6", 18),
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", "15.18", 15),
        ("postgres (PostgreSQL) 19beta1\n", "19beta1", 19),
        ("postgres (PostgreSQL) 19devel\n", "19devel", 19),
    ],
)
def test_versions_are_read_as_printed(printed: str, version: str, major: int) -> None:
    assert parse_version(printed) == version
    assert parse_major(version) == major


def test_system_folders_are_told_apart_by_their_version() -> None:
    folders = [Path("/usr/lib/postgresql/9/bin"), Path("/usr/lib/postgresql/17/bin")]
    assert max(folders, key=version_in_path) == folders[1]
