"""The command lines and the environment of `initdb` and `postgres`. Pure."""

import re
from collections.abc import Mapping
from pathlib import Path

from app.postgres.binaries import Binaries
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.layout import PORT

# A caller may not open what the package closes; trust authentication is safe behind the socket's folder
# alone.
FIXED_SETTINGS = frozenset(
    {
        "config_file",
        "data_directory",
        "external_pid_file",
        "hba_file",
        "listen_addresses",
        "port",
        "unix_socket_directories",
        "unix_socket_group",
        "unix_socket_permissions",
    }
)
# Client errors and statements carry evidence text, so neither they nor their details are logged: "log" leaves
# out ERROR and WARNING (which clients get anyway) and keeps LOG, FATAL and PANIC.
DEFAULT_SETTINGS = {
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_destination": "stderr",
    "logging_collector": "off",
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
# A power loss may then ruin the cluster; a killed process still loses nothing that was committed.
FRAGILE_SETTINGS = {"fsync": "off", "full_page_writes": "off"}
# The owner's environment holds secrets, and PG* variables would redirect the server.
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TMPDIR")
BUILTIN_LOCALE_MAJOR = 17


def initdb_arguments(binaries: Binaries, *, durable: bool) -> list[str]:
    """The command that creates a cluster, without its `-D`: UTF-8, checksums, no dependence on the system's
    locale."""
    arguments = [
        str(binaries.bin_dir / "initdb"),
        "--username=postgres",
        "--auth-local=trust",
        "--auth-host=reject",
        "--encoding=UTF8",
        "--locale=C",
        "--data-checksums",
        "--no-instructions",
    ]
    if binaries.major >= BUILTIN_LOCALE_MAJOR:
        # Code-point order as with C, and letters outside ASCII still have upper and lower case.
        arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    if not durable:
        arguments.append("--no-sync")
    return arguments


def server_arguments(
    binaries: Binaries, *, cluster: Path, socket_dir: Path, settings: Mapping[str, str], durable: bool
) -> list[str]:
    """The command that runs the server in the foreground; the caller's settings win over our defaults.

    Raises:
        EmbeddedPostgresError: a setting's name is not one, or is one that the package fixes.
    """
    chosen = {**DEFAULT_SETTINGS, **({} if durable else FRAGILE_SETTINGS)}
    for name, value in settings.items():
        check_setting(name, value)
        chosen[name.lower()] = value
    quoted_folder = '"' + str(socket_dir).replace('"', '""') + '"'
    chosen |= {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": quoted_folder,
        "unix_socket_permissions": "0700",
    }
    arguments = [str(binaries.bin_dir / "postgres"), "-D", str(cluster)]
    for name, value in chosen.items():
        arguments += ["-c", f"{name}={value}"]
    return arguments


def size_buffers(memory_bytes: int) -> str:
    """Return `shared_buffers` for a machine with so much memory: an eighth of it, from 128 MB to 4 GB.

    Where they hold less than what is asked for, the rest is read again and again from the system's cache. What is
    not used of them is not taken, but for 2 % that the server needs to find the others.
    """
    megabytes = memory_bytes // (8 * 2**20)
    return f"{min(4096, max(128, megabytes))}MB"


def check_setting(name: str, value: str) -> None:
    """The setting is one that a caller may give."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name) or "\0" in value:
        raise EmbeddedPostgresError(f"{name!r} can't be given to PostgreSQL as a setting.")
    if name.lower() in FIXED_SETTINGS:
        raise EmbeddedPostgresError(
            f"The setting {name!r} is fixed: the embedded PostgreSQL listens on a private socket only.",
            remedy="To share a server over a network, run one yourself and set DATABASE_URL.",
        )


def child_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The few variables that supervisor and PostgreSQL need, in place of the owner's environment.

    The fixed zone spares initdb its search for the system's one.
    """
    return {name: env[name] for name in KEPT_VARIABLES if name in env} | {"LC_ALL": "C", "TZ": "UTC"}
