"""The lock of a data folder."""

import os
from pathlib import Path

import pytest

from app.postgres.errors import DataFolderInUseError
from app.postgres.lock import Holder, take_lock

OURS = Holder(supervisor_pid=os.getpid(), owner_pid=os.getpid())
# Beyond the largest process number of Linux and macOS.
DEAD = Holder(supervisor_pid=2**30, owner_pid=2**30)


def never() -> bool:
    raise AssertionError("it must not wait")


def test_a_lock_whose_owner_lives_is_refused_at_once_and_its_process_named(tmp_path: Path) -> None:
    held = take_lock(tmp_path / "lock", OURS, wait_once_more=never)
    with pytest.raises(DataFolderInUseError, match=rf"process {os.getpid()} runs PostgreSQL"):
        take_lock(tmp_path / "lock", OURS, wait_once_more=never)
    os.close(held)


def test_a_lock_whose_owner_has_died_is_waited_for(tmp_path: Path) -> None:
    held = take_lock(tmp_path / "lock", DEAD, wait_once_more=never)

    def let_go() -> bool:
        os.close(held)
        return True

    os.close(take_lock(tmp_path / "lock", OURS, wait_once_more=let_go))


def test_waiting_for_a_dead_owners_lock_comes_to_an_end(tmp_path: Path) -> None:
    held = take_lock(tmp_path / "lock", DEAD, wait_once_more=never)
    with pytest.raises(DataFolderInUseError, match="still stopping"):
        take_lock(tmp_path / "lock", OURS, wait_once_more=lambda: False)
    os.close(held)


def test_a_copy_of_the_descriptor_keeps_the_lock(tmp_path: Path) -> None:
    held = take_lock(tmp_path / "lock", OURS, wait_once_more=never)
    copy = os.dup(held)
    os.close(held)
    with pytest.raises(DataFolderInUseError):
        take_lock(tmp_path / "lock", OURS, wait_once_more=never)
    os.close(copy)
    os.close(take_lock(tmp_path / "lock", OURS, wait_once_more=never))
