"""What the figures have to reach: met, met beyond, not met, not measured."""

import pytest

from app.cli.evaluate.bars import Bar, large_rows, published_rows
from app.cli.evaluate.young import Young


@pytest.mark.parametrize(
    ("bar", "found", "is_met"),
    [
        (Bar("MRR", "at least", 0.91), 0.91, True),
        (Bar("MRR", "at least", 0.91), 0.909, False),
        (Bar("cycle s", "at most", 120), 120.0, True),
        (Bar("cycle s", "at most", 120), 120.1, False),
        (Bar("Brier / base rate", "below", 1.0), 1.0, False),
        (Bar("Brier / base rate", "below", 1.0), 0.99, True),
    ],
)
def test_a_bar_is_met_from_its_own_side(bar: Bar, found: float, is_met: bool) -> None:
    assert bar.is_met(found, bar.bar) is is_met


@pytest.mark.parametrize(
    ("outputs", "hits", "found", "met"),
    [(10, 5, "0.500", "met"), (10, 4, "0.400", "NOT MET"), (0, 0, "–", "silent")],
)
def test_a_young_team_is_right_half_of_the_time_or_silent(
    outputs: int, hits: int, found: str, met: str
) -> None:
    young = [Young(300, 0, outputs, hits), Young(100, 0, 7, 0)]
    (row,) = published_rows([], {}, young)
    assert (row["of"], row["found"], row["met"]) == ("300 edges", found, met)


def test_only_teams_of_the_size_that_was_agreed_are_held_against_bars() -> None:
    assert large_rows(10_000, []) == []
    assert {row["met"] for row in published_rows([], {"kinships": []}, [])} == {"NOT MEASURED"}
