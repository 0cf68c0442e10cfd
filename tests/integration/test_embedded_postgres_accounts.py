"""Whom embedded PostgreSQL runs as, what others can see of it, and what it leaves alone."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.postgres.binaries import find_binaries
from app.postgres.errors import EmbeddedPostgresError, NotPermittedError
from app.postgres.layout import name_socket_folder
from app.postgres.running import RunningInfo
from app.postgres.server import start
from tests.integration.embedded_owners import MODULE_PATHS, OWNER, ask, has_ended, owner_of, wait_until_free

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another account")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A folder that every account can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_the_socket_folder_and_the_data_are_closed_to_others(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server:
        for folder in (Path(server.info.socket_dir), data_dir, data_dir / "cluster"):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert ask(server, "SHOW listen_addresses") == ""


def test_a_socket_folder_laid_out_by_someone_else_is_refused(data_dir: Path, tmp_path: Path) -> None:
    base = Path(tempfile.gettempdir()).resolve()
    folder = name_socket_folder(data_dir.resolve(), uid=os.geteuid(), bases=[base, Path("/tmp")])
    folder.symlink_to(tmp_path)
    try:
        with pytest.raises(EmbeddedPostgresError, match="is not a folder"):
            start(data_dir, durable=False)
    finally:
        folder.unlink()


def test_statements_that_fail_leave_no_text_in_the_log(data_dir: Path) -> None:
    with start(data_dir, durable=False) as server:
        with pytest.raises(psycopg.DataError):
            ask(server, "SELECT 'confidential'::int")
        ask(server, "CREATE TABLE t (a text PRIMARY KEY); INSERT INTO t VALUES ('confidential')")
        with pytest.raises(psycopg.IntegrityError):
            ask(server, "INSERT INTO t VALUES ('confidential')")
    assert "ready to accept connections" in server.log_path.read_text()
    assert "confidential" not in server.log_path.read_text()


@on_linux
def test_the_owners_secrets_are_in_no_environment_below_it(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "a-secret")
    monkeypatch.setenv("PGDATA", "/elsewhere")
    with start(data_dir, durable=False) as server:
        for pid in (server.pid, server.info.supervisor_pid):
            assert b"a-secret" not in Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.parametrize("namespaces", [True, False])
def test_no_mode_is_changed_outside_the_data_folder_and_no_account_is_made(
    open_dir: Path, namespaces: bool
) -> None:
    data_dir = open_dir / "data"
    folders = [*data_dir.parents, Path.home(), find_binaries(os.environ).bin_dir]
    accounts = Path("/etc/passwd").read_bytes()
    before = modes_of(folders)
    with start(data_dir, durable=False, namespaces=namespaces):
        assert modes_of(folders) == before
    assert modes_of(folders) == before
    assert Path("/etc/passwd").read_bytes() == accounts


@as_root
def test_root_without_user_namespaces_serves_as_nobody_and_goes_on_so(open_dir: Path) -> None:
    data_dir = open_dir / "data"
    with start(data_dir, durable=False, namespaces=False) as server:
        assert ask(server, "SELECT 1") == 1
        owner = (data_dir / "cluster").stat().st_uid
        assert owner == Path(server.info.socket_dir).stat().st_uid != 0
    with start(data_dir, durable=False) as server:
        assert ask(server, "SELECT 1") == 1
        assert (data_dir / "cluster").stat().st_uid == owner


@as_root
def test_a_cluster_of_roots_is_handed_over_when_user_namespaces_become_blocked(open_dir: Path) -> None:
    data_dir = open_dir / "data"
    with start(data_dir, durable=False) as server:
        ask(server, "CREATE TABLE kept AS SELECT 42 AS n")
        if (data_dir / "cluster").stat().st_uid != 0:
            pytest.skip("user namespaces are blocked here")
    with start(data_dir, durable=False, namespaces=False) as server:
        assert ask(server, "SELECT n FROM kept") == 42


@as_root
@pytest.mark.parametrize("victim", ["owner_pid", "supervisor_pid"])
def test_as_nobody_too_no_orphan_is_left(open_dir: Path, victim: str) -> None:
    data_dir = open_dir / "data"
    start(data_dir, durable=False, namespaces=False).stop()
    with owner_of(data_dir) as (_, info):
        assert Path(info.socket_dir).stat().st_uid != 0
        os.kill(getattr(info, victim), signal.SIGKILL)
        wait_until_free(data_dir)
        assert has_ended(info.pid)


@as_root
def test_a_folder_that_nobody_cannot_reach_is_named(open_dir: Path) -> None:
    (open_dir / "closed").mkdir(mode=0o700)
    with pytest.raises(NotPermittedError, match="closed") as caught:
        start(open_dir / "closed" / "data", durable=False, namespaces=False)
    assert "Choose a data folder" in caught.value.remedy


@as_root
def test_a_normal_user_starts_it_and_root_may_look(open_dir: Path) -> None:
    python = find_python_for_nobody()
    os.chown(open_dir, NOBODY, NOBODY)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": MODULE_PATHS}
    with subprocess.Popen(
        [python, "-c", OWNER, str(open_dir / "data"), "stop"],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
    ) as owner:
        assert owner.stdout is not None
        info = RunningInfo(**json.loads(owner.stdout.readline()))
        assert ask(info, "SELECT 1") == 1
        assert {Path(info.socket_dir).stat().st_uid, (open_dir / "data").stat().st_uid} == {NOBODY}
        owner.kill()
    wait_until_free(open_dir / "data")
    assert has_ended(info.pid)


@as_root
def test_another_account_that_looks_for_the_server_is_told_why_it_cannot(open_dir: Path) -> None:
    python = find_python_for_nobody()
    look = (
        "import sys\nfrom pathlib import Path\nfrom app.postgres.errors import NotPermittedError\n"
        "from app.postgres.running import find_running\n"
        "try:\n    find_running(Path(sys.argv[1]))\nexcept NotPermittedError as error:\n    print(error.remedy)\n"
    )
    with start(open_dir / "data", durable=False):
        looked = subprocess.run(
            [python, "-c", look, str(open_dir / "data")],
            env={"PYTHONPATH": MODULE_PATHS},
            cwd="/",
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            check=True,
        )
    assert b"as the account that runs the service" in looked.stdout


def find_python_for_nobody() -> str:
    """A Python that another account can run; ours may lie in a closed home folder."""
    for python in (sys.executable, "/usr/bin/python3"):
        if runs_as_nobody(python):
            return python
    pytest.skip("no Python here that another account can run")


def runs_as_nobody(python: str) -> bool:
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        ran = subprocess.run(
            [python, "-c", check], user=NOBODY, extra_groups=[], env={}, cwd="/", check=False
        )
    except OSError:
        return False
    return ran.returncode == 0


def modes_of(folders: list[Path]) -> dict[Path, tuple[int, int, int]]:
    found = {folder: os.stat(folder) for folder in folders if folder.exists()}
    return {folder: (each.st_mode, each.st_uid, each.st_gid) for folder, each in found.items()}
