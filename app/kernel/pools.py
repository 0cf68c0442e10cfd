"""The connections of one process: how they are made, and how it is found out that one has died."""

import select
from collections import deque
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.types.json import JsonbDumper
from psycopg_pool import AsyncConnectionPool

from app.kernel.connections import Connection
from app.kernel.plain_lists import PlainLists
from app.kernel.settings import Settings

# What is prepared, the round trips see to: psycopg, where it prepares, forgets all with a rollback. They read and
# write UTF-8.
_PLAIN: Final = {"prepare_threshold": None, "client_encoding": "utf8"}


class LastFirst(deque[Connection]):
    """Connections at rest, of which the one that came back last goes out first.

    Its server process has what a request needs at hand, most of all in the caches of the core; in turn, each of
    them would have to find it again. Those that are not needed then come to their end.
    """

    popleft = deque.pop


def make_pool(settings: Settings, url: str) -> AsyncConnectionPool[Connection]:
    """Return a pool that is still closed; `url` is a libpq connection string."""
    pool = AsyncConnectionPool(
        url,
        connection_class=Connection,
        kwargs={"autocommit": True, "context": adaptation()} | _PLAIN,
        min_size=1,
        max_size=settings.pool_size,
        timeout=settings.pool_timeout_seconds,
        open=False,
        check=_check_connection,
    )
    # psycopg takes the one that has rested longest, and has no setting for it.
    pool._pool = LastFirst()
    return pool


async def _check_connection(connection: Connection) -> None:
    """Raise if the connection has ended. The server is asked only where it has said something unasked.

    What a server says of itself is, before all, that it ends the connection; a round trip for each use of each
    connection would find out no more than the use itself.
    """
    news = select.poll()
    news.register(connection.pgconn.socket, select.POLLIN)
    if news.poll(0):
        await AsyncConnectionPool.check_connection(connection)


@dataclass(frozen=True, slots=True)
class Adaptation:
    """How values are written and read, as psycopg hands it on. Without a connection times are read in UTC."""

    adapters: AdaptersMap
    connection: None = None


def adaptation() -> Adaptation:
    """Return the product's way to write and read values."""
    adapters = AdaptersMap(psycopg.adapters)
    # A dict can only mean JSON here; lists stay arrays.
    adapters.register_dumper(dict, JsonbDumper)
    adapters.register_dumper(list, PlainLists)
    return Adaptation(adapters)
