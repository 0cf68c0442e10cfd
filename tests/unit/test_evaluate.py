"""Measuring dreams: figures that can be counted by hand, splits, pinned files, a graph by its seed."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from app.cli.evaluate import judging, published
from app.cli.evaluate.published import read_published
from app.cli.evaluate.synthetic.planting import plant_graph
from app.cli.evaluate.triples import Split, draw_young, parse_shares, read_split, split_anew
from app.dreaming.grouping.candidates import LeftOut
from app.dreaming.grouping.learning.holdout import HeldBack
from app.dreaming.grouping.learning.judgement import Judged, Judgement
from app.dreaming.grouping.learning.measures import measure_calibration, rank_among_absent
from app.dreaming.grouping.paths import build_graph
from app.dreaming.grouping.scoring import judge_open_pairs
from app.dreaming.grouping.targets import open_spaces
from app.dreaming.model import Inputs, Premise, Target
from app.kernel.errors import SetupError
from tests.unit.graphs import PREDICATES, aim, make_inputs
from tests.unit.test_learned_scoring import taught

TRIPLES = tuple((f"a{number}", "uses", f"b{number % 7}") for number in range(150))


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
    return Judgement(graph, (judged,), lambda candidate: (), LeftOut(), is_complete=True)


def aim_at(premise: Premise) -> Target:
    return Target(premise.subject_id, premise.predicate_key, premise.object_id)


def make_uses(*triples: str) -> Inputs:
    return make_inputs(*triples, predicates={"uses": PREDICATES["uses"]})


def test_ranks_leave_other_known_edges_out_and_split_ties() -> None:
    judgement = judge_by_hand(make_uses("a uses b", "c uses d"), {"a c": 0.9, "a d": 0.5, "b d": 0.5})
    asked = [aim("a uses d")]
    known = [*asked, aim("a uses b"), aim("c uses d")]
    # Of a's absent objects only c is before d; of d's absent subjects b ties.
    assert rank_among_absent(judgement, known=known, asked=asked).mrr == pytest.approx((1 / 2 + 1 / 1.5) / 2)
    without_c = rank_among_absent(judgement, known=[*known, aim("a uses c")], asked=asked)
    assert without_c.mrr == pytest.approx((1 / 1 + 1 / 1.5) / 2)
    assert (without_c.hits_at_1, without_c.hits_at_10) == (0.5, 1.0)
    assert rank_among_absent(judgement, known=known, asked=[aim("a uses stranger")]).mrr == 0.0


def test_calibration_compares_what_was_said_with_what_was_found() -> None:
    inputs = make_uses("a uses b", "c uses d")
    judgement = judge_by_hand(inputs, {"a c": 0.9, "a d": 0.6})
    found = measure_calibration(judgement, HeldBack(inputs, frozenset({aim("a uses c")})))
    open_pairs = 4 * 3 - 2
    assert found.brier == pytest.approx((0.1**2 + 0.6**2) / open_pairs)
    assert found.base_brier == pytest.approx(0.1 * 0.9)
    assert found.bins == ((0.6, 0.0, 1), (0.9, 1.0, 1))
    assert found.reliability_error == pytest.approx((0.6 + 0.1) / 2)


def test_calibration_is_of_a_fifth_that_nothing_was_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Inputs, Sequence[HeldBack]]] = []

    def judge(inputs: Inputs, *, holdouts: Sequence[HeldBack] | None = None) -> Judgement | None:
        asked.append((inputs, holdouts or ()))
        return judge_open_pairs(inputs, holdouts=holdouts)

    monkeypatch.setattr(judging, "judge_open_pairs", judge)
    inputs = make_inputs(*taught())
    keys = {key: key for key in inputs.predicates}
    judged = judging.judge_team(
        inputs, Split("taught", (), (), ()), keys, max_groups=5, seed=0, calibrates=True
    )
    assert judged.calibration is not None
    left, holdouts = asked[-1]
    hidden = {aim_at(premise) for premise in inputs.premises} - {aim_at(one) for one in left.premises}
    assert len(holdouts) == 4, "as many as such a team learns from, but for the one that is judged"
    assert 0 < len(hidden) < len(inputs.premises)
    assert all(hidden.isdisjoint(held.targets) for held in holdouts)


def test_a_split_divides_all_triples_and_depends_on_the_seed() -> None:
    split = Split("set", TRIPLES[:100], TRIPLES[100:120], TRIPLES[120:])
    first = split_anew(split, shares=(30, 20, 50), seed=1)
    assert (len(first.train), len(first.valid), len(first.test)) == (45, 30, 75)
    assert {*first.train, *first.valid, *first.test} == set(TRIPLES)
    assert split_anew(split, shares=(30, 20, 50), seed=1) == first
    assert split_anew(split, shares=(30, 20, 50), seed=2) != first


def test_a_young_team_knows_so_many_edges_and_the_rest_is_held_out() -> None:
    split = Split("set", TRIPLES[:100], (), TRIPLES[100:])
    young = draw_young(split, edges=30, seed=0)
    assert (len(young.train), len(young.test)) == (30, 120)
    assert {*young.train, *young.test} == set(TRIPLES)
    assert draw_young(split, edges=30, seed=1) != young


@pytest.mark.parametrize("text", ["30/20", "30/20/40", "a/b/c", "0/50/50", "50/50/0"])
def test_shares_that_make_no_hundred_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_shares(text)


def test_a_line_without_three_columns_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a\tuses\tb\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("a\tuses\tc\n\na\tuses\n", encoding="utf-8")
    with pytest.raises(SetupError, match=r"test\.txt, line 3"):
        read_split(tmp_path)


@pytest.mark.parametrize("name", ["x" * 257, "a\0b"])
def test_a_name_that_no_entity_can_have_is_named_by_its_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.txt").write_text(f"a\tuses\tb\na\tuses\t{name}\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("a\tuses\tc\n", encoding="utf-8")
    with pytest.raises(SetupError, match=r"train\.txt, line 2: a name has at most 256"):
        read_split(tmp_path)


def test_only_line_ends_end_a_line_and_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_bytes("\ufeffa\tuses\tb\u2028c\r\n".encode())
    (tmp_path / "test.txt").write_text("", encoding="utf-8")
    assert read_split(tmp_path).train == (("a", "uses", "b\u2028c"),)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve small files in the place of the public ones, pinned by their own hashes."""
    folder = tmp_path / "served"
    pinned = {}
    for name in published.PINNED:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"a\tuses\t{name}\n", encoding="utf-8")
        pinned[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(published, "PINNED", pinned)
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # The base class named it.
        pass


def test_what_is_missing_is_fetched_once_and_checked(served: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    fetched = read_published(data, url=served)
    assert [split.name for split in fetched] == ["kinships", "umls", "nations"]
    assert fetched[0].train == (("a", "uses", "kinships/train.txt"),)
    assert read_published(data, url=None) == fetched


def test_a_file_that_is_not_the_pinned_one_is_refused_wherever_it_comes_from(
    served: str, tmp_path: Path
) -> None:
    (tmp_path / "served/umls/test.txt").write_text("x\tuses\ty\n", encoding="utf-8")
    with pytest.raises(SetupError, match=r"umls/test\.txt is not the file"):
        read_published(tmp_path / "data", url=served)
    assert not (tmp_path / "data/umls/test.txt").exists()
    with pytest.raises(SetupError, match=r"umls/test\.txt is not the file"):
        read_published(tmp_path / "served", url=None)


def test_without_an_address_it_says_what_is_missing_and_how_to_give_it(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"kinships/train\.txt is missing.*--data.*--url"):
        read_published(tmp_path, url=None)


def test_an_address_that_does_not_answer_is_said(served: str, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be fetched"):
        read_published(tmp_path / "data", url=f"{served}/nowhere")


def test_a_synthetic_graph_hides_edges_of_every_predicate_and_depends_on_its_seed() -> None:
    graph = plant_graph(3_000, seed=1)
    assert 2_200 < len(graph.visible) < 3_800
    assert not set(graph.visible) & set(graph.hidden)
    sizes = {key: sum(each == key for _, each, _ in graph.visible) for key in graph.signatures}
    hidden_keys = {key for _, key, _ in graph.hidden}
    assert {key for key, size in sizes.items() if size > 40} <= hidden_keys
    assert len(graph.rules) == 15
    assert any(signature.object_kind is None for signature in graph.signatures.values())
    assert all(head != tail for head, _, tail in (*graph.visible, *graph.hidden))
    assert plant_graph(3_000, seed=1) == graph
    assert plant_graph(3_000, seed=2) != graph
