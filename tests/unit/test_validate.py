"""Validation of generated items: what happens between items, and what no input can break."""

from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.funnel import build_funnel
from app.dreaming.model import Proposal, RejectReason, Standing
from app.dreaming.validation.checks import CHECKS
from app.dreaming.validation.validate import Current, Duplicate, Validated, validate
from tests.unit.proposals import (
    FIRST,
    NODES,
    NOON,
    PREDICATES,
    PREMISES,
    SECOND,
    TARGET,
    identify,
    make_current,
    make_inputs,
    make_live,
    make_proposal,
)

INPUTS = make_inputs()
CURRENT = make_current()


def check(*proposals: Proposal, current: Current = CURRENT, max_outputs: int = 5) -> Validated:
    return validate(proposals, INPUTS, current, max_outputs=max_outputs)


def test_an_accepted_item_carries_everything_that_its_row_needs() -> None:
    (accepted,) = check(make_proposal()).accepted
    idea = accepted.idea
    assert idea.target_identity == TARGET
    assert (idea.edge.subject_id, idea.edge.predicate_key, idea.edge.object_id) == (
        "ent_fastapi",
        "depends_on",
        "ent_anyio",
    )
    assert [source.relationship_id for source in idea.sources] == ["rel_1", "rel_1_copy", "rel_2"]
    assert idea.source_versions == {"rel_1": 1, "rel_1_copy": 1, "rel_2": 1}
    assert idea.group_keys == {FIRST.group_key, SECOND.group_key}
    assert accepted.previous_hypothesis_id is None


def test_the_checks_follow_the_order_of_the_design() -> None:
    reasons = list(get_args(RejectReason))
    assert [reason for reason, _ in CHECKS] == reasons[6:-1]


def test_an_exact_pending_candidate_may_be_the_target_and_a_listed_source() -> None:
    sources = ("rel_1", "rel_2", "rel_exact")
    (accepted,) = check(make_proposal(source_relationship_ids=sources)).accepted
    assert [source.is_candidate for source in accepted.idea.sources] == [False, False, True]


def test_the_same_target_twice_keeps_the_first() -> None:
    validated = check(make_proposal(likelihood=0.2), make_proposal(likelihood=0.9))
    assert [accepted.idea.index for accepted in validated.accepted] == [0]
    assert validated.duplicates == (Duplicate("duplicate_in_run", 1),)


def test_a_refused_item_does_not_hide_a_good_one_of_the_same_target() -> None:
    validated = check(make_proposal(statement="FastAPI depends on AnyIO."), make_proposal())
    assert [rejected.reason for rejected in validated.rejected] == ["statement_invalid"]
    assert [accepted.idea.index for accepted in validated.accepted] == [1]


def test_swapped_endpoints_are_another_target_unless_the_predicate_reads_both_ways() -> None:
    swapped = {"subject_entity_id": "ent_anyio", "object_entity_id": "ent_fastapi"}
    directed = check(make_proposal(), make_proposal(**swapped))
    assert len(directed.accepted) == 2
    both = {"predicate_key": "compatible_with"}
    symmetric = check(make_proposal(**both), make_proposal(**both, **swapped))
    assert symmetric.duplicates == (Duplicate("duplicate_in_run", 1),)
    inverse = check(
        make_proposal(predicate_key="part_of"), make_proposal(predicate_key="has_part", **swapped)
    )
    assert inverse.duplicates == (Duplicate("duplicate_in_run", 1),)


def test_regenerating_a_live_hypothesis_with_nothing_new_changes_nothing() -> None:
    current = make_current(Standing(live={TARGET: make_live()}))
    for _ in range(20):
        validated = check(make_proposal(), current=current)
        assert validated == Validated(duplicates=(Duplicate("duplicate_existing", 0, "hyp_live"),))


@pytest.mark.parametrize("status", ["proposed", "reinforced", "stale"])
def test_a_new_premise_reinforces_a_live_hypothesis(status: str) -> None:
    live = make_live(status=status, source_group_keys=frozenset({FIRST.group_key}))
    (reinforced,) = check(make_proposal(), current=make_current(Standing(live={TARGET: live}))).reinforced
    assert reinforced.hypothesis_id == "hyp_live"
    assert reinforced.new_group_keys == {SECOND.group_key}
    assert not reinforced.newer_source_ids


def test_a_newer_version_of_a_recorded_source_reinforces() -> None:
    live = make_live(source_versions={"rel_1": 0, "rel_2": 1})
    (reinforced,) = check(make_proposal(), current=make_current(Standing(live={TARGET: live}))).reinforced
    assert reinforced.newer_source_ids == {"rel_1"}
    assert not reinforced.new_group_keys


def test_another_profiles_copy_of_a_recorded_premise_reinforces_nothing() -> None:
    live = make_live(source_versions={"rel_1": 1, "rel_2": 1})
    validated = check(make_proposal(), current=make_current(Standing(live={TARGET: live})))
    assert [duplicate.reason for duplicate in validated.duplicates] == ["duplicate_existing"]


def test_a_submitted_hypothesis_is_always_a_duplicate() -> None:
    live = make_live(status="submitted", source_group_keys=frozenset(), source_versions={"rel_1": 0})
    validated = check(make_proposal(), current=make_current(Standing(live={TARGET: live})))
    assert validated.duplicates == (Duplicate("duplicate_existing", 0, "hyp_live"),)


def test_an_item_without_news_does_not_hide_one_that_reinforces() -> None:
    live = make_live(source_group_keys=frozenset({FIRST.group_key, SECOND.group_key}))
    candidate = ("rel_1", "rel_2", "rel_exact")
    validated = check(
        make_proposal(),
        make_proposal(source_relationship_ids=candidate),
        make_proposal(source_relationship_ids=candidate),
        current=make_current(Standing(live={TARGET: live})),
    )
    assert [reinforced.idea.index for reinforced in validated.reinforced] == [1]
    assert validated.duplicates == (
        Duplicate("duplicate_existing", 0, "hyp_live"),
        Duplicate("duplicate_in_run", 2),
    )


def test_a_rejected_target_returns_only_with_a_premise_newer_than_the_rejection() -> None:
    for ended_at, returns in ((NOON, False), (NOON - timedelta(seconds=1), True)):
        standing = Standing(suppressed={TARGET: ended_at}, predecessors={TARGET: "hyp_rejected"})
        validated = check(make_proposal(), current=make_current(standing))
        assert [rejected.reason for rejected in validated.rejected] == ["target_suppressed"] * (not returns)
        assert [item.previous_hypothesis_id for item in validated.accepted] == ["hyp_rejected"] * returns


def test_one_newer_premise_is_enough_to_bring_a_rejected_target_back() -> None:
    later = replace(SECOND, eligible_since=NOON + timedelta(seconds=1))
    inputs = make_inputs([FIRST, later])
    current = make_current(Standing(suppressed={TARGET: NOON}))
    assert len(validate([make_proposal()], inputs, current, max_outputs=1).accepted) == 1


def test_an_example_stays_short_and_quotes_no_more_than_a_piece_of_a_name() -> None:
    long_key = replace(PREDICATES["depends_on"], key="k" * 200)
    nodes = {key: replace(node, name=node.name * 100) for key, node in NODES.items()}
    inputs = replace(INPUTS, nodes=nodes, predicates={long_key.key: long_key})
    proposal = make_proposal(predicate_key=long_key.key, source_relationship_ids=("rel_negative",))
    (rejected,) = validate([proposal], inputs, CURRENT, max_outputs=5).rejected
    assert rejected.reason == "source_not_connected"
    assert len(rejected.example) == 200


def test_a_target_that_came_back_is_not_suppressed_by_its_old_rejection() -> None:
    standing = Standing(suppressed={TARGET: NOON}, live={TARGET: make_live()})
    validated = check(make_proposal(), current=make_current(standing))
    assert [duplicate.reason for duplicate in validated.duplicates] == ["duplicate_existing"]


def test_one_changed_source_refuses_its_item_and_no_other() -> None:
    other = make_proposal(
        object_entity_id="ent_lovelace",
        predicate_key="uses",
        source_relationship_ids=("rel_1", "rel_author"),
    )
    for state in ((2, True), (1, False), None):
        versions = dict(CURRENT.source_versions)
        del versions["rel_2"]
        if state is not None:
            versions["rel_2"] = state
        validated = check(make_proposal(), other, current=replace(CURRENT, source_versions=versions))
        assert [(item.reason, item.index) for item in validated.rejected] == [("source_version_changed", 0)]
        assert [accepted.idea.index for accepted in validated.accepted] == [1]


def test_the_output_budget_keeps_the_first_in_the_generators_order() -> None:
    proposals = [
        make_proposal(predicate_key="depends_on", likelihood=0.3),
        make_proposal(predicate_key="compatible_with", likelihood=0.8),
        make_proposal(predicate_key="uses", likelihood=0.3),
    ]
    validated = check(*proposals, max_outputs=2)
    assert [accepted.idea.index for accepted in validated.accepted] == [0, 1]
    assert [(item.reason, item.index) for item in validated.rejected] == [("output_budget", 2)]


def test_reinforcing_costs_no_output_budget_but_a_budget_of_zero_means_none() -> None:
    live = make_live(source_group_keys=frozenset())
    current = make_current(Standing(live={TARGET: live}))
    fresh = make_proposal(predicate_key="uses")
    one = check(make_proposal(), fresh, current=current, max_outputs=1)
    assert (len(one.accepted), len(one.reinforced), len(one.rejected)) == (1, 1, 0)
    none = check(make_proposal(), fresh, current=current, max_outputs=0)
    assert [rejected.reason for rejected in none.rejected] == ["output_budget", "output_budget"]
    assert not none.accepted
    assert not none.reinforced
    with pytest.raises(ValueError, match="negative"):
        check(max_outputs=-1)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.text(max_size=3)),
    st.just(10**400),
    st.just("\ud800"),
)
ENDPOINTS = st.one_of(st.sampled_from(["ent_fastapi", "ent_anyio", "ent_mit", "val_python"]), JUNK)
SOURCES = st.lists(
    st.sampled_from([source.relationship_id for premise in PREMISES for source in premise.sources]),
    max_size=4,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "subject_entity_id": ENDPOINTS,
        "predicate_key": st.one_of(st.sampled_from([*INPUTS.predicates]), JUNK),
        "object_entity_id": ENDPOINTS,
        "object_value_id": st.one_of(st.none(), ENDPOINTS),
        "statement": st.one_of(st.text(max_size=20), JUNK),
        "rationale": st.one_of(st.text(max_size=20), JUNK),
        "likelihood": st.one_of(st.floats(0, 1), JUNK),
        "confidence": JUNK,
        "source_relationship_ids": st.one_of(SOURCES.map(tuple), JUNK),
        "paths": st.one_of(st.just(()), JUNK),
        "malformed": st.one_of(st.none(), st.sampled_from(["schema_invalid", "unknown_reference"]), JUNK),
    },
)
STANDINGS = st.sampled_from(
    [
        Standing(),
        Standing(active=frozenset({identify("ent_fastapi", "uses", "ent_anyio")})),
        Standing(live={TARGET: make_live()}),
        Standing(live={TARGET: make_live(source_group_keys=frozenset())}),
        Standing(suppressed={TARGET: NOON}),
    ]
)


@given(st.lists(FIELDS, max_size=8), STANDINGS, st.integers(0, 3), st.booleans())
def test_every_item_gets_one_answer_and_the_funnel_always_adds_up(
    changes: list[dict[str, object]], standing: Standing, max_outputs: int, dry_run: bool
) -> None:
    proposals = [make_proposal(**change) for change in changes]
    validated = validate(proposals, INPUTS, make_current(standing), max_outputs=max_outputs)
    indexes = [
        *(accepted.idea.index for accepted in validated.accepted),
        *(reinforced.idea.index for reinforced in validated.reinforced),
        *(rejected.index for rejected in validated.rejected),
        *(duplicate.index for duplicate in validated.duplicates),
    ]
    assert sorted(indexes) == list(range(len(proposals)))
    assert len(validated.accepted) <= max_outputs
    assert all(rejected.example.encode() and len(rejected.example) <= 200 for rejected in validated.rejected)
    funnel = build_funnel(INPUTS, (), validated, dry_run=dry_run)
    assert funnel.generated == len(proposals)


@given(st.lists(FIELDS, max_size=6), st.integers(0, 6))
def test_bad_items_never_sink_a_good_one(changes: list[dict[str, object]], place: int) -> None:
    bad = [make_proposal(**change, confidence="0.7") for change in changes if "confidence" not in change]
    proposals = [*bad[:place], make_proposal(), *bad[place:]]
    validated = validate(proposals, INPUTS, CURRENT, max_outputs=5)
    assert [accepted.idea.proposal for accepted in validated.accepted] == [make_proposal()]
    assert len(validated.rejected) == len(bad)
