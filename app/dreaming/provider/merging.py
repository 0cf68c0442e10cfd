"""Ideas that the rules carry as well: one Hypothesis that names both generators. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.dreaming.model import Proposal
from app.dreaming.validation.shape import MAX_SOURCE_IDS
from app.ledger.identity import Edge, target_identity
from app.ledger.vocabulary import Predicate


def merge_with_rules(
    proposals: Sequence[Proposal],
    hints: Sequence[Proposal],
    predicates: Mapping[str, Predicate],
    *,
    rules_version: str,
) -> tuple[Proposal, ...]:
    """Return the model's proposals in their order; one that a hint is about too gets its paths and sources.

    Statement, rationale, likelihood and confidence stay the model's: a hint earns no trust.
    """
    by_target = {_target(hint, predicates): hint for hint in hints}
    return tuple(
        proposal
        if proposal.malformed is not None or (hint := by_target.get(_target(proposal, predicates))) is None
        else _merge(proposal, hint, rules_version)
        for proposal in proposals
    )


def _merge(proposal: Proposal, hint: Proposal, rules_version: str) -> Proposal:
    sources = dict.fromkeys((*proposal.source_relationship_ids, *hint.source_relationship_ids))
    if len(sources) > MAX_SOURCE_IDS:
        return proposal
    return replace(proposal, source_relationship_ids=tuple(sources), paths=hint.paths, also_by=rules_version)


def _target(proposal: Proposal, predicates: Mapping[str, Predicate]) -> str | None:
    predicate = predicates.get(proposal.predicate_key)
    if predicate is None:
        return None
    object_id = proposal.object_entity_id or proposal.object_value_id or ""
    return target_identity(Edge(proposal.subject_entity_id, predicate.key, object_id), predicate)
