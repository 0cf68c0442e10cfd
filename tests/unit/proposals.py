"""A small snapshot and one valid proposal over it; a test changes only what matters to it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from app.dreaming.model import Inputs, LiveHypothesis, Node, Premise, Proposal, Source, Standing
from app.dreaming.validation.validated import Current
from app.ledger.identity import Edge, canonical_edge, semantic_group_key, target_identity
from app.ledger.vocabulary import Polarity, Predicate

TEAM = "team_1"
NOON = datetime(2026, 7, 11, 12, tzinfo=UTC)

NODES = {
    node.node_id: node
    for node in (
        Node("ent_fastapi", "FastAPI", kind="product"),
        Node("ent_starlette", "Starlette", kind="product"),
        Node("ent_anyio", "AnyIO", kind="product"),
        Node("ent_flask", "Flask", kind="product"),
        Node("ent_mit", "MIT", kind="document"),
        Node("ent_bsd", "BSD", kind="document"),
        Node("ent_lovelace", "Ada Lovelace", kind="person"),
        Node("val_python", ">=3.11", value_type="string"),
        Node("val_year", "1843", value_type="number"),
    )
}
PREDICATES = {
    predicate.key: predicate
    for predicate in (
        Predicate("depends_on", 1, "depends on", "depends on"),
        Predicate("uses", 1, "uses", "uses"),
        Predicate("licensed_under", 1, "licensed under", "is licensed under", current_cardinality="one"),
        Predicate(
            "requires_python",
            1,
            "requires Python",
            "requires Python",
            allowed_subject_kinds=("product",),
            allowed_value_types=("string",),
        ),
        Predicate(
            "written_by",
            1,
            "written by",
            "is written by",
            allowed_subject_kinds=("product", "document"),
            allowed_object_kinds=("person",),
        ),
        Predicate("compatible_with", 1, "compatible with", "is compatible with", symmetric=True),
        Predicate("part_of", 1, "part of", "is part of", inverse_key="has_part", current_cardinality="one"),
        Predicate("has_part", 1, "has part", "has part", inverse_key="part_of"),
        Predicate("old_name", 1, "old name", "was called", lifecycle_state="retired"),
    )
}


def make_premise(
    subject_id: str,
    predicate_key: str,
    object_id: str,
    *relationship_ids: str,
    is_candidate: bool = False,
    polarity: Polarity = "+",
    scope: str | None = None,
    eligible_since: datetime = NOON,
) -> Premise:
    edge = canonical_edge(Edge(subject_id, predicate_key, object_id), PREDICATES[predicate_key])
    predicate = PREDICATES[edge.predicate_key]
    return Premise(
        group_key=semantic_group_key(TEAM, edge, predicate, polarity=polarity, scope=scope),
        subject_id=edge.subject_id,
        predicate_key=edge.predicate_key,
        object_id=edge.object_id,
        polarity=polarity,
        scope=scope,
        modality="statement",
        is_valid_now=True,
        sources=tuple(
            Source(relationship_id, 1, f"prof_{number}", is_candidate)
            for number, relationship_id in enumerate(sorted(relationship_ids))
        ),
        eligible_since=eligible_since,
        changed_at=NOON,
    )


# FastAPI → Starlette → AnyIO by recorded positions; Starlette → MIT and AnyIO → MIT by pending candidates.
FIRST = make_premise("ent_fastapi", "depends_on", "ent_starlette", "rel_1", "rel_1_copy")
SECOND = make_premise("ent_starlette", "depends_on", "ent_anyio", "rel_2")
PREMISES = (
    FIRST,
    SECOND,
    make_premise("ent_starlette", "uses", "ent_mit", "rel_candidate_1", is_candidate=True),
    make_premise("ent_fastapi", "uses", "ent_starlette", "rel_candidate_2", is_candidate=True),
    make_premise("ent_fastapi", "depends_on", "ent_anyio", "rel_exact", is_candidate=True),
    make_premise("ent_flask", "uses", "ent_bsd", "rel_apart"),
    make_premise("ent_starlette", "uses", "ent_anyio", "rel_negative", polarity="-"),
    make_premise("ent_starlette", "compatible_with", "ent_anyio", "rel_scoped", scope="tests"),
    make_premise("ent_starlette", "requires_python", "val_python", "rel_python"),
    make_premise("ent_starlette", "written_by", "ent_lovelace", "rel_author"),
)


def make_inputs(premises: Sequence[Premise] = PREMISES, *, over_input_budget: int = 0) -> Inputs:
    ordered = tuple(sorted(premises, key=lambda premise: premise.group_key))
    count = sum(len(premise.sources) for premise in ordered)
    return Inputs(TEAM, ordered, NODES, PREDICATES, Standing(), count + over_input_budget, over_input_budget)


def make_current(standing: Standing | None = None, *, inputs: Inputs | None = None) -> Current:
    premises = (inputs or make_inputs()).premises
    versions = {
        source.relationship_id: (source.version, True) for premise in premises for source in premise.sources
    }
    return Current(versions, standing or Standing())


def make_proposal(**changes: object) -> Proposal:
    """Return "FastAPI may depend on AnyIO" with the changes; they are untyped, as a generator's answer is."""
    valid = Proposal(
        subject_entity_id="ent_fastapi",
        predicate_key="depends_on",
        object_entity_id="ent_anyio",
        object_value_id=None,
        statement="FastAPI may depend on AnyIO.",
        rationale="FastAPI depends on Starlette, and Starlette depends on AnyIO.",
        likelihood=0.5,
        confidence=0.4,
        source_relationship_ids=("rel_1", "rel_1_copy", "rel_2"),
    )
    return replace(valid, **changes)  # type: ignore[arg-type]  # Wrong types are what these tests are about.


def identify(subject_id: str, predicate_key: str, object_id: str) -> str:
    return target_identity(Edge(subject_id, predicate_key, object_id), PREDICATES[predicate_key])


TARGET = identify("ent_fastapi", "depends_on", "ent_anyio")


def make_live(**changes: object) -> LiveHypothesis:
    """Return a live Hypothesis about the target of `make_proposal`, as that proposal would have left it."""
    live = LiveHypothesis(
        hypothesis_id="hyp_live",
        target_identity=TARGET,
        status="proposed",
        source_group_keys=frozenset({FIRST.group_key, SECOND.group_key}),
        source_versions={"rel_1": 1, "rel_1_copy": 1, "rel_2": 1},
    )
    return replace(live, **changes)  # type: ignore[arg-type]  # Names and types are checked by the tests that use it.
