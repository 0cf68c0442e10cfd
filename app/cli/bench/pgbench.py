"""The same statements from a program in C: what the database alone would take."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from app.kernel.errors import SetupError
from app.postgres.binaries import find_binaries
from app.postgres.errors import BinariesMissingError

FEW: Final = 10
_RATE: Final = re.compile(r"tps = ([0-9.]+)")


@dataclass(frozen=True, slots=True)
class Load:
    """How many connections run the scripts at once, for how long, and how statements reach the server.

    pgbench knows whole seconds only: below one, each connection runs `FEW` scripts.
    """

    connections: int
    seconds: float
    protocol: Literal["prepared", "simple"] = "prepared"


def find_pgbench() -> Path | None:
    """Return the pgbench of the embedded server or of the system, or None."""
    try:
        program = find_binaries(os.environ).bin_dir / "pgbench"
    except BinariesMissingError:
        return None
    return program if os.access(program, os.X_OK) else None


def run_pgbench(
    program: Path,
    url: str,
    scripts: Sequence[str],
    load: Load,
    *,
    variables: Mapping[str, object] | None = None,
) -> float:
    """Return how many scripts a second were run, drawn evenly.

    Raises:
        SetupError: pgbench failed.
    """
    with tempfile.TemporaryDirectory(prefix="densemem-pgbench-") as folder:
        files = [Path(folder) / f"{number}.sql" for number in range(len(scripts))]
        for file, script in zip(files, scripts, strict=True):
            file.write_text(script, encoding="utf-8")
        command = [
            *(program, "-n", "-M", load.protocol),
            *(("-T", round(load.seconds)) if load.seconds >= 1 else ("-t", FEW)),
            *("-c", load.connections, "-j", min(load.connections, os.cpu_count() or 1)),
            *(part for name, value in (variables or {}).items() for part in ("-D", f"{name}={value}")),
            *(part for file in files for part in ("-f", file)),
        ]
        said = subprocess.run([*map(str, command), url], capture_output=True, text=True, check=False)
    found = _RATE.search(said.stdout)
    if said.returncode != 0 or found is None:
        raise SetupError(f"pgbench failed: {said.stderr.strip().splitlines()[-1:]}")
    return float(found[1])
