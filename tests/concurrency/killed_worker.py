"""A remember worker that kills itself with SIGKILL at one of its commit points; run as a module.

Arguments: the service's connection string, the length of its leases, and the point: `3-` dies right before its
third commit, `3+` right after it, `0` not at all. It works off what is due and ends.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.kernel.database import Database, Scope, Writing
from app.kernel.settings import Settings
from app.queue.leases import lease_due
from app.remember.pipeline import place_ingest
from app.review.submissions import settle_submissions
from tests.concurrency.writers import HashedVerifier, no_echo

T = TypeVar("T")


class MortalDatabase(Database):
    """Counts the commits of this process and dies at the chosen one."""

    dies_at = "0"
    commits = 0

    async def unit_of_work(self, scope: Scope, work: Callable[[Writing], Awaitable[T]]) -> T:
        async def and_maybe_die(w: Writing) -> T:
            result = await work(w)
            self.commits += 1
            if self.dies_at == f"{self.commits}-":
                die()
            return result

        result = await super().unit_of_work(scope, and_maybe_die)
        if self.dies_at == f"{self.commits}+":
            die()
        return result


def die() -> None:
    """End this process as a power failure would: nothing is flushed, nobody is told."""
    os.kill(os.getpid(), signal.SIGKILL)


async def work_off(url: str, lease_seconds: float, dies_at: str) -> int:
    """Place what is due; return how many commits that took."""
    database = MortalDatabase(Settings(), url=url)
    database.dies_at = dies_at
    await database.open()
    while leases := await database.unit_of_work(
        Scope("app"),
        lambda w: lease_due(w, kind="placement", worker=f"mortal {os.getpid()}", seconds=lease_seconds),
    ):
        for lease in leases:
            await place_ingest(
                database, lease, verifier=HashedVerifier(), echo=no_echo, at_end=settle_submissions
            )
    await database.close()
    return database.commits


if __name__ == "__main__":
    sys.stdout.write(str(asyncio.run(work_off(sys.argv[1], float(sys.argv[2]), sys.argv[3]))))
