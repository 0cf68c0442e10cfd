"""The client of the remote commands: where its server is, and the key that it uses."""

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.cli.address import find_address
from app.client import DenseMem, Patience
from app.kernel.errors import SetupError
from app.kernel.settings import Settings

# Somebody waits at a terminal: a server that is not there is named at once.
PATIENCE: Final = Patience(attempts=1)


@dataclass(frozen=True, slots=True)
class Server:
    """Where a client command asks, and with which key."""

    url: str
    key: str = field(repr=False)


def locate_server(settings: Settings) -> Server:
    """Return where to ask, and with the key of DENSEMEM_KEY (else the saved one).

    The server is that of DENSEMEM_URL, else the one that serves from this data folder, else whoever is to be found
    at DENSEMEM_HOST and DENSEMEM_PORT.
    """
    key = settings.key.get_secret_value() if settings.key is not None else read_saved_key(settings)
    url = settings.url or find_address(settings.data_dir)
    return Server(url or f"http://{settings.host}:{settings.port}", key)


def open_client(settings: Settings) -> DenseMem:
    """Return the client of a command."""
    where = locate_server(settings)
    return DenseMem(where.url, where.key, patience=PATIENCE)


def saved_key_path(settings: Settings) -> Path:
    """Return where `key create --save` keeps the key for this machine's client commands."""
    return settings.data_dir / "key"


def read_saved_key(settings: Settings) -> str:
    """Return the saved key.

    Raises:
        SetupError: none was saved, or others may read it.
    """
    path = saved_key_path(settings)
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SetupError(f"{path} may be read by others: chmod 600 {path}")
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        raise SetupError(
            "No key: set DENSEMEM_KEY, or make one with "
            "`densemem key create --team TEAM --profile NAME --save`."
        ) from error


def save_key(settings: Settings, secret: str) -> Path:
    """Keep the key for client commands, readable by its owner only."""
    path = saved_key_path(settings)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(secret + "\n")
    return path
