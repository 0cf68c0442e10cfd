"""The checks of one generated item, in the order of the design; the first that fails names the reason. Pure.

`examine` resolves the references (the first six reasons), then asks the checks of `CHECKS` in turn. What
depends on the other items of the run (duplicates, the output budget) is decided in `validate.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from app.dreaming.model import Inputs, Node, Premise, Proposal, RejectReason, Source
from app.dreaming.validation.shape import find_shape_fault
from app.dreaming.validation.validated import Current, Idea, Rejected
from app.dreaming.validation.wording import find_rationale_fault, find_statement_fault
from app.ledger.identity import Edge, canonical_edge, target_identity
from app.ledger.predicates.phrases import hedged_statement
from app.ledger.vocabulary import Predicate

MAX_EXAMPLE_LENGTH = 200
_MAX_QUOTED_LENGTH = 48


@dataclass(frozen=True, slots=True)
class Bench:
    """What an item is held against; `sources` finds a listed source and the premise it belongs to."""

    inputs: Inputs
    current: Current
    sources: Mapping[str, tuple[Source, Premise]]


def set_bench(inputs: Inputs, current: Current) -> Bench:
    """Return the bench for one validation: every source of the snapshot under its relationship id."""
    sources = {
        source.relationship_id: (source, premise) for premise in inputs.premises for source in premise.sources
    }
    return Bench(inputs, current, sources)


def examine(proposal: Proposal, index: int, bench: Bench) -> Idea | Rejected:
    """Return the resolved idea, or the first reason of the design's order that speaks against it.

    Nothing is repaired. Source: Design, section 6, "Validate"; Spec: Generation Flow.
    """
    idea = _resolve(proposal, index, bench)
    if isinstance(idea, Rejected):
        return idea
    for reason, find_fault in CHECKS:
        fault = find_fault(idea, bench)
        if fault is not None:
            return refuse(idea, reason, fault, bench)
    return idea


def refuse(idea: Idea, reason: RejectReason, fault: str, bench: Bench) -> Rejected:
    """Return the rejection of a resolved idea; its example names the idea and the fault."""
    names = [
        bench.inputs.nodes[node_id].name[:_MAX_QUOTED_LENGTH]
        for node_id in (idea.edge.subject_id, idea.edge.object_id)
    ]
    example = f"{names[0]} {idea.edge.predicate_key[:_MAX_QUOTED_LENGTH]} {names[1]}: {fault}"
    return Rejected(reason, idea.index, example[:MAX_EXAMPLE_LENGTH])


def _resolve(proposal: Proposal, index: int, bench: Bench) -> Idea | Rejected:
    """Apply the first six reasons. Examples quote a reference cut and escaped: it is untrusted text."""
    nodes = bench.inputs.nodes
    # An item that its generator could not read has placeholders in its other fields: nothing to check.
    malformed = getattr(proposal, "malformed", None)
    if malformed in ("unknown_reference", "statement_invalid"):
        return Rejected(malformed, index, proposal.fault or "the answer could not be read")
    if fault := find_shape_fault(proposal):
        return Rejected("schema_invalid", index, fault)
    object_ids = [
        node_id for node_id in (proposal.object_entity_id, proposal.object_value_id) if node_id is not None
    ]
    for node_id in (proposal.subject_entity_id, *object_ids):
        if node_id not in nodes:
            return Rejected("unknown_reference", index, f"{_quote(node_id)} is not among the inputs")
    for source_id in proposal.source_relationship_ids:
        if source_id not in bench.sources:
            return Rejected("source_outside_input", index, f"{_quote(source_id)} is not among the sources")
    target_fault = find_target_fault(proposal, bench)
    if target_fault is not None:
        return Rejected(target_fault[0], index, target_fault[1])
    predicate = bench.inputs.predicates[proposal.predicate_key]
    edge = Edge(proposal.subject_entity_id, predicate.key, object_ids[0])
    listed = [bench.sources[source_id] for source_id in proposal.source_relationship_ids]
    premises = {premise.group_key: premise for _, premise in listed}
    return Idea(
        index=index,
        proposal=proposal,
        edge=edge,
        predicate=predicate,
        target_identity=target_identity(edge, predicate),
        statement=hedged_statement(
            nodes[edge.subject_id].name, predicate.verb_phrase, nodes[edge.object_id].name
        ),
        premises=tuple(premises[key] for key in sorted(premises)),
        sources=tuple(sorted((source for source, _ in listed), key=lambda source: source.relationship_id)),
    )


def find_target_fault(proposal: Proposal, bench: Bench) -> tuple[RejectReason, str] | None:
    """Return why the ends and the predicate make no target, or None; the ends are among the nodes."""
    nodes = bench.inputs.nodes
    if fault := _find_object_fault(proposal, nodes):
        return "object_form_invalid", fault
    if proposal.subject_entity_id in (proposal.object_entity_id, proposal.object_value_id):
        name = nodes[proposal.subject_entity_id].name[:_MAX_QUOTED_LENGTH]
        return "self_loop", f"{name} would be related to itself"
    predicate = bench.inputs.predicates.get(proposal.predicate_key)
    is_gone = proposal.predicate_key in bench.current.missing_predicates
    if predicate is None or is_gone or predicate.lifecycle_state == "retired":
        return "predicate_unknown", f"{_quote(proposal.predicate_key)} is not registered"
    return None


def find_faults(idea: Idea, bench: Bench) -> list[tuple[RejectReason, str]]:
    """Return what every check says against a resolved idea, in their order; `examine` stops at the first."""
    found = [(reason, find_fault(idea, bench)) for reason, find_fault in CHECKS]
    return [(reason, fault) for reason, fault in found if fault is not None]


def _find_object_fault(proposal: Proposal, nodes: Mapping[str, Node]) -> str | None:
    entity_id, value_id = proposal.object_entity_id, proposal.object_value_id
    if entity_id is None and value_id is None:
        return "no object is set"
    if entity_id is not None and value_id is not None:
        return "both objects are set"
    if entity_id is not None and nodes[entity_id].kind is None:
        return "object_entity_id names a Value"
    if value_id is not None and nodes[value_id].value_type is None:
        return "object_value_id names an Entity"
    return None


def _find_kind_fault(idea: Idea, bench: Bench) -> str | None:
    subject, target = bench.inputs.nodes[idea.edge.subject_id], bench.inputs.nodes[idea.edge.object_id]
    predicate = bench.current.predicates.get(idea.predicate.key, idea.predicate)
    if subject.kind is None:
        return "a Value is never a subject"
    if not predicate.accepts_subject(subject.kind):
        return f"a subject of kind {subject.kind} is not allowed"
    if target.kind is not None and not predicate.accepts_entity_object(target.kind):
        return f"an object of kind {target.kind} is not allowed"
    if target.value_type is not None and not predicate.accepts_value_object(target.value_type):
        return f"a value of type {target.value_type} is not allowed"
    return None


def _find_missing_endpoint(idea: Idea, bench: Bench) -> str | None:
    is_missing = not bench.current.missing_nodes.isdisjoint((idea.edge.subject_id, idea.edge.object_id))
    return "an endpoint exists no longer" if is_missing else None


def _find_gap(idea: Idea, bench: Bench) -> str | None:
    """The premises must form one component with both endpoints in it.

    The target's own edge (a pending candidate) may be listed but is not its own reason. Premises that only
    block (negative, scoped, hedged, past) connect nothing, and pending candidates connect nothing alone.
    """
    target = canonical_edge(idea.edge, idea.predicate)
    links = [
        premise
        for premise in idea.premises
        if Edge(premise.subject_id, premise.predicate_key, premise.object_id) != target
    ]
    if not all(premise.carries_paths for premise in links):
        return "a premise is negative, scoped, not a statement or no longer valid"
    if all(premise.is_candidate for premise in links):
        return "no premise besides pending candidates"
    ends: dict[str, set[str]] = {}
    for premise in links:
        ends.setdefault(premise.subject_id, set()).add(premise.object_id)
        ends.setdefault(premise.object_id, set()).add(premise.subject_id)
    reached, border = {idea.edge.subject_id}, [idea.edge.subject_id]
    while border:
        fresh = ends.get(border.pop(), set()) - reached
        reached |= fresh
        border.extend(fresh)
    is_connected = idea.edge.object_id in reached and ends.keys() <= reached
    return None if is_connected else "the premises do not connect subject and object"


def _find_wording_fault(idea: Idea, bench: Bench) -> str | None:
    statements = (idea.proposal.statement, idea.statement)
    faults = (find_statement_fault(statement) for statement in statements)
    return next(filter(None, faults), None) or find_rationale_fault(idea.proposal.rationale)


def _find_active(idea: Idea, bench: Bench) -> str | None:
    return "already active" if idea.target_identity in bench.current.standing.active else None


def _find_opposite(idea: Idea, bench: Bench) -> str | None:
    return "the opposite is active" if idea.target_identity in bench.current.standing.opposite else None


def _find_taken_slot(idea: Idea, bench: Bench) -> str | None:
    for edge, predicate in _readings(idea, bench.inputs.predicates):
        held = bench.current.standing.taken_slots.get((edge.subject_id, edge.predicate_key), frozenset())
        if predicate.current_cardinality == "one" and held - {edge.object_id}:
            return "another object holds the only place"
    return None


def _readings(idea: Idea, predicates: Mapping[str, Predicate]) -> Iterator[tuple[Edge, Predicate]]:
    """Yield the edge in each direction in which it can be read: either may have room for one object only."""
    yield idea.edge, idea.predicate
    other_key = idea.predicate.key if idea.predicate.symmetric else idea.predicate.inverse_key
    if other_key is not None and other_key in predicates:
        yield Edge(idea.edge.object_id, other_key, idea.edge.subject_id), predicates[other_key]


def _find_suppression(idea: Idea, bench: Bench) -> str | None:
    """A live row ended the suppression when it came back, so only a target without one can be suppressed."""
    standing = bench.current.standing
    ended_at = standing.suppressed.get(idea.target_identity)
    if ended_at is None or idea.target_identity in standing.live:
        return None
    is_fresh = any(premise.eligible_since > ended_at for premise in idea.premises)
    return (
        None if is_fresh else "it was rejected, or its confirmation came to nothing, and no premise is newer"
    )


def _find_version_fault(idea: Idea, bench: Bench) -> str | None:
    for source in idea.sources:
        version, is_eligible = bench.current.source_versions.get(source.relationship_id, (0, False))
        if not is_eligible or version != source.version:
            return "a source changed during generation"
    return None


CHECKS: tuple[tuple[RejectReason, Callable[[Idea, Bench], str | None]], ...] = (
    ("endpoint_kind_invalid", _find_kind_fault),
    ("endpoint_missing", _find_missing_endpoint),
    ("source_not_connected", _find_gap),
    ("statement_invalid", _find_wording_fault),
    ("exact_relationship_active", _find_active),
    ("opposite_relationship_active", _find_opposite),
    ("slot_taken", _find_taken_slot),
    ("target_suppressed", _find_suppression),
    ("source_version_changed", _find_version_fault),
)


def _quote(reference: str) -> str:
    return ascii(reference[:_MAX_QUOTED_LENGTH])
