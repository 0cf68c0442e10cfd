"""A small graph with an open question, for the tests of the ledger of guesses."""

from dataclasses import dataclass

from app.kernel.database import Database
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.factories import Made, make_entity, make_relationship


@dataclass(frozen=True, slots=True)
class Graph:
    """FastAPI depends on Starlette, Starlette depends on AnyIO: does FastAPI depend on AnyIO?"""

    fastapi: str
    starlette: str
    anyio: str
    first: Made
    second: Made

    @property
    def guess(self) -> Edge:
        return Edge(self.fastapi, "depends_on", self.anyio)


async def make_graph(database: Database, team: Caller) -> Graph:
    fastapi, starlette, anyio = [
        await make_entity(database, team, name) for name in ("FastAPI", "Starlette", "AnyIO")
    ]
    return Graph(
        fastapi,
        starlette,
        anyio,
        await make_relationship(database, team, fastapi, "depends_on", starlette),
        await make_relationship(database, team, starlette, "depends_on", anyio),
    )
