"""Which premises a cycle reads of more than it may: newest, least read, and every component in its turn."""

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.inputs.selection import Surveyed, select_premises
from tests.moments import NOW


def survey(component: str, length: int, *, hours: int = 0) -> list[Surveyed]:
    """Return a chain of premises, each an hour newer than the one before."""
    return [
        Surveyed(
            f"{component}{number:03}",
            f"{component}-{number}",
            f"{component}-{number + 1}",
            0,
            None,
            NOW + timedelta(hours=hours + number),
        )
        for number in range(length)
    ]


def read(premises: list[Surveyed], chosen: frozenset[str], at: datetime) -> list[Surveyed]:
    return [
        Surveyed(one.group_key, one.subject_id, one.object_id, one.cycles + 1, at, one.changed_at)
        if one.group_key in chosen
        else one
        for one in premises
    ]


def change(premises: list[Surveyed], component: str, at: datetime) -> list[Surveyed]:
    return [
        Surveyed(one.group_key, one.subject_id, one.object_id, 0, one.read_at, at)
        if one.group_key.startswith(component)
        else one
        for one in premises
    ]


def test_thirty_cycles_give_every_component_its_turn_beside_one_that_never_rests() -> None:
    premises = survey("hot", 30) + survey("big", 60)
    premises += [one for number in range(12) for one in survey(f"small{number:02}-", 4)]
    read_whole: dict[str, int] = {}
    for cycle in range(30):
        now = NOW + timedelta(days=cycle + 10)
        premises = change(premises, "hot", now - timedelta(hours=1))
        chosen = select_premises(premises, limit=20)
        assert len(chosen) == 20
        assert sum(key.startswith("hot") for key in chosen) >= 10, "what is new comes first"
        for name in {key.rpartition("-")[0] for key in chosen if key.startswith("small")}:
            members = {one.group_key for one in premises if one.group_key.startswith(f"{name}-")}
            read_whole[name] = read_whole.get(name, 0) + (members <= chosen)
        premises = read(premises, chosen, now)
    assert len(read_whole) == 12
    assert min(read_whole.values()) >= 2, "each small component was read whole, again and again"
    assert all(one.read_at for one in premises), "and everything was read"


def test_what_was_read_least_since_it_changed_comes_before_what_is_newer() -> None:
    premises = survey("old", 4) + survey("new", 4, hours=100)
    premises = read(premises, frozenset(one.group_key for one in premises[4:]), NOW + timedelta(days=10))
    assert select_premises(premises, limit=4) == {one.group_key for one in premises[:4]}
    # Of what was read equally often the newest half of the budget, and what has waited longest.
    assert select_premises(premises[:4], limit=2) == {"old003", "old000"}


def test_everything_fits_into_a_budget_that_is_large_enough() -> None:
    premises = survey("a", 3)
    assert select_premises(premises, limit=3) == {one.group_key for one in premises}
    assert select_premises(premises, limit=9) == {one.group_key for one in premises}
    assert select_premises([], limit=9) == frozenset()


MOMENTS = st.integers(0, 3).map(lambda day: datetime(2026, 1, 1 + day, tzinfo=UTC))
SURVEYS = st.lists(
    st.builds(
        Surveyed,
        st.integers(0, 99).map("g{:02}".format),
        st.sampled_from("abcdef"),
        st.sampled_from("ghijkl"),
        st.integers(0, 2),
        st.none() | MOMENTS,
        MOMENTS,
    ),
    unique_by=lambda one: one.group_key,
)


@given(SURVEYS, st.integers(0, 30), st.randoms(use_true_random=False))
def test_the_choice_is_exactly_as_large_as_may_be_and_does_not_depend_on_order(
    premises: list[Surveyed], limit: int, random: Random
) -> None:
    chosen = select_premises(premises, limit=limit)
    assert len(chosen) == min(limit, len(premises))
    shuffled = list(premises)
    random.shuffle(shuffled)
    assert select_premises(shuffled, limit=limit) == chosen
