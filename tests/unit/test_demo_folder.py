"""Folders of demos: gone at the end, swept when their demo was killed, left alone while it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.demo.folder import PREFIX, own_folder, sweep

_HOLD = (
    "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
    "from app.cli.demo.folder import own_folder\n"
    "with own_folder() as folder:\n"
    "    print(folder, flush=True)\n"
    "    sys.stdin.read()\n"
)


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_gone_with_its_block(parent: Path) -> None:
    with own_folder() as folder:
        (folder / "data").mkdir()
        assert folder.parent == parent
    assert list(parent.iterdir()) == []


def test_the_next_demo_sweeps_what_a_killed_one_left_and_no_other(parent: Path) -> None:
    begun = parent / f"{PREFIX}begun"
    begun.mkdir()
    strange = parent / f"{PREFIX}link"
    strange.symlink_to(parent)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        folder = Path(demo.stdout.readline().strip())
        sweep(parent)
        assert folder.is_dir()
        demo.kill()
        demo.wait()
    sweep(parent)
    assert not folder.exists()
    assert {begun, strange} == set(parent.iterdir())
