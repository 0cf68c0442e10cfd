"""Each reason for which one generated item is refused, with the items that must meet it."""

import math
from dataclasses import replace

import pytest

from app.dreaming.model import DuplicateReason, Proposal, RejectReason, Standing
from app.dreaming.validation.validate import Current, validate
from tests.unit.proposals import (
    NOON,
    PREDICATES,
    TARGET,
    identify,
    make_current,
    make_inputs,
    make_live,
    make_proposal,
)

ULID = "01J0000000000000000000000A"
UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def find_reason(
    proposal: Proposal, *, current: Current | None = None, max_outputs: int = 5
) -> RejectReason | DuplicateReason | None:
    """Return why the item was refused, between two good items of other targets that must both be kept."""
    neighbours = [make_proposal(predicate_key="uses"), make_proposal(predicate_key="compatible_with")]
    proposals = [neighbours[0], proposal, neighbours[1]]
    validated = validate(proposals, make_inputs(), current or make_current(), max_outputs=max_outputs)
    if current is None and max_outputs == 5:
        kept = [accepted.idea.index for accepted in validated.accepted]
        assert {0, 2} <= set(kept)
    refused: dict[int, RejectReason | DuplicateReason] = {}
    refused |= {rejected.index: rejected.reason for rejected in validated.rejected}
    refused |= {duplicate.index: duplicate.reason for duplicate in validated.duplicates}
    return refused.get(1)


def test_the_valid_proposal_is_refused_for_nothing() -> None:
    assert find_reason(make_proposal()) is None


@pytest.mark.parametrize(
    "reference",
    ["ent_unknown", "ENT_ANYIO", "ent_anyio ", "\u200bent_anyio", UUID, f"ent_{ULID}", "node_2", "path_99"],
)
def test_a_reference_that_was_not_supplied_is_unknown(reference: str) -> None:
    assert find_reason(make_proposal(subject_entity_id=reference)) == "unknown_reference"
    assert find_reason(make_proposal(object_entity_id=reference)) == "unknown_reference"
    for entity_id in (None, "ent_anyio"):
        by_value = make_proposal(object_entity_id=entity_id, object_value_id=reference)
        assert find_reason(by_value) == "unknown_reference"


def test_a_reference_that_the_generator_could_not_resolve_is_unknown_whatever_else_is_wrong() -> None:
    unread = make_proposal(malformed="unknown_reference", likelihood=math.nan, source_relationship_ids=())
    assert find_reason(unread) == "unknown_reference"


@pytest.mark.parametrize("source_id", ["rel_unknown", "REL_1", " rel_1", "hyp_live", "ent_anyio", UUID])
def test_a_source_that_was_not_supplied_is_outside_the_input(source_id: str) -> None:
    proposal = make_proposal(source_relationship_ids=("rel_1", "rel_2", source_id))
    assert find_reason(proposal) == "source_outside_input"


@pytest.mark.parametrize(
    ("entity_id", "value_id"),
    [
        (None, None),
        ("ent_anyio", "val_python"),
        ("ent_anyio", "ent_anyio"),
        (None, "ent_anyio"),
        ("val_python", None),
    ],
)
def test_exactly_one_object_of_the_right_form_is_needed(entity_id: str | None, value_id: str | None) -> None:
    proposal = make_proposal(object_entity_id=entity_id, object_value_id=value_id)
    assert find_reason(proposal) == "object_form_invalid"


def test_a_thing_is_not_related_to_itself() -> None:
    assert find_reason(make_proposal(object_entity_id="ent_fastapi")) == "self_loop"


@pytest.mark.parametrize("key", ["invented", "DEPENDS_ON", " depends_on", "depends on", "old_name"])
def test_an_unregistered_or_retired_predicate_is_unknown(key: str) -> None:
    assert find_reason(make_proposal(predicate_key=key)) == "predicate_unknown"


def test_a_predicate_that_was_retired_during_generation_is_unknown() -> None:
    current = replace(make_current(), missing_predicates=frozenset({"depends_on"}))
    assert find_reason(make_proposal(), current=current) == "predicate_unknown"


@pytest.mark.parametrize(
    "changes",
    [
        {"predicate_key": "written_by"},
        {"predicate_key": "requires_python"},
        {"subject_entity_id": "ent_lovelace", "predicate_key": "written_by"},
        {"object_entity_id": None, "object_value_id": "val_python"},
        {"predicate_key": "requires_python", "object_entity_id": None, "object_value_id": "val_year"},
        {"subject_entity_id": "val_python"},
        {
            "subject_entity_id": "ent_lovelace",
            "predicate_key": "requires_python",
            "object_entity_id": None,
            "object_value_id": "val_python",
        },
    ],
)
def test_a_predicate_takes_only_the_kinds_it_allows(changes: dict[str, object]) -> None:
    assert find_reason(make_proposal(**changes)) == "endpoint_kind_invalid"


def test_a_value_may_be_the_object_of_a_predicate_that_takes_its_type() -> None:
    proposal = make_proposal(
        predicate_key="requires_python",
        object_entity_id=None,
        object_value_id="val_python",
        source_relationship_ids=("rel_1", "rel_python"),
    )
    assert find_reason(proposal) is None


@pytest.mark.parametrize("node_id", ["ent_fastapi", "ent_anyio"])
def test_an_endpoint_that_exists_no_longer_is_missing(node_id: str) -> None:
    current = replace(make_current(), missing_nodes=frozenset({node_id}))
    assert find_reason(make_proposal(), current=current) == "endpoint_missing"


@pytest.mark.parametrize(
    "source_ids",
    [
        ("rel_1",),
        ("rel_1", "rel_apart"),
        ("rel_1", "rel_2", "rel_apart"),
        ("rel_exact",),
        ("rel_exact", "rel_1"),
        ("rel_exact", "rel_candidate_2"),
        ("rel_1", "rel_negative"),
        ("rel_1", "rel_2", "rel_negative"),
        ("rel_1", "rel_scoped"),
    ],
)
def test_premises_that_do_not_connect_subject_and_object_are_refused(source_ids: tuple[str, ...]) -> None:
    assert find_reason(make_proposal(source_relationship_ids=source_ids)) == "source_not_connected"


def test_pending_candidates_make_no_path_alone() -> None:
    alone = make_proposal(
        object_entity_id="ent_mit", source_relationship_ids=("rel_candidate_1", "rel_candidate_2")
    )
    assert find_reason(alone) == "source_not_connected"
    helped = make_proposal(object_entity_id="ent_mit", source_relationship_ids=("rel_1", "rel_candidate_1"))
    assert find_reason(helped) is None


@pytest.mark.parametrize(
    "statement",
    [
        "",
        " \n\t",
        "\u200b\u200b",
        "…!",
        "FastAPI may depend on AnyIO. " + "a" * 972,
        f"ent_{ULID} may depend on AnyIO.",
        f"FastAPI may depend on (rel_{ULID.lower()}).",
        f"FastAPI may depend on {UUID}.",
        f"FastAPI may depend on {UUID.upper()}.",
        f"FastAPI may depend on e\u200bnt_{ULID}.",
        f"FastAPI may depend on ｅｎｔ_{ULID}.",
        "FastAPI depends on AnyIO.",
        "FastAPI certainly depends on AnyIO.",
    ],
)
def test_a_statement_is_short_names_no_id_and_hedges(statement: str) -> None:
    assert find_reason(make_proposal(statement=statement)) == "statement_invalid"


def test_a_statement_of_exactly_a_thousand_code_points_is_kept() -> None:
    statement = "FastAPI may depend on AnyIO. " + "🦄" * 971
    assert len(statement) == 1_000
    assert find_reason(make_proposal(statement=statement)) is None


@pytest.mark.parametrize("rationale", ["", " ", "a" * 1_001, f"Because of rel_{ULID}.", f"See {UUID}."])
def test_a_rationale_is_held_to_the_same_but_need_not_hedge(rationale: str) -> None:
    assert find_reason(make_proposal(rationale=rationale)) == "statement_invalid"


def test_what_is_active_is_not_proposed_again() -> None:
    current = make_current(Standing(active=frozenset({TARGET})))
    assert find_reason(make_proposal(), current=current) == "exact_relationship_active"


def test_the_opposite_of_what_is_active_is_not_proposed() -> None:
    current = make_current(Standing(opposite=frozenset({TARGET})))
    assert find_reason(make_proposal(), current=current) == "opposite_relationship_active"


def test_a_predicate_with_room_for_one_object_blocks_a_second() -> None:
    licence = make_proposal(
        predicate_key="licensed_under",
        object_entity_id="ent_mit",
        source_relationship_ids=("rel_1", "rel_candidate_1"),
    )
    slot = ("ent_fastapi", "licensed_under")
    for holder, reason in (("ent_bsd", "slot_taken"), ("ent_mit", None)):
        current = make_current(Standing(taken_slots={slot: frozenset({holder})}))
        assert find_reason(licence, current=current) == reason


def test_a_taken_slot_counts_in_the_inverse_reading_too() -> None:
    whole = make_proposal(predicate_key="has_part")
    taken = {("ent_anyio", "part_of"): frozenset({"ent_flask"})}
    assert find_reason(whole, current=make_current(Standing(taken_slots=taken))) == "slot_taken"
    other_way = {("ent_fastapi", "has_part"): frozenset({"ent_flask"})}
    assert find_reason(whole, current=make_current(Standing(taken_slots=other_way))) is None


def test_a_symmetric_predicate_with_room_for_one_is_taken_from_either_end() -> None:
    paired = replace(PREDICATES["compatible_with"], current_cardinality="one")
    inputs = replace(make_inputs(), predicates={**PREDICATES, paired.key: paired})
    for end in ("ent_fastapi", "ent_anyio"):
        current = make_current(Standing(taken_slots={(end, paired.key): frozenset({"ent_flask"})}))
        validated = validate([make_proposal(predicate_key=paired.key)], inputs, current, max_outputs=5)
        assert [rejected.reason for rejected in validated.rejected] == ["slot_taken"]


def test_the_remaining_reasons_are_reachable() -> None:
    assert find_reason(make_proposal(), current=make_current(Standing(suppressed={TARGET: NOON}))) == (
        "target_suppressed"
    )
    changed = replace(make_current(), source_versions={})
    assert find_reason(make_proposal(), current=changed) == "source_version_changed"
    assert find_reason(make_proposal(), max_outputs=1) == "output_budget"
    assert find_reason(make_proposal(predicate_key="uses")) == "duplicate_in_run"
    live = make_current(Standing(live={TARGET: make_live()}))
    assert find_reason(make_proposal(), current=live) == "duplicate_existing"


STEPS: list[tuple[dict[str, object], RejectReason]] = [
    ({}, "schema_invalid"),
    ({"likelihood": 0.5}, "unknown_reference"),
    ({"subject_entity_id": "ent_anyio"}, "source_outside_input"),
    ({"source_relationship_ids": ("rel_apart",)}, "object_form_invalid"),
    ({"object_value_id": None}, "self_loop"),
    ({"subject_entity_id": "ent_fastapi"}, "predicate_unknown"),
    ({"predicate_key": "written_by"}, "endpoint_kind_invalid"),
    ({"predicate_key": "licensed_under"}, "endpoint_missing"),
]
LATER_STEPS: list[tuple[dict[str, object], RejectReason]] = [
    ({}, "source_not_connected"),
    ({"source_relationship_ids": ("rel_1", "rel_2")}, "statement_invalid"),
    ({"statement": "FastAPI may be licensed under AnyIO."}, "exact_relationship_active"),
]


def test_the_first_reason_that_applies_wins() -> None:
    licence = identify("ent_fastapi", "licensed_under", "ent_anyio")
    only = frozenset({licence})
    standing = Standing(
        active=only,
        opposite=only,
        taken_slots={("ent_fastapi", "licensed_under"): frozenset({"ent_mit"})},
        suppressed={licence: NOON},
    )
    current = Current({}, standing, missing_nodes=frozenset({"ent_anyio"}))
    item: dict[str, object] = {
        "likelihood": math.nan,
        "subject_entity_id": "ent_unknown",
        "source_relationship_ids": ("rel_unknown",),
        "object_value_id": "val_python",
        "predicate_key": "invented",
        "statement": "",
    }
    for mended, reason in STEPS:
        item |= mended
        assert find_reason(make_proposal(**item), current=current) == reason
    current = replace(current, missing_nodes=frozenset())
    for mended, reason in LATER_STEPS:
        item |= mended
        assert find_reason(make_proposal(**item), current=current) == reason
    followers: list[tuple[dict[str, object], RejectReason]] = [
        ({"active": frozenset()}, "opposite_relationship_active"),
        ({"opposite": frozenset()}, "slot_taken"),
        ({"taken_slots": {}}, "target_suppressed"),
        ({"suppressed": {}}, "source_version_changed"),
    ]
    for change, reason in followers:
        standing = replace(standing, **change)  # type: ignore[arg-type]  # Each value fits its field.
        assert find_reason(make_proposal(**item), current=replace(current, standing=standing)) == reason
