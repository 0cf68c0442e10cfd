"""Every way in which the owner, the supervisor, PostgreSQL or initdb can end."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest

from app.postgres.binaries import Binaries, find_binaries
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.running import find_running
from app.postgres.server import RunningPostgres, start
from tests.integration.embedded_owners import (
    MODULE_PATHS,
    OWNER,
    ask,
    has_ended,
    is_running,
    owner_of,
    wait_until_free,
)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_killing_the_owner_stops_postgresql(data_dir: Path) -> None:
    with owner_of(data_dir) as (owner, info):
        owner.kill()
    wait_until_free(data_dir)
    assert has_ended(info.pid)
    assert has_ended(info.supervisor_pid)
    assert find_running(data_dir) is None


def test_a_forked_child_that_survives_the_owner_keeps_nothing_alive(data_dir: Path) -> None:
    with owner_of(data_dir, "fork") as (owner, info):
        owner.kill()
        owner.wait()
        wait_until_free(data_dir)
        assert has_ended(info.pid)


def test_data_committed_before_the_owner_was_killed_are_there_at_the_next_start(data_dir: Path) -> None:
    with owner_of(data_dir) as (owner, info):
        ask(info, "CREATE TABLE kept AS SELECT 42 AS n")
        owner.kill()
    # At once: this start waits until the old server has stopped.
    with start(data_dir, durable=False) as server:
        assert ask(server, "SELECT n FROM kept") == 42


def test_an_open_session_does_not_hold_up_the_stop(data_dir: Path) -> None:
    server = start(data_dir, durable=False)
    with psycopg.connect(server.conninfo()) as connection:
        connection.execute("SELECT 1")
        server.stop()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    assert has_ended(server.pid)


def test_killing_the_supervisor_leaves_no_orphan_and_the_owner_notices(data_dir: Path) -> None:
    server = start(data_dir, durable=False)
    ask(server, "CREATE TABLE kept AS SELECT 42 AS n")
    os.kill(server.info.supervisor_pid, signal.SIGKILL)
    wait_until_free(data_dir)
    assert has_ended(server.pid)
    server.stop()
    assert not server.is_alive()
    assert find_running(data_dir) is None
    with start(data_dir, durable=False) as again:
        assert ask(again, "SELECT n FROM kept") == 42


def test_killing_supervisor_and_owner_together_leaves_no_orphan(data_dir: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("needs the parent-death signal")
    with owner_of(data_dir) as (owner, info):
        os.kill(info.supervisor_pid, signal.SIGSTOP)  # So that it can't act on the owner's end.
        owner.kill()
        owner.wait()
        os.kill(info.supervisor_pid, signal.SIGKILL)
    wait_until_free(data_dir)
    assert has_ended(info.pid)


def test_killing_postgresql_itself_ends_the_supervisor_and_the_next_start_recovers(data_dir: Path) -> None:
    server = start(data_dir, durable=False)
    ask(server, "CREATE TABLE kept AS SELECT 42 AS n")
    os.kill(server.pid, signal.SIGKILL)
    wait_until_free(data_dir)
    server.stop()
    with start(data_dir, durable=False) as again:
        assert ask(again, "SELECT n FROM kept") == 42


def test_a_server_started_from_a_thread_that_has_ended_stays(data_dir: Path) -> None:
    started: list[RunningPostgres] = []
    thread = threading.Thread(target=lambda: started.append(start(data_dir, durable=False)))
    thread.start()
    thread.join()
    with started[0] as server:
        assert ask(server, "SELECT 1") == 1
        assert server.is_alive()
    assert has_ended(server.pid)


def test_a_forked_childs_stop_does_nothing(data_dir: Path) -> None:
    with owner_of(data_dir) as (_, info):
        code = (
            "import json,sys\nfrom pathlib import Path\nfrom app.postgres.server import start\nimport os\n"
            "server = start(Path(sys.argv[1]), durable=False)\n"
            "child = os.fork()\n"
            "if child == 0:\n    server.stop()\n    os._exit(0)\n"
            "os.waitpid(child, 0)\nprint(server.is_alive())\nserver.stop()\nprint(server.is_alive())\n"
        )
        other = data_dir.with_name("other")
        env = os.environ | {"PYTHONPATH": MODULE_PATHS}
        said = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, str(other)], env=env, capture_output=True, check=True
        )
        assert said.stdout.split() == [b"True", b"False"]
        assert is_running(info.pid)


def test_a_terminals_interrupt_does_not_reach_postgresql(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server:
        assert os.getsid(server.info.supervisor_pid) == server.info.supervisor_pid
        assert os.getsid(server.info.supervisor_pid) != os.getsid(0)


def make_hanging_initdb(folder: Path, real: Binaries) -> Binaries:
    """Binaries whose initdb leaves a file in its folder, says so in a pipe, and hangs."""
    folder.mkdir()
    os.mkfifo(folder / "begun")
    (folder / "postgres").write_text(f"#!/bin/sh\nexec '{real.bin_dir}/postgres' \"$@\"\n")
    (folder / "initdb").write_text(
        '#!/bin/sh\nfor last; do :; done\ntouch "$last/half"\n'
        f"echo begun > '{folder}/begun'\nexec sleep 600\n"
    )
    for name in ("postgres", "initdb"):
        (folder / name).chmod(0o755)
    return Binaries(folder, real.version)


@pytest.mark.parametrize("victim", ["owner", "supervisor"])
def test_a_kill_in_mid_initdb_leaves_nothing_half_made(data_dir: Path, victim: str) -> None:
    real = find_binaries(os.environ)
    hanging = make_hanging_initdb(data_dir.with_name("bin"), real)
    env = os.environ | {"PYTHONPATH": MODULE_PATHS, "DENSEMEM_POSTGRES_BIN": str(hanging.bin_dir)}
    command = [sys.executable, "-c", OWNER, str(data_dir)]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        (hanging.bin_dir / "begun").read_text()
        holder = json.loads((data_dir / "lock").read_text())
        os.kill(owner.pid if victim == "owner" else holder["supervisor_pid"], signal.SIGKILL)
    wait_until_free(data_dir)
    assert not (data_dir / "cluster").exists()
    with start(data_dir, durable=False, binaries=real) as server:
        assert ask(server, "SELECT 1") == 1
        assert not list(data_dir.glob("cluster.new-*"))


def test_a_failed_initdb_is_reported_in_its_words_and_leaves_nothing(data_dir: Path) -> None:
    broken = make_hanging_initdb(data_dir.with_name("bin"), find_binaries(os.environ))
    (broken.bin_dir / "initdb").write_text("#!/bin/sh\necho 'the disk is full'\nexit 1\n")
    with pytest.raises(EmbeddedPostgresError, match="the disk is full"):
        start(data_dir, binaries=broken)
    assert sorted(path.name for path in data_dir.iterdir()) == ["lock", "server.log"]
