"""Groups: open targets worth a look, spread over subjects and predicates, equal for equal inputs."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from app.dreaming.grouping.groups import form_groups
from app.dreaming.model import Group, Premise, Standing
from tests.unit.graphs import NOON, identify, licence_chain, make_inputs, make_live, make_premise, spell

TARGET = "a3 licensed_under l"
CHAIN = [make_premise(triple) for triple in licence_chain()]
BASIS = [make_premise("a3 depends_on b3"), make_premise("b3 licensed_under l")]


def form(*premises: Premise, standing: Standing | None = None, max_groups: int = 40) -> dict[str, Group]:
    grouping = form_groups(make_inputs(*premises, standing=standing), max_groups=max_groups)
    return {spell(group.target): group for group in grouping.groups}


def held(status: str = "proposed") -> Standing:
    return Standing(live={identify(TARGET): make_live(TARGET, BASIS, status=status)})


def test_a_group_holds_the_premises_of_its_paths_in_path_order() -> None:
    group = form(*CHAIN)[TARGET]
    names = {premise.group_key: premise for premise in CHAIN}
    assert [names[key].subject_id for key in group.premise_keys] == ["a3", "b3"]
    (path,) = group.paths
    assert path.rule == "X depends_on Z, Z licensed_under Y → X licensed_under Y"
    assert (path.instances, path.support, path.body, path.share) == (1, 3, 4, 1.0)


def test_a_path_of_recorded_knowledge_is_shown_before_one_with_a_pending_candidate() -> None:
    pending = [
        make_premise(f"a3 depends_on {known}", is_candidate=True) for known in ("b0", "b1", "b2", "a0", "a1")
    ]
    (path,) = form(*CHAIN, *pending)[TARGET].paths
    assert path.instances == 6
    assert path.premise_keys == tuple(premise.group_key for premise in BASIS)


@pytest.mark.parametrize(("first", "last"), [("a", "z"), ("z", "a")])
def test_a_symmetric_target_is_explained_by_its_path_either_way_round(first: str, last: str) -> None:
    triples = [f"{first}{number} uses t{number}" for number in range(3)]
    triples += [f"t{number} depends_on {last}{number}" for number in range(3)]
    known = ["a0 compatible_with z0", "a1 compatible_with z1"]
    group = form(*map(make_premise, triples + known))["a2 compatible_with z2"]
    expected = [make_premise(f"{first}2 uses t2"), make_premise(f"t2 depends_on {last}2")]
    assert set(group.premise_keys) == {premise.group_key for premise in expected}
    forward = "X uses Z, Z depends_on Y → X compatible_with Y"
    backward = "Z depends_on X, Y uses Z → X compatible_with Y"
    assert group.paths[0].rule == (forward if first == "a" else backward)


def test_max_groups_bounds_and_zero_means_none() -> None:
    chain = [make_premise(triple) for triple in licence_chain(known=3, open_=9)]
    assert len(form(*chain, max_groups=4)) == 4
    assert form(*chain, max_groups=0) == {}


def test_nothing_below_the_floor_is_grouped() -> None:
    sparse = [make_premise(triple) for triple in licence_chain(known=2, open_=30)]
    assert not [target for target in form(*sparse) if "licensed_under" in target]
    grouping = form_groups(make_inputs(*sparse), max_groups=40, least_support=0, least_likelihood=0.0)
    assert any(group.target.predicate_key == "licensed_under" for group in grouping.groups)


@pytest.mark.parametrize("status", ["proposed", "stale", "submitted"])
def test_a_held_target_that_nothing_new_supports_takes_no_place(status: str) -> None:
    assert TARGET in form(*CHAIN)
    assert TARGET not in form(*CHAIN, standing=held(status))


@pytest.mark.parametrize("status", ["proposed", "stale"])
def test_a_new_premise_or_a_newer_source_brings_a_held_target_back(status: str) -> None:
    extra = [make_premise("a3 depends_on b0")]
    group = form(*CHAIN, *extra, standing=held(status))[TARGET]
    assert extra[0].group_key in group.premise_keys
    newer = [make_premise("b3 licensed_under l", version=2) if each == BASIS[1] else each for each in CHAIN]
    assert TARGET in form(*newer, standing=held(status))
    assert TARGET not in form(*newer, *extra, standing=held("submitted"))


def test_another_profiles_copy_of_a_recorded_premise_is_nothing_new() -> None:
    copied = [make_premise("a3 depends_on b3", copies=3) if each == BASIS[0] else each for each in CHAIN]
    assert TARGET not in form(*copied, standing=held())


def test_a_rejected_target_returns_only_with_a_premise_that_became_eligible_later() -> None:
    rejected = Standing(suppressed={identify(TARGET): NOON})
    assert TARGET not in form(*CHAIN, standing=rejected)
    unrelated = make_premise("a0 uses b1", eligible_since=NOON + timedelta(hours=1))
    assert TARGET not in form(*CHAIN, unrelated, standing=rejected)
    later = make_premise("a3 depends_on b0", eligible_since=NOON + timedelta(hours=1))
    assert later.group_key in form(*CHAIN, later, standing=rejected)[TARGET].premise_keys


def many_targets() -> list[Premise]:
    """One subject with 12 open uses, 8 subjects with one each, and 10 open licences."""
    triples = licence_chain(known=6, open_=10)
    triples += [f"s depends_on d{number}" for number in range(12)]
    for number in range(8):
        triples += [f"t{number} depends_on e{number}"]
        triples += [f"k{number} depends_on f{number}", f"k{number} uses f{number}"]
    return [make_premise(triple) for triple in triples]


def test_every_beginning_of_the_list_is_spread_over_subjects_and_predicates() -> None:
    groups = form_groups(make_inputs(*many_targets()), max_groups=16).groups
    assert len(groups) == 16
    for length in range(1, 17):
        subjects = Counter(group.target.subject_id for group in groups[:length])
        predicates = Counter(group.target.predicate_key for group in groups[:length])
        assert max(subjects.values()) <= -(-length // 4)
        objects = Counter(group.target.object_id for group in groups[:length])
        assert max(predicates.values()) <= -(-length // 2)
        assert max(objects.values()) <= -(-length // 2)
    assert {group.target.predicate_key for group in groups} == {"licensed_under", "uses"}


def test_a_predicate_that_is_likelier_throughout_has_no_more_than_half_of_any_beginning() -> None:
    triples = []
    for number in range(12):
        triples += [f"a{number} depends_on b{number}", f"b{number} licensed_under l{number % 4}"]
        if number < 6:
            triples.append(f"a{number} licensed_under l{number % 4}")
    for number in range(6):
        triples += [f"t{number} depends_on e{number}", f"k{number} depends_on f{number}"]
        triples.append(f"k{number} uses f{number}")
    inputs = make_inputs(*triples)
    groups = form_groups(inputs, max_groups=12).groups
    assert groups[0].target.predicate_key == "licensed_under"
    likelier = [group.likelihood for group in groups if group.target.predicate_key == "licensed_under"]
    assert (len(groups), len(likelier)) == (12, 6)
    assert min(likelier) > max(group.likelihood for group in groups if group.likelihood not in likelier)
    for length in range(1, 13):
        share = sum(group.target.predicate_key == "licensed_under" for group in groups[:length])
        assert share <= -(-length // 2)


def test_a_share_gives_way_when_nobody_else_has_candidates() -> None:
    assert len([target for target in form(*many_targets(), max_groups=200) if target.startswith("s ")]) == 12


def test_equal_inputs_in_any_order_give_equal_groups_in_equal_order() -> None:
    premises = many_targets()
    expected = form_groups(make_inputs(*premises), max_groups=40)
    for seed in range(5):
        Random(seed).shuffle(premises)
        assert form_groups(make_inputs(*premises), max_groups=40) == expected


def test_no_premises_give_no_groups() -> None:
    assert form_groups(make_inputs(), max_groups=40).groups == ()


def test_a_symmetric_pair_that_is_known_is_no_target_whichever_end_comes_first_by_name() -> None:
    triples = [f"a{number} uses t{number}" for number in range(4)]
    known = [f"a{number} compatible_with t{number}" for number in range(3)]
    inputs = make_inputs(*map(make_premise, triples + known))
    renamed = {
        key: replace(node, name=f"z{key}" if key[0] == "a" else key) for key, node in inputs.nodes.items()
    }
    groups = form_groups(replace(inputs, nodes=renamed), max_groups=40).groups
    assert [spell(each.target) for each in groups if each.target.predicate_key == "compatible_with"] == [
        "t3 compatible_with a3"
    ]
