"""The closed shape of a generated item: what is refused as `schema_invalid`."""

import math
from dataclasses import replace

import pytest

from app.dreaming.model import CarryingPath
from app.dreaming.validation.shape import find_shape_fault
from app.dreaming.validation.validate import validate
from tests.unit.proposals import make_current, make_inputs, make_proposal

PATH = CarryingPath("X uses Y → X depends_on Y", ("key",), 1, 2, 3, 0.25, 1.0)


def find_fault(item: object) -> str | None:
    """Return the fault; the item must also be refused by `validate`, and its good neighbour kept."""
    fault = find_shape_fault(item)  # type: ignore[arg-type]  # A generator may hand over anything.
    proposals = [item, make_proposal()]
    validated = validate(
        proposals,  # type: ignore[arg-type]  # As above.
        make_inputs(),
        make_current(),
        max_outputs=5,
    )
    refused = [(rejected.index, rejected.reason) for rejected in validated.rejected]
    assert refused == ([] if fault is None else [(0, "schema_invalid")])
    return fault


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"likelihood": 0, "confidence": 1},
        {"paths": (PATH,)},
        {"source_relationship_ids": ("rel_1", "rel_2")},
    ],
)
def test_an_item_of_the_right_shape_has_no_fault(changes: dict[str, object]) -> None:
    assert find_fault(make_proposal(**changes)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"likelihood": 1.7},
        {"likelihood": -0.1},
        {"likelihood": math.nan},
        {"likelihood": math.inf},
        {"likelihood": 10**400},
        {"likelihood": "0.7"},
        {"likelihood": None},
        {"likelihood": True},
        {"confidence": math.nan},
        {"confidence": False},
        {"subject_entity_id": None},
        {"subject_entity_id": ""},
        {"subject_entity_id": " "},
        {"subject_entity_id": "e" * 10_000},
        {"subject_entity_id": ["ent_fastapi"]},
        {"object_entity_id": 7},
        {"object_value_id": ""},
        {"predicate_key": None},
        {"predicate_key": "p" * 10_000},
        {"statement": None},
        {"statement": "FastAPI may depend on \x00."},
        {"statement": "FastAPI may depend on \ud83d."},
        {"rationale": 1},
        {"source_relationship_ids": ()},
        {"source_relationship_ids": "rel_1"},
        {"source_relationship_ids": '["rel_1", "rel_2"]'},
        {"source_relationship_ids": ["rel_1", "rel_2"]},
        {"source_relationship_ids": ("rel_1", None)},
        {"source_relationship_ids": ("rel_1", "")},
        {"source_relationship_ids": ("rel_1", "rel_2", "rel_1")},
        {"source_relationship_ids": tuple(f"rel_{number}" for number in range(1_001))},
        {"source_relationship_ids": ("rel_1", "r" * 10_000)},
        {"paths": None},
        {"paths": ("X uses Y",)},
        {"paths": (replace(PATH, share=math.nan),)},
        {"paths": (replace(PATH, confidence=math.inf),)},
        {"paths": (replace(PATH, support=True),)},
        {"paths": (replace(PATH, rule="\x00"),)},
        {"malformed": "schema_invalid"},
        {"malformed": "something else"},
    ],
)
def test_an_item_of_the_wrong_shape_is_schema_invalid(changes: dict[str, object]) -> None:
    assert find_fault(make_proposal(**changes))


@pytest.mark.parametrize("item", [None, {}, "FastAPI may depend on AnyIO.", 7, []])
def test_something_that_is_no_proposal_is_schema_invalid(item: object) -> None:
    assert find_fault(item)
