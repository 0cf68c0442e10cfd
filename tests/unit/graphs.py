"""Small dream inputs, written as triples: "a depends_on b". Everything else has a default."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from app.dreaming.model import Inputs, LiveHypothesis, Node, Premise, Source, Standing, Target
from app.ledger.identity import Edge, semantic_group_key, target_identity
from app.ledger.vocabulary import Polarity, Predicate

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
PREDICATES = {
    predicate.key: predicate
    for predicate in (
        Predicate("depends_on", 1, "Depends on", "depends on"),
        Predicate("uses", 1, "Uses", "uses"),
        Predicate("licensed_under", 1, "Licensed under", "is licensed under", current_cardinality="one"),
        Predicate(
            "requires_python",
            1,
            "Requires Python",
            "requires Python",
            allowed_subject_kinds=("other",),
            allowed_value_types=("string",),
        ),
        Predicate("compatible_with", 1, "Compatible with", "is compatible with", symmetric=True),
        Predicate("has_part", 1, "Has part", "has part", inverse_key="part_of"),
        Predicate("part_of", 1, "Part of", "is part of", inverse_key="has_part"),
    )
}


def make_premise(
    triple: str,
    *,
    copies: int = 1,
    version: int = 1,
    is_candidate: bool = False,
    polarity: Polarity = "+",
    scope: str | None = None,
    is_valid_now: bool = True,
    eligible_since: datetime = NOON,
) -> Premise:
    """Return one premise with `copies` sources; its ids are made of the triple."""
    subject, key, object_ = triple.split()
    edge = Edge(subject, key, object_)
    return Premise(
        group_key=semantic_group_key("team", edge, PREDICATES[key], polarity=polarity, scope=scope),
        subject_id=subject,
        predicate_key=key,
        object_id=object_,
        polarity=polarity,
        scope=scope,
        modality="statement",
        is_valid_now=is_valid_now,
        sources=tuple(
            Source(f"rel:{triple}:{number}", version, f"profile-{number}", is_candidate)
            for number in range(copies)
        ),
        eligible_since=eligible_since,
        changed_at=eligible_since,
    )


def make_inputs(
    *premises: Premise | str,
    standing: Standing | None = None,
    predicates: Mapping[str, Predicate] = PREDICATES,
) -> Inputs:
    """Return inputs with the premises in the order given; a node whose id starts with "v" is a Value."""
    made = tuple(make_premise(each) if isinstance(each, str) else each for each in premises)
    ids = sorted({node for premise in made for node in (premise.subject_id, premise.object_id)})
    return Inputs(
        team_id="team",
        premises=made,
        nodes={
            node: Node(node, node.upper(), None, "string")
            if node.startswith("v")
            else Node(node, node.upper(), "other")
            for node in ids
        },
        predicates=predicates,
        standing=standing or Standing(),
        eligible_count=sum(len(premise.sources) for premise in made),
        over_input_budget=0,
    )


def identify(triple: str) -> str:
    subject, key, object_ = triple.split()
    return target_identity(Edge(subject, key, object_), PREDICATES[key])


def aim(triple: str) -> Target:
    return Target(*triple.split())


def spell(target: Target) -> str:
    return f"{target.subject_id} {target.predicate_key} {target.object_id}"


def licence_chain(*, known: int = 3, open_: int = 1) -> list[str]:
    """Return packages aN that depend on bN under licence l; for the last `open_` of them l is not recorded."""
    triples = []
    for number in range(known + open_):
        triples += [f"a{number} depends_on b{number}", f"b{number} licensed_under l"]
        if number < known:
            triples.append(f"a{number} licensed_under l")
    return triples


def make_live(triple: str, recorded: Iterable[Premise], *, status: str = "proposed") -> LiveHypothesis:
    premises = list(recorded)
    statuses = {"proposed", "stale", "submitted"}
    assert status in statuses
    return LiveHypothesis(
        hypothesis_id="hyp_1",
        target_identity=identify(triple),
        status="stale" if status == "stale" else "submitted" if status == "submitted" else "proposed",
        source_group_keys=frozenset(premise.group_key for premise in premises),
        source_versions={
            source.relationship_id: source.version for premise in premises for source in premise.sources
        },
    )
