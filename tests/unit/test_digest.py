"""The snapshot digest: equal exactly when there is nothing new to assess."""

import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.inputs.digest import Bound, digest_snapshot
from app.dreaming.model import Premise
from app.ledger.vocabulary import Predicate
from tests.unit.proposals import PREDICATES, PREMISES

BOUNDS: dict[str, Bound] = {
    "max_outputs": 5,
    "max_cost_usd": Decimal("0.50"),
    "generator": "auto",
    "limit": None,
}


def take(
    premises: Sequence[Premise] = PREMISES,
    predicates: Sequence[Predicate] = tuple(PREDICATES.values()),
    *,
    generator_version: str = "rules-v1",
    bounds: Mapping[str, Bound] = BOUNDS,
    closed: Iterable[str] = ("b", "a"),
) -> str:
    return digest_snapshot(
        premises, predicates, generator_version=generator_version, bounds=bounds, closed=closed
    )


def test_the_digest_has_64_hexadecimal_digits_also_of_nothing() -> None:
    assert re.fullmatch("[0-9a-f]{64}", take())
    assert re.fullmatch("[0-9a-f]{64}", take((), (), bounds={}))


@given(st.randoms(use_true_random=False))
def test_order_does_not_matter(shuffler: random.Random) -> None:
    premises = [
        replace(premise, sources=tuple(shuffler.sample(premise.sources, len(premise.sources))))
        for premise in shuffler.sample(PREMISES, len(PREMISES))
    ]
    predicates = shuffler.sample([*PREDICATES.values()], len(PREDICATES))
    bounds = dict(shuffler.sample([*BOUNDS.items()], len(BOUNDS)))
    assert take(premises, predicates, bounds=bounds) == take()


def test_anything_that_may_change_an_assessment_changes_the_digest() -> None:
    first, *others = PREMISES
    source, *copies = first.sources
    depends_on, *predicates = PREDICATES.values()
    changed = [
        take(others),
        take(closed=("a",)),
        take([replace(first, group_key="other"), *others]),
        take([replace(first, is_valid_now=False), *others]),
        take([replace(first, sources=(source,)), *others]),
        take([replace(first, sources=(replace(source, version=2), *copies)), *others]),
        take([replace(first, sources=(replace(source, relationship_id="rel_9"), *copies)), *others]),
        take(predicates=predicates),
        take(predicates=[replace(depends_on, version=2), *predicates]),
        take(predicates=[replace(depends_on, lifecycle_state="retired"), *predicates]),
        take(generator_version="rules-v2"),
        take(bounds={**BOUNDS, "max_outputs": 6}),
        take(bounds={**BOUNDS, "limit": "None"}),
        take(bounds={**BOUNDS, "limit": 0}),
        take(bounds={**BOUNDS, "limit": False}),
        take(bounds={"max_outputs": 5}),
    ]
    assert len({take(), *changed}) == len(changed) + 1


def test_what_no_assessment_sees_leaves_the_digest_alone() -> None:
    first, *others = PREMISES
    renamed = tuple(replace(source, owner_profile_id="prof_other") for source in first.sources)
    assert take([replace(first, sources=renamed), *others]) == take()


def test_equal_numbers_are_equal_however_they_are_written() -> None:
    spellings: list[Bound] = [5, 5.0, Decimal("5.00"), Decimal("5E0")]
    assert len({take(bounds={"max_outputs": spelling}) for spelling in spellings}) == 1
    assert take(bounds={"cost": 0.0}) == take(bounds={"cost": -0.0}) == take(bounds={"cost": 0})
    assert take(bounds={"tokens": 100_000}) == take(bounds={"tokens": 1e5})


@pytest.mark.parametrize("number", [math.nan, math.inf, Decimal("-Infinity")])
def test_a_bound_that_is_no_number_is_refused(number: Bound) -> None:
    with pytest.raises(ValueError, match="finite"):
        take(bounds={"max_outputs": number})
