"""What the owner tells the supervisor, what it is told back, and the command that starts the supervisor."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from app.postgres.errors import (
    BinariesMissingError,
    DataFolderInUseError,
    EmbeddedPostgresError,
    NotPermittedError,
)
from app.postgres.running import RunningInfo

# Isolated and without site-packages: fast, and untouched by the owner's environment.
BOOT = (
    "import sys, importlib; sys.path.insert(0, sys.argv[1]); "
    "importlib.import_module(sys.argv[2]).main(sys.argv[3:])"
)
ERROR_KINDS = {
    kind.__name__: kind for kind in (BinariesMissingError, DataFolderInUseError, NotPermittedError)
}


@dataclass(frozen=True, slots=True)
class Plan:
    """All that the supervisor needs; it decides nothing that is said here.

    initdb: the command without `-D`. server: the whole command. namespaces: whether user namespaces may be
    used.
    """

    data_dir: str
    socket_dir: str
    bin_dir: str
    version: str
    initdb: list[str]
    server: list[str]
    owner_pid: int
    durable: bool
    namespaces: bool


def boot_command(module: str, *arguments: str) -> list[str]:
    """The command that runs `main(arguments)` of a module of this package in a bare Python.

    Raises:
        EmbeddedPostgresError: there is no Python to run it with (a frozen program).
    """
    if not sys.executable:
        raise EmbeddedPostgresError("This program knows no Python interpreter to run the supervisor with.")
    root = str(Path(__file__).resolve().parents[2])
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", BOOT, root, module, *arguments]


def write_plan(plan: Plan) -> bytes:
    """The plan as one line."""
    return json.dumps(asdict(plan)).encode() + b"\n"


def read_plan(line: bytes) -> Plan:
    """The plan in a line."""
    return Plan(**json.loads(line))


def write_report(outcome: RunningInfo | EmbeddedPostgresError) -> bytes:
    """The outcome of a start as one line."""
    if isinstance(outcome, RunningInfo):
        return json.dumps({"running": asdict(outcome)}).encode() + b"\n"
    failure = {"kind": type(outcome).__name__, "message": outcome.message, "remedy": outcome.remedy}
    return json.dumps({"failure": failure}).encode() + b"\n"


def read_report(line: bytes) -> RunningInfo | EmbeddedPostgresError:
    """The outcome in a line; a cut line counts as a failure, for the supervisor has ended without a word."""
    try:
        report = json.loads(line)
    except ValueError:
        return EmbeddedPostgresError("The supervisor of the embedded PostgreSQL ended before it was ready.")
    if "running" in report:
        return RunningInfo(**report["running"])
    failure = report["failure"]
    kind = ERROR_KINDS.get(failure["kind"], EmbeddedPostgresError)
    return kind(failure["message"], remedy=failure["remedy"])
