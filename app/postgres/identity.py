"""Which account PostgreSQL runs as. Deciding is pure; `gather_facts` looks at the machine.

PostgreSQL refuses root, and initdb wants an account with a name.
"""

import os
import pwd
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.postgres.errors import NotPermittedError

# Accounts that exist nearly everywhere. The number is only shown inside the namespace and owns nothing there.
SHOWN_ACCOUNTS = (1, 2, 3, 1000)
FALLBACK_ACCOUNT = "nobody"


@dataclass(frozen=True, slots=True)
class Identity:
    """How PostgreSQL's processes appear.

    plain: as the account that starts them. namespace: as that account, which shows as `uid` inside a user
    namespace. account: as the account `uid`, group `gid`.
    """

    kind: Literal["plain", "namespace", "account"]
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """What deciding needs to know.

    owner: (uid, gid) of the cluster, or of the data folder while there is no cluster, or ours while there is
    neither; shown_uid: a named account to show inside a namespace, None where user namespaces are blocked;
    fallback: (uid, gid) of `nobody`.
    """

    euid: int
    egid: int
    has_name: bool
    has_cluster: bool
    owner: tuple[int, int]
    shown_uid: int | None
    fallback: tuple[int, int] | None


def choose_identity(facts: AccountFacts) -> Identity:
    """The identity under which PostgreSQL starts, on these facts.

    Raises:
        NotPermittedError: no identity would do.
    """
    if facts.euid != 0:
        # The server itself runs without a name; only initdb looks one up.
        if facts.has_name or facts.has_cluster:
            return Identity("plain", facts.euid, facts.egid)
        if facts.shown_uid is not None:
            return Identity("namespace", facts.shown_uid, facts.shown_uid)
        raise NotPermittedError(
            f"The account {facts.euid} has no name in the user database, and initdb needs one.",
            remedy="Start the service as an account with a name, or set DATABASE_URL.",
        )
    if facts.owner[0] != 0:
        return Identity("account", *facts.owner)
    if facts.shown_uid is not None:
        return Identity("namespace", facts.shown_uid, facts.shown_uid)
    if facts.fallback is not None:
        return Identity("account", *facts.fallback)
    raise NotPermittedError(
        "PostgreSQL refuses to run as root, user namespaces are blocked, and there is no account 'nobody'.",
        remedy="Start the service as a normal user, or set DATABASE_URL.",
    )


def gather_facts(
    data_dir: Path, cluster: Path, *, namespaces: bool, namespace_works: Callable[[Identity], bool]
) -> AccountFacts:
    """The facts of this machine and data folder.

    Args:
        namespaces: false leaves user namespaces out, as if they were blocked.
        namespace_works: tries an identity of the kind "namespace"; asked only when the answer matters.
    """
    euid, egid = os.geteuid(), os.getegid()
    has_cluster = cluster.exists()
    owner = find_owner(cluster) or find_owner(data_dir) or (euid, egid)
    has_name = is_named(euid)
    wanted = namespaces and (owner[0] == 0 if euid == 0 else not (has_name or has_cluster))
    shown = next((uid for uid in SHOWN_ACCOUNTS if is_named(uid)), None) if wanted else None
    if shown is not None and not namespace_works(Identity("namespace", shown, shown)):
        shown = None
    return AccountFacts(
        euid=euid,
        egid=egid,
        has_name=has_name,
        has_cluster=has_cluster,
        owner=owner,
        shown_uid=shown,
        fallback=find_fallback(),
    )


def find_owner(path: Path) -> tuple[int, int] | None:
    """(uid, gid) of what stands at a path; None when nothing does."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_uid, found.st_gid


def is_named(uid: int) -> bool:
    """Whether the user database has a name for this account."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def find_fallback() -> tuple[int, int] | None:
    """(uid, gid) of `nobody`; None where there is no such account."""
    try:
        entry = pwd.getpwnam(FALLBACK_ACCOUNT)
    except KeyError:
        return None
    return entry.pw_uid, entry.pw_gid


def find_closed_folder(path: Path, uid: int, gid: int) -> Path | None:
    """The topmost folder on the way to `path` that its mode closes to an account (access lists are not looked
    at)."""
    for folder in [*reversed(path.parents), path]:
        found = os.stat(folder)
        if found.st_uid == uid:
            needed = stat.S_IXUSR
        elif found.st_gid == gid:
            needed = stat.S_IXGRP
        else:
            needed = stat.S_IXOTH
        if not found.st_mode & needed:
            return folder
    return None
