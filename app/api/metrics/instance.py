"""The whole instance's work, as the database adds it up."""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Final, LiteralString

from prometheus_client.core import GaugeMetricFamily, Metric

from app.kernel.database import Database, Row, Scope

CACHE_SECONDS: Final = 5.0
# As the database's function names it: our name, the labels, what it says. "_day": over the last 24 hours.
FAMILIES: Final[dict[str, tuple[str, tuple[str, ...], str]]] = {
    "runs_live": ("densemem_runs_live", ("status",), "Cycle runs that have not ended."),
    "runs_ended": ("densemem_runs_ended_day", ("status", "trigger"), "Cycle runs that ended."),
    "run_reasons": ("densemem_run_reasons_day", ("status", "reason"), "Why runs ended as they did."),
    "funnel": ("densemem_funnel_day", ("step",), "Items at each step of the cycles."),
    "rejections": ("densemem_rejections_day", ("reason",), "Generated items that were rejected."),
    "seconds_since_finished": (
        "densemem_seconds_since_last_finished_run",
        (),
        "Since a run last did its work; missing while none ever has.",
    ),
    "heartbeat_age": (
        "densemem_run_heartbeat_age_seconds",
        (),
        "Of the running run that was silent longest.",
    ),
    "queue_depth": (
        "densemem_queue_depth",
        ("kind", "state"),
        "Unfinished work: due, later, leased, expired.",
    ),
    "oldest_due": (
        "densemem_queue_oldest_due_seconds",
        ("kind",),
        "How long the oldest due item has waited.",
    ),
    "lease_overdue": ("densemem_lease_overdue_seconds", ("kind",), "How long ago the oldest lease ran out."),
    "teams": ("densemem_teams", (), "Teams."),
    "teams_overdue": (
        "densemem_teams_overdue",
        (),
        "Teams whose window began 15 minutes ago and has no run.",
    ),
    "tokens": ("densemem_provider_tokens_day", ("purpose", "kind"), "Tokens of the provider."),
    "cost_usd": ("densemem_provider_cost_usd_day", ("purpose",), "What the provider cost."),
}
_METRICS: LiteralString = "SELECT * FROM instance_metrics()"


class InstanceCollector:
    """A collector of prometheus_client's over the last answer of the database."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._clock = clock
        self._rows: list[Row] = []
        self._read_at = float("-inf")

    async def refresh(self) -> None:
        """Leave values that are at most `CACHE_SECONDS` old; one transaction, whatever the number of teams."""
        if self._clock() - self._read_at < CACHE_SECONDS:
            return
        async with self._database.reading(Scope("app")) as reading:
            self._rows = await reading.fetch_all(_METRICS)
        self._read_at = self._clock()

    def collect(self) -> Iterator[Metric]:
        """Yield every family, those without a value too."""
        families = {
            key: GaugeMetricFamily(name, says, labels=labels)
            for key, (name, labels, says) in FAMILIES.items()
        }
        for row in self._rows:
            labels = FAMILIES[row["name"]][1]
            values = [row["first_label"], row["second_label"]][: len(labels)]
            families[row["name"]].add_metric(values, row["value"])
        yield from families.values()
