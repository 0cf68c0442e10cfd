"""What a review can be answered with, and what the answer changes in a proposal."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kernel.errors import InvalidInput
from app.ledger.reviews import Review
from app.ledger.vocabulary import Predicate, ReviewKind
from app.remember.review_choices import Choices, apply_choices, check_choice
from app.remember.submission import CitedSpan, EntityProposal, RelationshipProposal

ENTITY = "ent_00000000000000000000000000"
PREDICATES = {
    "depends_on": Predicate("depends_on", 1, "depends on", "depends on"),
    "needs": Predicate("needs", 1, "needs", "needs", lifecycle_state="retired"),
}
PROPOSAL = Review(
    review_id="rev_00000000000000000000000000",
    kind="identity",
    status="open",
    reason="ambiguous_name",
    options=("documentation", "unscoped"),
    relationship_id=None,
    ingest_id="ing_00000000000000000000000000",
    proposal_id="p1",
    opened_at=datetime(2026, 1, 1, tzinfo=UTC),
    closed_at=None,
    closed_by_profile_id=None,
    choice=None,
    entity_ref="s",
    close_reason=None,
)
POSITION = replace(PROPOSAL, relationship_id="rel_00000000000000000000000000")


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        *(("identity", ENTITY), ("identity", "new"), ("predicate", "depends_on")),
        *(("scope", "documentation"), ("scope", " documentation "), ("scope", "unscoped")),
        *((kind, "reject") for kind in ("identity", "predicate", "scope", "temporal", "policy")),
    ],
)
def test_a_held_proposal_takes_what_its_kind_asks_for(kind: ReviewKind, choice: str) -> None:
    check_choice(replace(PROPOSAL, kind=kind), choice, PREDICATES)


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        *(("identity", "accept"), ("identity", "ENT_00000000000000000000000000"), ("identity", "")),
        *(("predicate", "needs"), ("predicate", "Depends_On"), ("predicate", "new"), ("predicate", ENTITY)),
        *(("scope", " "), ("scope", "production"), ("temporal", "unscoped"), ("policy", "dispute")),
    ],
)
def test_a_held_proposal_takes_nothing_else(kind: ReviewKind, choice: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_choice(replace(PROPOSAL, kind=kind), choice, PREDICATES)
    assert refused.value.code == "choice_invalid"


def test_a_generic_name_makes_a_new_entity_only_where_the_options_say_so() -> None:
    generic = replace(PROPOSAL, reason="generic_name")
    check_choice(generic, ENTITY, PREDICATES)
    check_choice(replace(generic, options=("new",)), "new", PREDICATES)
    with pytest.raises(InvalidInput):
        check_choice(generic, "new", PREDICATES)


@pytest.mark.parametrize("kind", ["identity", "predicate", "scope", "temporal", "policy"])
def test_a_held_relationship_is_accepted_or_rejected_and_disputed_for_policy_only(kind: ReviewKind) -> None:
    held = replace(POSITION, kind=kind)
    for choice in ("accept", "reject"):
        check_choice(held, choice, PREDICATES)
    if kind == "policy":
        check_choice(held, "dispute", PREDICATES)
        return
    for choice in ("dispute", "new", ENTITY, "depends_on"):
        with pytest.raises(InvalidInput):
            check_choice(held, choice, PREDICATES)


def test_choices_replace_what_was_unclear_and_nothing_else() -> None:
    entities = (EntityProposal("s", "Starlette", "product", ("star",)), EntityProposal("f", "FastAPI"))
    first = RelationshipProposal("p1", "f", "needs it", (CitedSpan(0, 0, 9),), object_ref="s", scope="docs")
    second = replace(first, proposal_id="p2")
    decided, proposals = apply_choices(
        entities, (first, second), Choices({"s": ENTITY}, {"p1": "depends_on"}, {"p2": None}, {})
    )
    assert decided == (replace(entities[0], known_entity_id=ENTITY, is_decided=True), entities[1])
    assert proposals == (
        replace(first, predicate="depends_on"),
        replace(second, scope=None, is_scope_decided=True),
    )
