"""Try, in a process of its own, which identity PostgreSQL would take. Run by `doctor`; prints one line.

A process with threads may not run Python between fork and exec, so the doctor can't try it itself.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from app.postgres.confine import Confinement, check_identity, try_identity
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.identity import Identity, choose_identity, gather_facts
from app.postgres.layout import Layout
from app.postgres.options import child_environment
from app.postgres.plan import boot_command

PROBE_LIMIT_SECONDS = 30


def probe_identity(layout: Layout, bin_dir: Path, existing: Path) -> Identity:
    """The identity that a start would take, tried out; nothing is changed.

    Args:
        existing: the data folder, or the nearest folder above it that exists.

    Raises:
        EmbeddedPostgresError: a start would be refused.
    """
    command = boot_command("app.postgres.probe", str(layout.data_dir), str(bin_dir), str(existing))
    try:
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=child_environment(os.environ),
            timeout=PROBE_LIMIT_SECONDS,
            check=True,
        )
        said = json.loads(ran.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise EmbeddedPostgresError(f"The trial start failed ({error}).") from error
    if "identity" not in said:
        raise EmbeddedPostgresError(said["message"], remedy=said["remedy"])
    return Identity(**said["identity"])


def main(arguments: Sequence[str]) -> None:
    """One line on stdout says the identity, or the refusal."""
    data_dir, bin_dir, existing = (Path(argument) for argument in arguments)
    env, postgres = child_environment(os.environ), bin_dir / "postgres"
    try:
        facts = gather_facts(
            data_dir,
            Layout(data_dir).cluster,
            namespaces=sys.platform == "linux",
            namespace_works=lambda identity: try_identity(postgres, Confinement(identity, env, reach=())),
        )
        identity = choose_identity(facts)
        # As `nobody` a new data folder would be opened first, so only the way to it is tried.
        reach = existing.parent if identity.kind == "account" and facts.euid == 0 else existing
        check_identity(postgres, Confinement(identity, env, reach=(reach,)))
        said: dict[str, object] = {"identity": asdict(identity)}
    except EmbeddedPostgresError as error:
        said = {"message": error.message, "remedy": error.remedy}
    sys.stdout.write(json.dumps(said) + "\n")
