"""The `rules` generator: groups in, hedged proposals out, each with the paths that carry it. Pure.

Floor: a carrying rule seen right at least twice (support ≥ 2) and a likelihood of .1. Under it nothing is said,
so a young team gets few proposals or none. Likelihood and confidence are those of scoring.py; the confidence is
that of the rule with the largest share. A group without a carrying path is passed over: what cannot be explained
is not proposed (Design, section 6).
"""

from collections.abc import Sequence

from app.dreaming.grouping.candidates import LEAST_SUPPORT, LIKELIHOOD_FLOOR, estimate_confidence
from app.dreaming.grouping.explanation import shorten_name
from app.dreaming.model import CarryingPath, Group, Inputs, Premise, Proposal, Target
from app.ledger.predicates.phrases import hedged_statement

# Rises with every change that may change what comes out, so that unchanged inputs are looked at once more.
GENERATOR_VERSION = "blend-v5"
PROPOSALS_PER_OUTPUT = 4
_STEPS_TO_A_WITNESS = 3
_BLANK = "…"
_PENDING = " (not yet confirmed)"


def propose(inputs: Inputs, groups: Sequence[Group], *, max_outputs: int) -> tuple[Proposal, ...]:
    """Return one proposal per group above the floor, in group order, at most four times `max_outputs`.

    `source_relationship_ids` lists every source of every premise on the paths: premises in path order, each
    premise's sources by id. 0 outputs means none.
    """
    premises = {premise.group_key: premise for premise in inputs.premises}
    carried = [group for group in groups if _is_carried(group)]
    return tuple(
        _state_group(inputs, group, premises)
        for group in carried[: max(0, max_outputs) * PROPOSALS_PER_OUTPUT]
    )


def _is_carried(group: Group) -> bool:
    return group.likelihood >= LIKELIHOOD_FLOOR and any(
        path.support >= LEAST_SUPPORT for path in group.paths[:1]
    )


def _state_group(inputs: Inputs, group: Group, premises: dict[str, Premise]) -> Proposal:
    target, best = group.target, group.paths[0]
    predicate = inputs.predicates[target.predicate_key]
    subject, object_ = inputs.nodes[target.subject_id], inputs.nodes[target.object_id]
    is_value = object_.kind is None
    keys = dict.fromkeys(key for path in group.paths for key in path.premise_keys)
    sources = dict.fromkeys(source.relationship_id for key in keys for source in premises[key].sources)
    return Proposal(
        subject_entity_id=target.subject_id,
        predicate_key=target.predicate_key,
        object_entity_id=None if is_value else target.object_id,
        object_value_id=target.object_id if is_value else None,
        statement=hedged_statement(subject.name, predicate.verb_phrase, object_.name),
        rationale=_word_rationale(inputs, best, target, premises),
        likelihood=group.likelihood,
        confidence=estimate_confidence(best.support),
        source_relationship_ids=tuple(sources),
        paths=group.paths,
    )


def _word_rationale(inputs: Inputs, path: CarryingPath, target: Target, premises: dict[str, Premise]) -> str:
    """Return one sentence in names: what is known, and of how many like this one the guess is known to hold."""
    own, *between = (premises[key] for key in path.premise_keys)
    if len(path.premise_keys) == _STEPS_TO_A_WITNESS:
        return _word_likeness(inputs, path, target, own, *between)
    verb_phrase = inputs.predicates[target.predicate_key].verb_phrase
    known = " and ".join(_word_premise(inputs, premise) for premise in (own, *between))
    if path.instances > 1:
        known += f", one of {path.instances} such paths"
    return (
        f"{known}; memory connects {path.body} pairs like this, this one included, and of {path.support} of these "
        f'it also says "{_BLANK} {verb_phrase} {_BLANK}".'
    )


def _word_likeness(
    inputs: Inputs, path: CarryingPath, target: Target, own: Premise, same: Premise, shown: Premise
) -> str:
    """Return the sentence of a rule with a constant: it speaks of one end of the target, and of others like it.

    What is said of the end has a blank in its place, so that the same words are true of the others.
    """
    ends = (same.subject_id, same.object_id)
    # Both have one end in common; the other of `own` is the end of the target that the rule looks at.
    end, common = own.subject_id, own.object_id
    if own.subject_id in ends:
        end, common = common, end
    witness = same.object_id if same.subject_id == common else same.subject_id
    pending = " (of it not yet confirmed)" if own.is_candidate else ""
    doubtful = _PENDING if same.is_candidate or shown.is_candidate else ""
    return (
        f"{_name(inputs, end)} is one of {path.body} things of which memory says "
        f'"{_word(inputs, own, blank=end)}"{pending}; of {path.support} of these, such as '
        f'{_name(inputs, witness)}{doubtful}, it also says "{_word(inputs, target, blank=end)}".'
    )


def _word_premise(inputs: Inputs, premise: Premise) -> str:
    return _word(inputs, premise) + (_PENDING if premise.is_candidate else "")


def _word(inputs: Inputs, edge: Premise | Target, *, blank: str | None = None) -> str:
    subject, object_ = (
        _BLANK if node == blank else _name(inputs, node) for node in (edge.subject_id, edge.object_id)
    )
    return f"{subject} {inputs.predicates[edge.predicate_key].verb_phrase} {object_}"


def _name(inputs: Inputs, node: str) -> str:
    return shorten_name(inputs.nodes[node].name)
