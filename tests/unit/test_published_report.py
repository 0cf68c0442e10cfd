"""The public sets as one command prints them: every split once, and the bars, as tables and as data."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.evaluate import report
from app.cli.evaluate.judging import Judged, Ranking
from app.cli.evaluate.measuring import Measured
from app.cli.evaluate.triples import CUTS, Split
from app.cli.evaluate.young import Young
from app.dreaming.grouping.candidates import LeftOut
from app.dreaming.grouping.learning.measures import Calibration, Ranks
from app.kernel.settings import Settings

TRIPLES = tuple((f"a{number}", "uses", f"b{number % 7}") for number in range(20))
SETS = [Split(name, TRIPLES[:16], TRIPLES[16:18], TRIPLES[18:]) for name in ("kinships", "umls", "nations")]


def measure(name: str, *, share: float = 0.97) -> Measured:
    ranking = Ranking(dict.fromkeys(CUTS, share), 5, 3)
    calibration = Calibration(0.5, 1.0, 0.04, ((0.1, 0.2, 7),))
    left_out = LeftOut(shapes=1, paths=2000, rules=3, rule_pairs=4000, hub_pairs=5)
    judged = Judged((), ranking, ranking, ranking, Ranks(0.95, 0.9, 1.0), calibration, left_out)
    return Measured(name, 16, 4, "succeeded", 9, 8, ranking, judged, True, 1.0, 30.0, 9.0, 8.0, 200, 150)


@pytest.fixture
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each split canned figures instead of a team and a cycle."""

    async def measure_split(_: object, split: Split, *, seed: int = 0) -> tuple[Measured]:
        assert split.name.endswith(f"seed {seed}") or seed == 0
        return (measure(split.name, share=0.5 if "30/20/50" in split.name else 0.97),)

    async def measure_young(*_: object, **__: object) -> list[Young]:
        return [Young(300, 0, 4, 3)]

    def on_stage(_: Settings, work: Callable[[object], Awaitable[Any]]) -> object:
        waiting = work(object()).__await__()
        try:
            next(waiting)
        except StopIteration as end:
            return end.value
        raise AssertionError("canned figures wait for nothing")

    monkeypatch.setattr(report, "read_published", lambda data, *, url: SETS)
    monkeypatch.setattr(report, "measure_split", measure_split)
    monkeypatch.setattr(report, "measure_young", measure_young)
    monkeypatch.setattr(report, "on_stage", on_stage)


@pytest.mark.usefixtures("_measured")
def test_as_data_everything_is_there_with_the_bars(capsys: pytest.CaptureFixture[str]) -> None:
    report.report_published(Settings(), Path(), url=None, is_quick=False, prints_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["published"]] == ["kinships", "umls", "nations"]
    assert [each["name"] for each in found["anew"]] == [
        f"{name} 30/20/50 seed {seed}" for name in ("kinships", "umls") for seed in range(3)
    ]
    assert found["young"] == [{"edges": 300, "draw": 0, "outputs": 4, "hits": 3}]
    assert found["published"][0]["judged"]["left_out"]["hub_pairs"] == 5
    bars = {(row["of"], row["figure"]): (row["found"], row["met"]) for row in found["bars"]}
    assert bars["kinships", "MRR"] == ("0.950", "goal met")
    assert bars["nations", "P@20"] == ("0.970", "met")
    assert bars["umls anew", "P@200"] == ("0.500", "NOT MET")
    assert bars["300 edges", "right among proposed"] == ("0.750", "met")


@pytest.mark.usefixtures("_measured")
def test_as_tables_means_stand_for_splits_anew_and_a_quick_one_has_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report.report_published(Settings(), Path(), url=None, is_quick=False, prints_json=False)
    printed = capsys.readouterr().out
    assert "umls 30/20/50, mean of 3" in printed
    assert "NOT MET" in printed
    assert "Teams of few edges, drawn from umls" in printed
    report.report_published(Settings(), Path(), url=None, is_quick=True, prints_json=False)
    quick = capsys.readouterr().out
    assert "30/20/50" not in quick
    assert "popularity" in quick
