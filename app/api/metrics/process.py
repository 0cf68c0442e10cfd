"""What the parts of this process count themselves, read when it is asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from app import __version__
from app.api.door import Door

# Of the pool's own statistics: ours, theirs, whether it only rises, what it says, and how much of it is one.
_POOL: Final = (
    ("densemem_pool_connections", "pool_size", False, "Database connections that are open.", 1),
    ("densemem_pool_free", "pool_available", False, "Open connections that nobody uses.", 1),
    ("densemem_pool_waiting", "requests_waiting", False, "Who waits for a connection now.", 1),
    ("densemem_pool_waits", "requests_queued", True, "Times that somebody had to wait for a connection.", 1),
    ("densemem_pool_wait_seconds", "requests_wait_ms", True, "Time spent waiting for a connection.", 1000),
    ("densemem_pool_timeouts", "requests_errors", True, "Waits for a connection that were given up.", 1),
)


@dataclass(frozen=True, slots=True)
class ProcessCollector:
    """A collector of prometheus_client's."""

    door: Door

    def collect(self) -> Iterator[Metric]:
        """Yield the families with their values of now."""
        build = GaugeMetricFamily("densemem_build", "The version that runs.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        yield CounterMetricFamily(
            "densemem_rate_limited",
            "Requests refused because their key had sent too many.",
            self.door.admission.limiter.refusals,
        )
        yield GaugeMetricFamily("densemem_event_streams", "Open streams of events.", self.door.events.readers)
        if self.door.redis is not None:
            yield GaugeMetricFamily(
                "densemem_redis_up",
                "1 unless Redis is left alone after a fault.",
                not self.door.redis.is_resting,
            )
        pools = self.door.database.pool_statistics()
        for name, key, rises, says, parts in _POOL:
            family = (CounterMetricFamily if rises else GaugeMetricFamily)(name, says, labels=["pool"])
            for pool, statistics in pools.items():
                family.add_metric([pool], statistics.get(key, 0) / parts)
            yield family
