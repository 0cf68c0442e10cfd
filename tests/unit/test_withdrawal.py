"""When two positions cannot both hold, so that a case between them has a reason to stay."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.ledger.conflicts.closing import is_conflicting
from app.ledger.identity import Edge, semantic_group_key, target_identity
from app.ledger.relationships.rows import StoredRelationship
from app.ledger.vocabulary import Polarity, Predicate, Status

TEAM = "team_00000000000000000000000000"
Y2020, Y2022, Y2024 = (datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2022, 2024))
PREDICATES = {
    "licensed_under": Predicate(
        "licensed_under", 1, "licensed under", "is licensed under", current_cardinality="one"
    ),
    "depends_on": Predicate("depends_on", 1, "depends on", "depends on"),
    "married_to": Predicate(
        "married_to", 1, "married to", "is married to", current_cardinality="one", symmetric=True
    ),
}


def position(
    owner: str, object_id: str, *, predicate: str = "licensed_under", polarity: Polarity = "+"
) -> StoredRelationship:
    edge = Edge("ent_a", predicate, object_id)
    return StoredRelationship(
        relationship_id=f"rel_{owner}_{object_id}",
        owner_profile_id=owner,
        subject_entity_id="ent_a",
        predicate_key=predicate,
        predicate_version=1,
        object_entity_id=object_id,
        object_value_id=None,
        polarity=polarity,
        modality="statement",
        scope=None,
        valid_from=None,
        valid_to=None,
        semantic_group_key=semantic_group_key(
            TEAM, edge, PREDICATES[predicate], polarity=polarity, scope=None
        ),
        target_identity=target_identity(edge, PREDICATES[predicate]),
        tier="validated_claim",
        status="active",
        version=1,
        eligible_since=None,
        client_comment=None,
    )


def conflicts(one: StoredRelationship, other: StoredRelationship) -> bool:
    first = is_conflicting(one, other, TEAM, PREDICATES)
    assert first == is_conflicting(other, one, TEAM, PREDICATES)
    return first


MINE, THEIRS = position("me", "ent_b"), position("them", "ent_c")


def test_another_object_of_a_one_valued_state_conflicts() -> None:
    assert conflicts(MINE, THEIRS)


@pytest.mark.parametrize("predicate", ["depends_on", "licensed_under", "married_to"])
def test_the_opposite_conflicts_whatever_the_predicate(predicate: str) -> None:
    said = position("me", "ent_b", predicate=predicate)
    assert conflicts(said, position("them", "ent_b", predicate=predicate, polarity="-"))


def test_what_holds_together_does_not_conflict() -> None:
    assert not conflicts(MINE, position("them", "ent_b"))
    assert not conflicts(MINE, position("me", "ent_c"))
    assert not conflicts(MINE, position("them", "ent_c", polarity="-"))
    many = [position(owner, other, predicate="depends_on") for owner, other in (("me", "b"), ("them", "c"))]
    assert not conflicts(*many)
    assert not conflicts(MINE, replace(THEIRS, scope="documentation"))


def test_windows_that_do_not_meet_do_not_conflict() -> None:
    earlier = replace(MINE, valid_from=Y2020, valid_to=Y2022)
    assert not conflicts(earlier, replace(THEIRS, valid_from=Y2022))
    assert conflicts(earlier, replace(THEIRS, valid_from=Y2020, valid_to=Y2024))


@pytest.mark.parametrize(
    "status", ["pending_evidence", "needs_review", "quarantined", "superseded", "retracted", "rejected"]
)
def test_a_position_that_does_not_hold_does_not_conflict(status: Status) -> None:
    assert not conflicts(MINE, replace(THEIRS, status=status))


def test_a_disputed_position_still_conflicts() -> None:
    assert conflicts(MINE, replace(THEIRS, status="disputed"))
