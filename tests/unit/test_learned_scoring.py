"""Learned scoring as a whole: teams large enough to learn from, explained, repeatable, silent when in doubt."""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from random import Random

import pytest

from app.dreaming.grouping.candidates import Rule, Trait, weigh_rules
from app.dreaming.grouping.explanation import explain_candidate
from app.dreaming.grouping.groups import form_groups
from app.dreaming.grouping.learning import large, small
from app.dreaming.grouping.learning.signals import Signals, read_signals
from app.dreaming.grouping.paths import Graph
from app.dreaming.grouping.scoring import (
    LEAST_EDGES_TO_LEARN,
    count_lessons,
    judge_open_pairs,
    score_candidates,
)
from app.dreaming.model import Inputs, Proposal, Standing
from app.dreaming.rules import propose
from app.dreaming.validation.validate import Current, validate
from tests.unit.graphs import identify, licence_chain, make_inputs, make_premise, spell


def taught() -> list[str]:
    """Return 40 packages whose licence is that of their part, under two licences, and 4 with none recorded."""
    triples = []
    for number in range(44):
        licence = "l" if number % 2 else "m"
        triples += [f"a{number} depends_on b{number}", f"b{number} licensed_under {licence}"]
        if number < 40:
            triples.append(f"a{number} licensed_under {licence}")
    return triples


def companions() -> list[str]:
    """Return packages most of which have x, y and z together, and some others; s0 lacks z, s1 lacks y."""
    triples = [f"s{number} uses {thing}" for number in range(12) for thing in ("x", "y", "z")]
    triples = [triple for triple in triples if triple not in ("s0 uses z", "s1 uses y")]
    return triples + [f"o{number} uses w{(number * step) % 17}" for number in range(30) for step in (1, 3, 7)]


def dream(inputs: Inputs, *, max_outputs: int = 10) -> dict[str, Proposal]:
    groups = form_groups(inputs, max_groups=40).groups
    return {each.statement: each for each in propose(inputs, groups, max_outputs=max_outputs)}


def check(proposals: Iterable[Proposal], inputs: Inputs) -> list[str]:
    """Return the reasons for which validation would refuse the proposals."""
    versions = {
        source.relationship_id: (source.version, True)
        for premise in inputs.premises
        for source in premise.sources
    }
    current = Current(standing=inputs.standing, source_versions=versions)
    return [item.reason for item in validate(list(proposals), inputs, current, max_outputs=50).rejected]


@pytest.fixture(params=["small", "large"])
def scale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge the same inputs as a small graph, and as a large one."""
    if request.param == "large":
        monkeypatch.setattr(small, "MAX_CELLS", 0)


@pytest.mark.usefixtures("scale")
def test_what_was_always_right_is_likely_and_explained() -> None:
    inputs = make_inputs(*taught())
    best = [spell(each.target) for each in score_candidates(inputs).candidates[:4]]
    assert sorted(best) == [
        "a40 licensed_under m",
        "a41 licensed_under l",
        "a42 licensed_under m",
        "a43 licensed_under l",
    ]
    proposal = dream(inputs)["A41 may be licensed under L."]
    assert proposal.likelihood > 0.3
    assert proposal.paths[0].rule == "X depends_on Z, Z licensed_under Y → X licensed_under Y"
    assert (proposal.paths[0].support, proposal.paths[0].body) == (40, 44)
    assert proposal.confidence == 40 / 45
    assert proposal.rationale.startswith(
        "A41 depends on B41 and B41 is licensed under L; memory connects 44 pairs like this, this one included, "
        "and of 40 of these it also says "
    )


@pytest.mark.usefixtures("scale")
def test_the_likelihood_is_learned_and_not_the_best_rules_confidence() -> None:
    (first, *_) = score_candidates(make_inputs(*taught())).candidates
    assert first.likelihood != 40 / 49
    assert 0 < first.likelihood < 1


@pytest.mark.usefixtures("scale")
def test_equal_inputs_in_any_order_give_equal_likelihoods_to_the_last_digit() -> None:
    premises = [make_premise(triple) for triple in taught() + companions()]
    expected = form_groups(make_inputs(*premises), max_groups=40)
    assert expected.groups
    for seed in range(2):
        Random(seed).shuffle(premises)
        assert form_groups(make_inputs(*premises), max_groups=40) == expected


@pytest.mark.usefixtures("scale")
def test_every_learned_proposal_passes_validation() -> None:
    inputs = make_inputs(*taught(), *companions())
    proposals = dream(inputs)
    assert proposals
    assert check(proposals.values(), inputs) == []
    for proposal in proposals.values():
        assert proposal.likelihood >= 0.1
        assert proposal.paths[0].support >= 2
        assert sum(path.share for path in proposal.paths) == pytest.approx(1.0)
        assert [path.share for path in proposal.paths] == sorted(
            (path.share for path in proposal.paths), reverse=True
        )


def test_a_rule_with_a_constant_is_shown_with_a_witness() -> None:
    inputs = make_inputs(*companions())
    scores = score_candidates(inputs)
    (candidate,) = [each for each in scores.candidates if spell(each.target) == "s0 uses z"]
    paths = explain_candidate(scores, candidate, inputs.nodes)
    path = next(each for each in paths if each.rule == "X uses Y → X uses Z")
    keys = {premise.group_key: premise for premise in inputs.premises}
    own, same, shown = (keys[key] for key in path.premise_keys)
    assert (own.subject_id, own.object_id) == ("s0", "y")
    assert (same.object_id, shown.object_id) == ("y", "z")
    assert same.subject_id == shown.subject_id != "s0"
    assert (path.support, path.body, path.instances) == (10, 11, 10)


@pytest.mark.parametrize("salt", ["a", "b", "c"])
def test_of_equal_paths_the_one_with_the_first_names_is_shown_whatever_their_ids(salt: str) -> None:
    premises = [
        replace(one, group_key=sha256(f"{salt}{one.group_key}".encode()).hexdigest())
        for one in map(make_premise, companions())
    ]
    inputs = make_inputs(*premises)
    scores = score_candidates(inputs)
    (candidate,) = [each for each in scores.candidates if spell(each.target) == "s0 uses z"]
    path = next(
        each
        for each in explain_candidate(scores, candidate, inputs.nodes)
        if each.rule == "X uses Y → X uses Z"
    )
    keys = {premise.group_key: premise for premise in premises}
    assert [keys[key].subject_id for key in path.premise_keys] == ["s0", "s10", "s10"]


def test_shares_are_the_parts_that_the_rules_have_in_the_score() -> None:
    inputs = make_inputs(*companions())
    scores = score_candidates(inputs)
    (candidate,) = [each for each in scores.candidates if spell(each.target) == "s0 uses z"]
    first, second, *_ = scores.find_rules(candidate)
    weighed = (replace(first, weight=0.6), replace(second, weight=0.2))
    paths = explain_candidate(replace(scores, find_rules=lambda _: weighed), candidate, inputs.nodes)
    assert [path.share for path in paths] == pytest.approx([0.75, 0.25])


def test_the_rationale_of_a_rule_with_a_constant_names_its_witness() -> None:
    proposal = dream(make_inputs(*companions()))["S0 may use Z."]
    assert proposal.rationale == (
        'S0 is one of 12 things of which memory says "… uses X"; of 11 of these, such as S1, it also says '
        '"… uses Z".'
    )


def test_the_rationale_says_of_which_end_a_rule_with_a_constant_speaks() -> None:
    premises = [make_premise(triple) for triple in companions()]
    inputs = make_inputs(*premises)
    keys = {(one.subject_id, one.object_id): one.group_key for one in premises}
    group = next(
        each for each in form_groups(inputs, max_groups=40).groups if spell(each.target) == "s0 uses z"
    )
    shown = tuple(keys[pair] for pair in (("s10", "z"), ("s10", "x"), ("s0", "x")))
    paths = (replace(group.paths[0], premise_keys=shown, body=3, support=2),)
    (proposal,) = propose(inputs, [replace(group, paths=paths)], max_outputs=1)
    assert proposal.rationale == (
        'Z is one of 3 things of which memory says "S10 uses …"; of 2 of these, such as X, it also says '
        '"S0 uses …".'
    )
    pending = make_inputs(
        *(
            make_premise(triple, is_candidate=one.group_key in shown)
            for triple, one in zip(companions(), premises, strict=True)
        )
    )
    (proposal,) = propose(pending, [replace(group, paths=paths)], max_outputs=1)
    assert proposal.rationale == (
        'Z is one of 3 things of which memory says "S10 uses …" (of it not yet confirmed); of 2 of these, such as '
        'X (not yet confirmed), it also says "S0 uses …".'
    )


@pytest.mark.usefixtures("scale")
def test_what_the_database_knows_beyond_the_premises_is_no_candidate() -> None:
    standing = Standing(active=frozenset({identify("a41 licensed_under l")}))
    found = score_candidates(make_inputs(*taught(), standing=standing)).candidates
    assert "a41 licensed_under l" not in {spell(each.target) for each in found}
    assert "a43 licensed_under l" in {spell(each.target) for each in found}


def test_below_a_hundred_edges_only_the_best_rule_speaks() -> None:
    few = licence_chain(known=30, open_=3)
    assert len(few) < LEAST_EDGES_TO_LEARN
    assert judge_open_pairs(make_inputs(*few)) is None
    best = score_candidates(make_inputs(*few)).candidates[0]
    assert best.likelihood == 30 / 38
    assert judge_open_pairs(make_inputs(*taught())) is not None


def test_edges_without_any_pattern_give_silence() -> None:
    random = Random(3)
    triples = {f"a{random.randrange(60)} uses b{random.randrange(60)}" for _ in range(140)}
    assert len(triples) >= LEAST_EDGES_TO_LEARN
    assert dream(make_inputs(*sorted(triples))) == {}


def test_rules_that_weigh_nothing_are_shown_only_when_nothing_else_carries() -> None:
    heavy = Rule((1,), 3, 9, 0.5)
    light = Rule((2,), 9, 9, -0.1)
    constant = Rule((), 4, 4, 0.7, Trait("subject", 0, 1))
    assert weigh_rules([heavy, light, constant]) == (constant, heavy)
    (only,) = weigh_rules([light])
    assert only.weight == light.confidence
    assert weigh_rules([]) == ()


@pytest.mark.parametrize(("many", "lessons"), [(1_000, 5), (100, 2)])
def test_a_small_graph_of_few_edges_learns_from_every_fifth(
    many: int, lessons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small, "MANY_EDGES", many)
    read: list[int] = []

    def read_and_count(graph: Graph) -> Signals:
        read.append(len(graph.premises))
        return read_signals(graph)

    monkeypatch.setattr(small, "read_signals", read_and_count)
    inputs = make_inputs(*taught())
    assert count_lessons(inputs) == lessons
    assert judge_open_pairs(inputs) is not None
    # The last one is of all edges, and what was learned is applied to it.
    assert len(read) == lessons + 1
    assert max(read[:-1]) < read[-1] == len(inputs.premises)
    monkeypatch.setattr(small, "MAX_CELLS", 0)
    assert count_lessons(inputs) == large.FOLDS
