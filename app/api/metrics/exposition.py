"""One process' metrics, in a registry of their own: nothing is kept in a module."""

from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client import ProcessCollector as SystemCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from app.api.door import Door
from app.api.metrics.instance import InstanceCollector
from app.api.metrics.process import ProcessCollector
from app.api.metrics.requests import RequestCounts

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


class Metrics:
    """What a door counts, and how it is told."""

    def __init__(self, door: Door) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self.requests = RequestCounts(self._registry)
        self._instance = InstanceCollector(door.database)
        # Their protocol is a method `collect`; the library's own base class adds nothing to it.
        self._registry.register(ProcessCollector(door))
        self._registry.register(self._instance)
        SystemCollector(registry=self._registry)

    async def render(self) -> bytes:
        """Return everything as text."""
        await self._instance.refresh()
        return generate_latest(self._registry)
