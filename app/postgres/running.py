"""The note about a running server in the data folder, and the addresses it leads to."""

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from app.postgres.errors import NotPermittedError
from app.postgres.layout import lay_out, socket_path

CONNECT_TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class RunningInfo:
    """Where a running server listens, and the processes behind it."""

    pid: int
    supervisor_pid: int
    owner_pid: int
    socket_dir: str
    port: int
    version: str

    def conninfo(self, *, user: str = "postgres", dbname: str = "postgres") -> str:
        """The address as libpq's key=value string."""
        parts = {"host": self.socket_dir, "port": str(self.port), "user": user, "dbname": dbname}
        return " ".join(f"{key}={quote_conninfo(value)}" for key, value in parts.items())

    def url(self, *, user: str = "postgres", dbname: str = "postgres") -> str:
        """The address as `postgresql://USER@/DBNAME?host=SOCKETDIR&port=PORT`."""
        host = quote(os.fsencode(self.socket_dir), safe="")
        return f"postgresql://{quote(user, safe='')}@/{quote(dbname, safe='')}?host={host}&port={self.port}"


def find_running(data_dir: Path) -> RunningInfo | None:
    """The server on a data folder if one accepts connections, else None; nothing is changed.

    A note left behind by a killed supervisor counts for nothing: the socket must answer.

    Raises:
        NotPermittedError: the folder or the socket belongs to another account.
    """
    try:
        info = read_note(lay_out(data_dir).running)
        if info is None or not is_listening(Path(info.socket_dir)):
            return None
    except PermissionError as error:
        raise NotPermittedError(
            f"The data folder {data_dir} or its server belongs to another account ({error}).",
            remedy="Run the command as the account that runs the service.",
        ) from error
    return info


def read_note(path: Path) -> RunningInfo | None:
    """What a note says; None when there is none or it can't be understood."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return RunningInfo(**fields)
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
        return None


def write_note(path: Path, info: RunningInfo) -> None:
    """The note stands at `path`, whole: a reader sees the old one, or this one."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(asdict(info)) + "\n", encoding="utf-8")
    os.replace(fresh, path)


def is_listening(socket_dir: Path) -> bool:
    """Whether a server accepts connections in a socket folder.

    Raises:
        PermissionError: the folder may not be entered.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(CONNECT_TIMEOUT_SECONDS)
        try:
            probe.connect(os.fsencode(socket_path(socket_dir)))
        except (FileNotFoundError, NotADirectoryError, ConnectionError, TimeoutError, BlockingIOError):
            return False
    return True


def quote_conninfo(value: str) -> str:
    """A value as libpq reads it back from a key=value string."""
    if value and not any(character.isspace() or character in "'\\" for character in value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
