"""The folder of a demo's own server: gone when the demo ends, and swept by the next one when it was killed."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PREFIX: Final = "densemem-demo-"
# Locked by the process whose folder it is; the lock goes with the process, however that ends.
_MARK: Final = "alive"


@contextmanager
def own_folder() -> Iterator[Path]:
    """Give a fresh folder that lives as long as the block; what killed demos of this user left is gone."""
    sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, (Path(name) / _MARK).open("w") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        yield Path(name)


def sweep(parent: Path) -> None:
    """Remove the folders of this user's demos that run no more; one without a mark may just be beginning."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            with (folder / _MARK).open() as mark:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            # It runs, or has gone meanwhile.
            continue
