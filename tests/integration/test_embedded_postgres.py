"""Embedded PostgreSQL with real processes: starting, finding, keeping data, one server per folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from app.postgres.binaries import (
    Binaries,
    candidate_folders,
    find_binaries,
    find_wheel_folder,
    inspect_folder,
)
from app.postgres.courtesy import NICENESS, NICEST, Courtesy, tell_session
from app.postgres.errors import DataFolderInUseError, EmbeddedPostgresError
from app.postgres.running import find_running, write_note
from app.postgres.server import read_memory, start
from tests.integration.embedded_owners import MODULE_PATHS, OWNER, ask, has_ended, owner_of


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_first_start_serves_sql_on_both_forms_of_the_address(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server:
        for address in (server.url(), server.conninfo()):
            with psycopg.connect(address) as connection:
                row = connection.execute("SELECT current_user, current_setting('server_encoding')").fetchone()
            assert row == ("postgres", "UTF8")


def test_a_durable_start_works_and_keeps_its_promises(data_dir: Path) -> None:
    with start(data_dir) as server:
        assert (ask(server, "SHOW fsync"), ask(server, "SHOW synchronous_commit")) == ("on", "on")
        assert ask(server, "SHOW data_checksums") == "on"


def test_its_processes_let_others_have_the_cores_first(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server, psycopg.connect(server.url()) as connection:
        pid = connection.info.backend_pid
        assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + NICENESS
        # Where the kernel knows no nice sessions, there is nothing to be told.
        session = Path(f"/proc/{pid}/autogroup")
        for _ in range(600):
            if not session.exists() or session.read_text().rstrip().endswith(f" {NICENESS}"):
                break
            connection.execute("SELECT pg_sleep(0.05)")
        else:
            pytest.fail("the session was not told")


def test_a_process_is_told_when_its_session_has_begun() -> None:
    # Between fork and setsid it is still in its parent's: that one would be told, and the new one never.
    session = Path("/proc/self/autogroup")
    before = session.read_text() if session.exists() else ""
    with subprocess.Popen(
        [sys.executable, "-c", "import os; input(); os.setsid(); print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdin
        assert child.stdout
        assert not tell_session(child.pid)
        assert before == (session.read_text() if session.exists() else "")
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline()
        # The kernel takes ten a second from an account that is not root.
        while not tell_session(child.pid):
            pass
        if before:
            assert Path(f"/proc/{child.pid}/autogroup").read_text().rstrip().endswith(f" {NICENESS}")
        child.stdin.write(b"\n")


def test_a_containers_memory_is_what_it_is_bound_to(tmp_path: Path) -> None:
    bound, unbound, huge = (tmp_path / name for name in ("bound", "unbound", "huge"))
    bound.write_text("1048576\n")
    unbound.write_text("max\n")
    huge.write_text(f"{2**63 - 4096}\n")
    machine = read_memory([])
    assert machine > 2**20
    assert read_memory([unbound, huge, tmp_path / "missing", tmp_path]) == machine
    assert read_memory([unbound, bound]) == 2**20


@pytest.mark.parametrize("more", [0, 7, 17])
def test_the_server_is_nicer_than_its_owner_whatever_that_is(more: int) -> None:
    # Only root may make a process less nice, and nobody has to.
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as server:
        owners = min(os.getpriority(os.PRIO_PROCESS, 0) + more, NICEST)
        os.setpriority(os.PRIO_PROCESS, server.pid, owners)
        Courtesy(server.pid).begin()
        assert os.getpriority(os.PRIO_PROCESS, server.pid) == min(owners + NICENESS, NICEST)
        server.communicate()


def test_data_are_kept_across_restarts(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server:
        ask(server, "CREATE TABLE kept AS SELECT 42 AS n")
    with start(data_dir, durable=False) as server:
        assert ask(server, "SELECT n FROM kept") == 42


def test_a_system_postgresql_works_the_same(data_dir: Path) -> None:
    folders = [folder for folder in candidate_folders(os.environ) if folder != find_wheel_folder()]
    system = next((each for each in map(inspect_folder, folders) if isinstance(each, Binaries)), None)
    if system is None:
        pytest.skip("no PostgreSQL of the system here")
    with start(data_dir, durable=False, binaries=system) as server:
        assert str(ask(server, "SHOW server_version")).startswith(system.version)
        assert find_running(data_dir) == server.info


def test_the_command_line_finds_the_server_of_another_process(data_dir: Path) -> None:
    assert find_running(data_dir) is None
    with owner_of(data_dir, "stop") as (_, info):
        found = find_running(data_dir)
        assert found == info
        assert ask(found, "SELECT 1") == 1
    assert find_running(data_dir) is None
    assert has_ended(info.pid)


def test_settings_reach_the_server(data_dir: Path) -> None:
    with start(data_dir, durable=False, settings={"max_connections": "17"}) as server:
        assert ask(server, "SHOW max_connections") == "17"


def test_what_postgresql_objects_to_is_in_the_error_and_the_folder_is_free_again(data_dir: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="max_connections"):
        start(data_dir, durable=False, settings={"max_connections": "many"})
    with start(data_dir, durable=False) as server:
        assert server.is_alive()


def test_a_cluster_of_another_version_is_refused_with_a_way_out(data_dir: Path) -> None:
    (data_dir / "cluster").mkdir(parents=True)
    (data_dir / "cluster" / "PG_VERSION").write_text("15\n")
    with pytest.raises(EmbeddedPostgresError, match="made by PostgreSQL 15") as caught:
        start(data_dir, binaries=find_binaries({}))
    assert "DENSEMEM_POSTGRES_BIN" in caught.value.remedy


@pytest.mark.parametrize(
    "name", ["with spaces, a comma and 'quotes'", "Λήθη — 記憶", "/".join(["deep" * 25] * 7)]
)
def test_awkward_and_very_long_paths_work(tmp_path: Path, name: str) -> None:
    with start(tmp_path / name, durable=False) as server:
        assert ask(server, "SELECT 1") == 1
        assert find_running(tmp_path / name) == server.info


def test_twenty_starts_and_stops_leave_nothing_behind(data_dir: Path) -> None:
    descriptors = Path("/dev/fd")
    before = None
    for _ in range(20):
        with start(data_dir, durable=False) as server:
            assert ask(server, "SELECT 1") == 1
        assert has_ended(server.pid)
        assert not Path(server.info.socket_dir).exists()
        count = len(list(descriptors.iterdir()))
        before = before or count
        assert count == before
    assert sorted(path.name for path in data_dir.iterdir()) == ["cluster", "lock", "server.log"]


# One server per folder.


def test_a_second_start_on_the_folder_is_refused_and_names_the_process(data_dir: Path) -> None:
    with owner_of(data_dir) as (owner, info):
        with pytest.raises(DataFolderInUseError, match=f"process {owner.pid} ") as caught:
            start(data_dir, durable=False)
        assert "choose another data folder" in caught.value.remedy
        assert ask(info, "SELECT 1") == 1


def test_a_second_start_in_the_same_process_is_refused(data_dir: Path) -> None:
    with (
        start(data_dir, durable=False) as server,
        pytest.raises(DataFolderInUseError, match=str(os.getpid())),
    ):
        start(data_dir, durable=False)
    assert not server.is_alive()


def test_of_several_starts_at_once_on_a_new_folder_one_wins(data_dir: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(data_dir), "stop"]
    env = os.environ | {"PYTHONPATH": MODULE_PATHS}
    owners = [
        subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = [json.loads(owner.stdout.readline()) for owner in owners if owner.stdout]
    for owner in owners:
        owner.communicate()
    assert [type(each) for each in said].count(dict) == 1
    assert [each[0] for each in said if isinstance(each, list)] == ["DataFolderInUseError"] * 3


def test_a_note_left_by_a_killed_supervisor_does_not_count(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server:
        stale = server.info
    write_note(data_dir / "running.json", stale)
    assert find_running(data_dir) is None
    with start(data_dir, durable=False) as server:
        assert find_running(data_dir) == server.info
