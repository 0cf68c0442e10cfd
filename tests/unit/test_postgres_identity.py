"""Whom PostgreSQL runs as."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.postgres.errors import NotPermittedError
from app.postgres.identity import AccountFacts, Identity, choose_identity, find_closed_folder

USER = AccountFacts(
    euid=501,
    egid=20,
    has_name=True,
    has_cluster=False,
    owner=(501, 20),
    shown_uid=None,
    fallback=(65534, 65534),
)
ROOT = replace(USER, euid=0, egid=0, owner=(0, 0), shown_uid=1)


def test_a_normal_user_starts_it_plainly() -> None:
    assert choose_identity(USER) == Identity("plain", 501, 20)


def test_root_starts_it_in_a_user_namespace() -> None:
    assert choose_identity(ROOT) == Identity("namespace", 1, 1)


def test_root_falls_back_to_nobody_where_user_namespaces_are_blocked() -> None:
    assert choose_identity(replace(ROOT, shown_uid=None)) == Identity("account", 65534, 65534)


def test_root_goes_on_as_the_owner_of_the_folder() -> None:
    assert choose_identity(replace(ROOT, owner=(999, 998))) == Identity("account", 999, 998)


def test_root_without_any_way_is_told_so() -> None:
    with pytest.raises(NotPermittedError, match="normal user"):
        choose_identity(replace(ROOT, shown_uid=None, fallback=None))


def test_an_account_without_a_name_needs_a_namespace_for_its_first_start_only() -> None:
    nameless = replace(USER, has_name=False)
    with pytest.raises(NotPermittedError, match="no name"):
        choose_identity(nameless)
    assert choose_identity(replace(nameless, shown_uid=2)) == Identity("namespace", 2, 2)
    assert choose_identity(replace(nameless, has_cluster=True)) == Identity("plain", 501, 20)


def test_the_topmost_folder_that_is_closed_to_an_account_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "below").mkdir(parents=True)
    closed.chmod(0o600)
    found = find_closed_folder(closed, closed.stat().st_uid, closed.stat().st_gid)
    closed.chmod(0o700)
    assert found == closed
    assert find_closed_folder(closed / "below", closed.stat().st_uid, closed.stat().st_gid) is None
