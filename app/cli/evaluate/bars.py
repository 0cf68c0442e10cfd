"""Bars: what the figures have to reach, and whether they do. Pure.

A bar is a bound that must hold and a goal beyond it; both were set before these figures were measured. P@k is of
what the cycle proposed, in order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal

from app.cli.evaluate.large import Grown
from app.cli.evaluate.measuring import Measured
from app.cli.evaluate.young import Young
from app.cli.output import Json

TABLE: Final = {"Figure": "figure", "Of": "of", "Bar": "bar", "Goal": "goal", "Found": "found", "": "met"}
LARGE_EDGES: Final = 100_000
YOUNG_EDGES: Final = 300


@dataclass(frozen=True, slots=True)
class Bar:
    """`figure` is named as `_find_figures` does; no goal: the bar is all that is asked."""

    figure: str
    side: Literal["at least", "at most", "below"]
    bar: float
    goal: float | None = None

    def is_met(self, found: float, bound: float) -> bool:
        if self.side == "at least":
            return found >= bound
        return found < bound if self.side == "below" else found <= bound


_HONEST_AND_CHEAP: Final = (
    Bar("Brier / base rate", "below", 1.0, 0.75),
    Bar("reliability error", "at most", 0.10, 0.05),
    Bar("cycle s", "at most", 120),
    Bar("peak MB", "at most", 1500),
)
PUBLISHED: Final[Mapping[str, tuple[Bar, ...]]] = {
    "kinships": (
        Bar("MRR", "at least", 0.91, 0.93),
        Bar("P@200", "at least", 0.94, 0.97),
        *_HONEST_AND_CHEAP,
    ),
    "umls": (Bar("MRR", "at least", 0.96, 0.975), Bar("P@200", "at least", 0.98, 1.0), *_HONEST_AND_CHEAP),
    "nations": (
        Bar("MRR", "at least", 0.86, 0.875),
        Bar("P@20", "at least", 0.95),
        Bar("P@100", "at least", 0.92),
        *_HONEST_AND_CHEAP,
    ),
}
ANEW: Final[Mapping[str, tuple[Bar, ...]]] = {
    "kinships": (
        Bar("MRR", "at least", 0.65, 0.70),
        Bar("P@200", "at least", 0.92, 0.95),
        *_HONEST_AND_CHEAP,
    ),
    "umls": (Bar("MRR", "at least", 0.75, 0.84), Bar("P@200", "at least", 0.96, 0.98), *_HONEST_AND_CHEAP),
}
LARGE: Final = (
    Bar("P@100", "at least", 0.85, 0.95),
    Bar("cycle s", "at most", 90),
    Bar("peak MB", "at most", 1500),
    Bar("generator CPU s", "at most", 90, 25),
    Bar("generator MB", "at most", 1500, 512),
)
YOUNG: Final = Bar("right among proposed", "at least", 0.5)


def published_rows(
    published: Sequence[Measured], anew: Mapping[str, Sequence[Measured]], young: Sequence[Young]
) -> list[Json]:
    """Return a row per bar; of splits anew the mean is compared, for time and memory the worst."""
    rows: list[Json] = []
    for each in published:
        rows += _compare(each.name, PUBLISHED.get(each.name, ()), [each])
    for name, group in anew.items():
        rows += _compare(f"{name} anew", ANEW.get(name, ()), group)
    drawn = [each for each in young if each.edges == YOUNG_EDGES]
    if drawn:
        outputs = sum(each.outputs for each in drawn)
        found = sum(each.hits for each in drawn) / outputs if outputs else None
        rows.append(_row(f"{YOUNG_EDGES} edges", YOUNG, found))
    return rows


def large_rows(size: int, grown: Sequence[Grown]) -> list[Json]:
    """Return a row per bar for the teams of 100 000 edges asked for: means, for time and memory the worst."""
    if size != LARGE_EDGES or not grown:
        return []
    return list(_compare(f"{size} edges", LARGE, [each.measured for each in grown]))


def _compare(name: str, bars: Sequence[Bar], group: Sequence[Measured]) -> Iterator[Json]:
    figures = [dict(_find_figures(each)) for each in group]
    for bar in bars:
        found = [each[bar.figure] for each in figures if bar.figure in each]
        worst = bar.figure.endswith((" s", " MB"))
        yield _row(name, bar, (max(found) if worst else fmean(found)) if found else None)


def _find_figures(measured: Measured) -> Iterator[tuple[str, float]]:
    yield from ((f"P@{cut}", share) for cut, share in measured.proposed.precision.items())
    ranks, calibration = measured.judged.ranks, measured.judged.calibration
    if ranks is not None:
        yield "MRR", ranks.mrr
    if calibration is not None and calibration.base_brier:
        yield "Brier / base rate", calibration.brier / calibration.base_brier
        yield "reliability error", calibration.reliability_error
    yield "cycle s", measured.cycle_seconds
    yield "peak MB", float(max(measured.generator_megabytes, measured.worker_megabytes))
    yield "generator CPU s", measured.generator_cpu_seconds
    yield "generator MB", float(measured.generator_megabytes)


def _row(name: str, bar: Bar, found: float | None) -> Json:
    """Return one row; nothing proposed is no failure of a young team, and nothing found is none measured."""
    if found is None:
        met = "silent" if bar is YOUNG else "NOT MEASURED"
    elif not bar.is_met(found, bar.bar):
        met = "NOT MET"
    else:
        met = "met" if bar.goal is None or not bar.is_met(found, bar.goal) else "goal met"
    form = "{:.0f}" if bar.figure.endswith((" s", " MB")) else "{:.3f}"
    sign = {"at least": "≥", "at most": "≤", "below": "<"}[bar.side]
    return {
        "figure": bar.figure,
        "of": name,
        "bar": f"{sign} {bar.bar:g}",
        "goal": "–" if bar.goal is None else f"{sign} {bar.goal:g}",
        "found": "–" if found is None else form.format(found),
        "met": met,
    }
