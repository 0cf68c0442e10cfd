"""Diversity: no subject more than a quarter, no predicate more than half, while others have candidates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.dreaming.generation import generate_by_rules
from app.dreaming.grouping.diversity import Share, choose_diverse, half, number_distinct, quarter
from app.dreaming.spending.budgets import team_budgets
from app.dreaming.validation.validate import validate
from app.tenancy.configuration import Configuration
from tests.unit.graphs import make_inputs, make_premise
from tests.unit.proposals import make_current

Pair = tuple[str, str]
PAIRS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("pqrs")), max_size=40)


def choose(pairs: Sequence[Pair], limit: int) -> list[int]:
    shares = [
        Share(number_distinct([subject for subject, _ in pairs]), quarter),
        Share(number_distinct([predicate for _, predicate in pairs]), half),
    ]
    return choose_diverse(shares, limit=limit)


def find_unfair(chosen: Sequence[Pair], passed_by: Sequence[Pair]) -> list[str]:
    """Return each pick that had more than its share although others had candidates."""
    unfair = []
    for place, (subject, predicate) in enumerate(chosen):
        picks = place + 1
        before = chosen[:place]
        left = [*chosen[place:], *passed_by]
        subjects = Counter(each for each, _ in before)
        if subjects[subject] + 1 > max(1, picks / 4):
            if any(subjects[other] < subjects[subject] for other, _ in left):
                unfair.append(f"subject {subject} at {picks}")
            rivals = [each for each in left if subjects[each[0]] == subjects[subject]]
        else:
            rivals = [each for each in left if subjects[each[0]] + 1 <= max(1, picks / 4)]
        predicates = Counter(each for _, each in before)
        if predicates[predicate] + 1 > max(1, picks / 2) and any(
            predicates[other] < predicates[predicate] for _, other in rivals
        ):
            unfair.append(f"predicate {predicate} at {picks}")
    return unfair


@given(PAIRS, st.integers(0, 45))
def test_no_pick_takes_more_than_its_share_while_others_have_candidates(
    pairs: list[Pair], limit: int
) -> None:
    places = choose(pairs, limit)
    assert len(places) == len(set(places)) == min(limit, len(pairs))
    chosen = [pairs[place] for place in places]
    passed_by = [pair for place, pair in enumerate(pairs) if place not in places]
    assert find_unfair(chosen, passed_by) == []


@given(PAIRS, st.integers(0, 45))
def test_choosing_again_from_a_diverse_list_keeps_its_order(pairs: list[Pair], limit: int) -> None:
    diverse = [pairs[place] for place in choose(pairs, 45)]
    assert choose(diverse, limit) == list(range(min(limit, len(diverse))))


def test_what_is_left_alone_still_fills_the_places() -> None:
    assert choose([("a", "p")] * 5, 3) == [0, 1, 2]
    assert choose([], 3) == []


TRIPLES = st.lists(
    st.builds(
        "{} {} {}".format,
        st.sampled_from([f"a{number}" for number in range(6)]),
        st.sampled_from(["depends_on", "uses", "compatible_with", "has_part"]),
        st.sampled_from([f"b{number}" for number in range(6)]),
    ),
    min_size=10,
    max_size=60,
    unique=True,
)


@pytest.mark.parametrize("max_outputs", [5, 12])
@settings(max_examples=40)
@given(triples=TRIPLES)
def test_what_a_whole_cycle_puts_out_is_diverse_and_the_same_each_time(
    max_outputs: int, triples: list[str]
) -> None:
    inputs = make_inputs(*map(make_premise, triples))
    budgets = replace(team_budgets(Configuration()), max_outputs=max_outputs)
    generated = generate_by_rules(inputs, budgets)
    assert generate_by_rules(make_inputs(*map(make_premise, reversed(triples))), budgets) == generated
    validated = validate(generated.proposals, inputs, make_current(inputs=inputs), max_outputs=max_outputs)
    assert not {rejected.reason for rejected in validated.rejected} - {"output_budget"}
    pairs = [(item.subject_entity_id, item.predicate_key) for item in generated.proposals]
    accepted = [accepted.idea.index for accepted in validated.accepted]
    passed_by = [pair for index, pair in enumerate(pairs) if index not in accepted]
    assert find_unfair([pairs[index] for index in accepted], passed_by) == []
