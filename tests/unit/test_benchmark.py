"""The benchmark: figures that can be counted by hand, and a folder measured from end to end."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.dreaming.benchmark import (
    Folder,
    main,
    make_inputs,
    read_folder,
    run_benchmark,
    split_anew,
    word_report,
)
from app.dreaming.learning.holdout import HeldBack
from app.dreaming.learning.judgement import Judged, Judgement
from app.dreaming.learning.measures import measure_calibration, rank_among_absent
from app.dreaming.model import Inputs, Target
from app.dreaming.paths import build_graph
from app.dreaming.targets import open_spaces

TRIPLES = tuple(
    triple
    for number in range(50)
    for triple in (
        (f"a{number}", "depends_on", f"b{number}"),
        (f"b{number}", "licensed_under", f"l{number % 3}"),
        (f"a{number}", "licensed_under", f"l{number % 3}"),
    )
)


def write_folder(folder: Path) -> Path:
    held = [
        triple for triple in TRIPLES if triple[0] in ("a3", "a7", "a12") and triple[1] == "licensed_under"
    ]
    parts = {
        "train": [triple for triple in TRIPLES if triple not in held],
        "test": held[:2],
        "valid": held[2:],
    }
    for name, triples in parts.items():
        lines = ["\t".join(triple) for triple in triples]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def judge_by_hand(inputs: Inputs, likelihoods: dict[str, float]) -> Judgement:
    """Return a judgement of `uses` that says these things of "start end", and 0 of all other pairs."""
    graph = build_graph(inputs)
    (space,) = [each for each in open_spaces(inputs, graph) if each is not None]
    pairs = space.list_open()
    said = np.zeros(len(pairs))
    for name, likelihood in likelihoods.items():
        start, end = (graph.node_ids.index(node) for node in name.split())
        said[np.searchsorted(pairs, start * graph.size + end)] = likelihood
    judged = Judged(space, pairs, said, np.ones(len(pairs), dtype=np.bool_))
    return Judgement(graph, (judged,), lambda candidate: (), 0, 0, is_complete=True)


def test_ranks_leave_other_known_edges_out_and_split_ties() -> None:
    train = [("a", "uses", "b"), ("c", "uses", "d")]
    judgement = judge_by_hand(make_inputs(train), {"a c": 0.9, "a d": 0.5, "b d": 0.5})
    asked = [Target("a", "uses", "d")]
    known = [*asked, Target("a", "uses", "b"), Target("c", "uses", "d")]
    # Of a's absent objects only c is before d; of d's absent subjects b ties.
    assert rank_among_absent(judgement, known=known, asked=asked).mrr == pytest.approx((1 / 2 + 1 / 1.5) / 2)
    without_c = rank_among_absent(judgement, known=[*known, Target("a", "uses", "c")], asked=asked)
    assert without_c.mrr == pytest.approx((1 / 1 + 1 / 1.5) / 2)
    assert (without_c.hits_at_1, without_c.hits_at_10) == (0.5, 1.0)
    nowhere = rank_among_absent(judgement, known=known, asked=[Target("a", "uses", "stranger")])
    assert nowhere.mrr == 0.0


def test_calibration_compares_what_was_said_with_what_was_found() -> None:
    inputs = make_inputs([("a", "uses", "b"), ("c", "uses", "d")])
    judgement = judge_by_hand(inputs, {"a c": 0.9, "a d": 0.6})
    found = measure_calibration(judgement, HeldBack(inputs, frozenset({Target("a", "uses", "c")})))
    open_pairs = 4 * 3 - 2
    assert found.brier == pytest.approx((0.1**2 + 0.6**2) / open_pairs)
    assert found.base_brier == pytest.approx(0.1 * 0.9)
    assert found.bins == ((0.6, 0.0, 1), (0.9, 1.0, 1))
    assert found.reliability_error == pytest.approx((0.6 + 0.1) / 2)


def test_a_folder_is_measured_from_end_to_end(tmp_path: Path) -> None:
    report = run_benchmark(read_folder(write_folder(tmp_path)))
    ours, popularity, chance = report.lines
    assert (ours.method, popularity.method, chance.method) == ("ours", "popularity", "random")
    assert (report.edges, report.held_out) == (147, 3)
    assert ours.precision[20] == pytest.approx(3 / 20)
    assert ours.precision[20] > popularity.precision[20]
    assert ours.ranks is not None
    assert ours.ranks.mrr > 0.5
    assert report.calibration is not None
    assert report.calibration.brier < report.calibration.base_brier
    text = word_report(report)
    assert "MRR" in text
    assert "popularity" in text


def test_the_command_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(write_folder(tmp_path)), "--json", "--split", "60/20/20", "--seed", "1"])
    found = json.loads(capsys.readouterr().out)
    assert found["edges"] == 90
    assert [line["method"] for line in found["lines"]] == ["ours", "popularity", "random"]


def test_a_split_divides_all_triples_and_depends_on_the_seed() -> None:
    folder = Folder(TRIPLES[:100], TRIPLES[100:120], TRIPLES[120:])
    first = split_anew(folder, shares=(30, 20, 50), seed=1)
    assert (len(first.train), len(first.valid), len(first.test)) == (45, 30, 75)
    assert {*first.train, *first.valid, *first.test} == set(TRIPLES)
    assert split_anew(folder, shares=(30, 20, 50), seed=1) == first
    assert split_anew(folder, shares=(30, 20, 50), seed=2) != first


def test_a_line_without_three_columns_is_named(tmp_path: Path) -> None:
    (write_folder(tmp_path) / "test.txt").write_text("a\tuses\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"test\.txt, line 1"):
        read_folder(tmp_path)
