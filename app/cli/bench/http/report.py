"""The measurement as a whole: its rows, and which bars they miss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from app.cli.bench.backend import bench_backend
from app.cli.bench.http.loading import Loaded, Size, load_instance
from app.cli.bench.http.measuring import Plan, Point, measure_door
from app.cli.bench.http.requests import BARE
from app.cli.evaluate.stage import tell
from app.cli.output import Json
from app.kernel.settings import Settings

# How many clients the bars are about.
BAR_CLIENTS: Final = 8
# Of the bare endpoint's rate; goals are twice that.
LEAST_SHARE: Final = {"list_dreams": 0.12, "get_dream": 0.08}
# In the bare endpoint's p50.
MOST_P50: Final = {"recall": 25.0}
# p99 in p50.
MOST_SPREAD: Final = {"list_dreams": 6.0, "recall": 6.0}
GOAL: Final = 2.0
COLUMNS: Final = {
    "Operation": "operation",
    "Clients": "clients",
    "Requests/s": "requests_per_second",
    "p50, ms": "p50_ms",
    "p99, ms": "p99_ms",
    "Of bare": "share_of_bare",
    "API, ms": "api_ms",
    "pgbench/s": "pgbench_per_second",
    "Of pgbench": "share_of_pgbench",
    "Asking, cores": "driver_share",
    "Refused": "refused",
}
BAR_COLUMNS: Final = {"Bar": "bar", "Is": "value", "Bound": "bound", "Goal": "goal", "Met": "met"}


@dataclass(frozen=True, slots=True)
class Bar:
    """One bound at `BAR_CLIENTS` clients, in words, and what was measured."""

    bar: str
    value: float
    bound: float
    goal: float
    is_least: bool

    @property
    def is_met(self) -> bool:
        return self.value >= self.bound if self.is_least else self.value <= self.bound

    @property
    def is_goal(self) -> bool:
        return self.value >= self.goal if self.is_least else self.value <= self.goal


@dataclass(frozen=True, slots=True)
class Measured:
    """What there was and how long it took to load, one row a point, and the bars."""

    loaded: Loaded
    load_seconds: float
    points: tuple[Point, ...]
    bars: tuple[Bar, ...]

    @property
    def is_good(self) -> bool:
        """Say whether every bar is met and nothing was refused."""
        return all(bar.is_met for bar in self.bars) and not any(point.refused for point in self.points)


def run_bench(settings: Settings, size: Size, plan: Plan) -> Measured:
    """Measure on a fresh embedded server, always: it is filled past all that protects one which others use."""
    with bench_backend(settings.model_copy(update={"database_url": None})) as (backend, on_it):
        tell("loading")
        began = perf_counter()
        loaded = load_instance(backend, on_it, size)
        seconds = perf_counter() - began
        points = measure_door(backend, on_it, loaded, plan)
    return Measured(loaded, seconds, tuple(points), judge(points))


def describe_load(measured: Measured) -> Json:
    """Return what was measured on, by name."""
    return {
        "hypotheses": measured.loaded.hypotheses,
        "relationships": measured.loaded.relationships,
        "teams": len(measured.loaded.teams),
        "rows_in_all_tables": measured.loaded.rows,
        "seconds_to_load": round(measured.load_seconds, 1),
    }


def judge(points: Sequence[Point]) -> tuple[Bar, ...]:
    """Return the bars of the operations that were measured with `BAR_CLIENTS` clients."""
    found = {point.operation: point for point in points if point.clients == BAR_CLIENTS}
    bare = found.pop(BARE, None)
    if bare is None:
        return ()
    bars = []
    for name, point in found.items():
        if name in LEAST_SHARE:
            bars.append(
                _bar(f"{name}: of bare's rate", point.rate / bare.rate, LEAST_SHARE[name], is_least=True)
            )
        if name in MOST_P50:
            bars.append(_bar(f"{name}: p50 in bare's", point.p50_ms / bare.p50_ms, MOST_P50[name]))
        if name in MOST_SPREAD:
            bars.append(_bar(f"{name}: p99 in p50", point.p99_ms / point.p50_ms, MOST_SPREAD[name]))
    return tuple(bars)


def _bar(bar: str, value: float, bound: float, *, is_least: bool = False) -> Bar:
    return Bar(bar, value, bound, bound * GOAL if is_least else bound / GOAL, is_least)


def write_rows(points: Sequence[Point]) -> list[Json]:
    """Return the points as they are printed."""
    bare = {point.clients: point.rate for point in points if point.operation == BARE}
    return [_row(point, bare) for point in points]


def _row(point: Point, bare: Mapping[int, float]) -> Json:
    return {
        "operation": point.operation,
        "clients": point.clients,
        "requests_per_second": round(point.rate, 1),
        "p50_ms": round(point.p50_ms, 2),
        "p99_ms": round(point.p99_ms, 2),
        "api_ms": round(point.api_ms, 3),
        "share_of_bare": round(point.rate / bare[point.clients], 3),
        "pgbench_per_second": None if point.pgbench_rate is None else round(point.pgbench_rate, 1),
        "share_of_pgbench": None if point.pgbench_rate is None else round(point.rate / point.pgbench_rate, 3),
        "driver_share": round(point.driver_share, 2),
        "refused": point.refused,
    }


def write_bars(bars: Sequence[Bar]) -> list[Json]:
    """Return the bars as they are printed."""
    return [
        {
            "bar": bar.bar,
            "value": round(bar.value, 3),
            "bound": f"{'>=' if bar.is_least else '<='} {bar.bound:g}",
            "goal": f"{bar.goal:g}",
            "met": "goal" if bar.is_goal else "yes" if bar.is_met else "no",
        }
        for bar in bars
    ]
