"""A connection of a pool, with what belongs to it for as long as it lives."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq.abc import PGconn
from psycopg.rows import AsyncRowFactory, dict_row

from app.kernel.ears import Ear

T = TypeVar("T")
# By its text and the types of its values a server tells one statement from others.
Key = tuple[bytes, tuple[int, ...]]
# How often psycopg wakes up while it waits.
_INTERVAL: Final = 0.1


@dataclass(slots=True)
class Known:
    """A statement that a connection knows by name, and what its columns are called, once it has returned rows."""

    name: bytes
    columns: tuple[str, ...] = ()


@dataclass(slots=True)
class Prepared:
    """The statements that one connection knows, the one longest unused first."""

    known: OrderedDict[Key, Known] = field(default_factory=OrderedDict)
    count: int = 0


class Connection(psycopg.AsyncConnection[dict[str, Any]]):  # Rows by the names of their columns.
    """Round trips listen to it by its ear, all else by psycopg.

    Inherits because pools make and end it, and psycopg waits on it, wherever they need to: the event loop knows a
    socket by its number, so the ear is closed before another listens, and before the number is another's.
    """

    def __init__(self, pgconn: PGconn, row_factory: AsyncRowFactory[dict[str, Any]] = dict_row) -> None:
        """Take a connection that was made."""
        super().__init__(pgconn, row_factory)
        self.ear = Ear(pgconn)
        self.prepared = Prepared()

    async def wait(
        self,
        gen: PQGen[T],
        interval: float = _INTERVAL,
        timeout: float | None = None,  # noqa: ASYNC109  # psycopg's signature.
    ) -> T:
        """Have psycopg listen until it knows what it wants to."""
        self.ear.close()
        return await super().wait(gen, interval, timeout)

    async def close(self) -> None:
        """End it."""
        self.ear.close()
        await super().close()
