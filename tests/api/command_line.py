"""The real `densemem` in processes of its own, on an embedded PostgreSQL in a private folder."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

COMMAND = [sys.executable, "-m", "app.cli.main"]
TIMEOUT_SECONDS = 120


class CommandLine:
    """Runs commands against one data folder, and a server on it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._environment = (
            {
                name: value
                for name, value in os.environ.items()
                if not name.startswith("DENSEMEM_") and name not in {"DATABASE_URL", "DREAMER_DATABASE_URL"}
            }
            | {"DENSEMEM_DATA_DIR": str(folder / "data"), "DENSEMEM_PORT": "0"}
            | environment
        )
        self.log = folder / "log"
        self.server: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return self._environment["DENSEMEM_URL"]

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*COMMAND, *arguments],
            env=self._environment | environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    def json(self, *arguments: str) -> Any:  # Each command's own document.
        """Run a command that must succeed and return what it printed."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def serve(self) -> Self:
        """Start a server and wait until it says where it serves; later commands find it."""
        log = self.log.open("a")
        self.server = subprocess.Popen(
            [*COMMAND, "serve"],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        log.close()
        assert self.server.stdout is not None
        line = self.server.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        self._environment |= {"DENSEMEM_URL": found[0]}
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End the server with a signal and return its exit code."""
        assert self.server is not None
        assert self.server.stdout is not None
        self.server.send_signal(number)
        try:
            return self.server.wait(timeout=TIMEOUT_SECONDS)
        finally:
            self.server.stdout.close()
            self.server = None


def descendants(pid: int) -> set[int]:
    """Return the processes that this one has started, and those that they have."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # The name in brackets may hold anything; state and parent follow the last bracket.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def wait_until_gone(pids: set[int], *, seconds: float = 20) -> set[int]:
    """Return the processes that still run after so long; none, as soon as none does."""
    deadline = time.monotonic() + seconds
    while (left := {pid for pid in pids if Path(f"/proc/{pid}").exists()}) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def hold_work(pid: int) -> None:
    """Return once this process computes in one of its own, which stands still from then on."""
    while True:
        for child in descendants(pid):
            with suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGSTOP)
                    return


def catches(pid: int, number: int) -> bool:
    """Say whether the process handles the signal itself."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)
