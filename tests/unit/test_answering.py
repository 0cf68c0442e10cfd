"""Whether a proposal answers a confirmation."""

from dataclasses import replace

import pytest

from app.ledger.predicates.seed import SEEDED_BY_KEY
from app.review.answering import Confirmation, Position, Target, answers

DEPENDS = Target("A", SEEDED_BY_KEY["depends_on"], "B", source_ids=frozenset({"source"}))
PART = Target("A", SEEDED_BY_KEY["part_of"], "B", inverse=SEEDED_BY_KEY["has_part"])
MARRIED = Target("A", SEEDED_BY_KEY["married_to"], "B")
SAID = Position("A", "depends_on", "B")


@pytest.mark.parametrize(
    ("target", "position", "is_true", "is_false"),
    [
        (DEPENDS, SAID, True, False),
        (DEPENDS, replace(SAID, polarity="-"), False, True),
        (DEPENDS, Position("A", "depends_on", None), False, True),
        (DEPENDS, Position("A", "depends_on", None, polarity="-"), False, False),
        (DEPENDS, Position("B", "depends_on", "A"), False, False),
        (DEPENDS, Position(None, "depends_on", "B"), False, False),
        (DEPENDS, Position("A", "has_topic", "B"), False, False),
        (DEPENDS, replace(SAID, modality="question"), False, False),
        (DEPENDS, replace(SAID, scope="in tests"), False, False),
        (DEPENDS, replace(SAID, scope="  "), True, False),
        (DEPENDS, Position(None, "has_topic", "B", corrects="other"), False, True),
        (DEPENDS, Position(None, "has_topic", None, corrects="source"), False, True),
        (DEPENDS, Position(None, "has_topic", None, corrects="other"), False, False),
        (DEPENDS, replace(SAID, corrects="source"), True, False),
        (PART, Position("B", "has_part", "A"), True, False),
        (PART, Position("A", "has_part", "B"), False, False),
        (PART, Position("B", "has_part", "A", polarity="-"), False, True),
        (PART, Position(None, "has_part", "A"), False, True),
        (PART, Position("B", "has_part", None), False, False),
        (MARRIED, Position("B", "married_to", "A"), True, False),
        (MARRIED, Position("A", "married_to", None), False, True),
        (MARRIED, Position(None, "married_to", "A"), False, True),
        (MARRIED, Position(None, "married_to", "B"), False, True),
    ],
)
def test_a_position_answers_only_what_the_decision_needs(
    target: Target, position: Position, is_true: bool, is_false: bool
) -> None:
    expected: dict[Confirmation, bool] = {"confirm_true": is_true, "confirm_false": is_false}
    assert {decision: answers(position, target, decision) for decision in expected} == expected


def test_a_target_has_the_identity_of_its_canonical_edge() -> None:
    turned = Target("B", SEEDED_BY_KEY["has_part"], "A", inverse=SEEDED_BY_KEY["part_of"])
    assert PART.identity == turned.identity
