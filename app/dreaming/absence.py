"""Why an idea is absent: everything that stands in the way of one target today, in words and codes. Pure.

The target goes through what a cycle would do with it: the checks of validation (`checks.py`, no second copy), the
groups and proposals of the rules over the same snapshot, and the output budget. Where no rule reaches it, the
premises say whether anything connects its ends at all. The clock and a provider are not asked: the answer is about
the next cycle of the rules, whenever that is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.dreaming.grouping.candidates import LEAST_SUPPORT, LIKELIHOOD_FLOOR
from app.dreaming.grouping.explanation import word_shape
from app.dreaming.grouping.groups import count_targets_needed, form_groups
from app.dreaming.grouping.paths import Graph, Shape, build_graph, find_instances, find_shapes_between
from app.dreaming.model import DuplicateReason, Inputs, Proposal, RejectReason, Target
from app.dreaming.rules import propose
from app.dreaming.spending.budgets import Budgets
from app.dreaming.validation.checks import Bench, find_faults, find_target_fault, set_bench
from app.dreaming.validation.validate import validate
from app.dreaming.validation.validated import Current, Idea, Validated
from app.ledger.identity import Edge, canonical_edge, target_identity
from app.ledger.predicates.phrases import hedged_statement
from app.ledger.vocabulary import Predicate

ObstacleCode = Literal[RejectReason, DuplicateReason, "no_path", "not_eligible", "below_floor"]
MAX_SHOWN_PATHS = 3
_RATIONALE = "Somebody asked."


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing in the way; `ids` name the Relationships, Entities or Hypotheses that it is about."""

    code: ObstacleCode
    message: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Absence:
    """What stands in the way; nothing exactly when the next cycle would propose or reinforce the idea."""

    would_be_proposed: bool
    blocked_by: tuple[Obstacle, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """One target and everything that one moment says about it.

    `inputs` is what a cycle would read, with the target's ends among the nodes; `current` the same moment as
    validation sees it. `unfit` tells of Relationships at the ends that no cycle may read.
    """

    target: Target
    inputs: Inputs
    current: Current
    budgets: Budgets
    unfit: tuple[Obstacle, ...] = ()


def explain_absence(situation: Situation) -> Absence:
    """Return what stands in the way of the target, in the order of the checks. CPU-bound, as generation is."""
    bench = set_bench(situation.inputs, situation.current)
    proposal = _draft(situation)
    fault = find_target_fault(proposal, bench)
    if fault is not None:
        return Absence(False, (Obstacle(fault[0], _say(fault[1])),))
    predicate = situation.inputs.predicates[situation.target.predicate_key]
    edge = Edge(situation.target.subject_id, predicate.key, situation.target.object_id)
    identity = target_identity(edge, predicate)
    inputs, budgets = situation.inputs, situation.budgets
    never = _find_standstill(predicate, budgets)
    if never is not None:
        return Absence(False, (*_check(proposal, edge, predicate, bench), never))
    grouping = form_groups(inputs, max_groups=budgets.max_groups, max_outputs=budgets.max_outputs)
    proposals = propose(inputs, grouping.groups, max_outputs=budgets.max_outputs)
    validated = validate(proposals, inputs, situation.current, max_outputs=budgets.max_outputs)
    own = [one for one in proposals if _identify(one, inputs) == identity]
    obstacles = _check(own[0] if own else proposal, edge, predicate, bench)
    live = situation.current.standing.live.get(identity)
    if live is not None and not own:
        message = f"A Hypothesis that is {live.status} holds it, and nothing new speaks for it."
        obstacles.append(Obstacle("duplicate_existing", message, (live.hypothesis_id,)))
    if not own and identity not in grouping.open_identities:
        stated = canonical_edge(edge, predicate)
        target = Target(stated.subject_id, stated.predicate_key, stated.object_id)
        likelihood = grouping.find_likelihood(target)
        if likelihood is None or likelihood < LIKELIHOOD_FLOOR:
            obstacles += _look_for_paths(situation, edge, predicate, is_ruled_out=bool(obstacles))
        elif not obstacles:
            message = (
                f"Its likelihood of {likelihood:.2f} is above the floor, but {count_targets_needed(inputs)} better"
                f" ideas with {stated.predicate_key} come before it, and a cycle looks at no more."
            )
            obstacles.append(Obstacle("output_budget", message))
    elif not obstacles and not _is_kept(identity, validated):
        message = (
            f"It is above the floor, but better ideas use up the budget of {budgets.max_outputs} outputs."
        )
        obstacles.append(Obstacle("output_budget", message))
    return Absence(not obstacles, tuple(obstacles))


def _find_standstill(predicate: Predicate, budgets: Budgets) -> Obstacle | None:
    """Return what keeps every cycle from any idea with the predicate, whatever the premises say, or None."""
    if predicate.lifecycle_state != "active":
        message = f"{predicate.key} is {predicate.lifecycle_state}, so no cycle proposes anything with it."
        return Obstacle("predicate_unknown", message)
    zero = budgets.find_zero()
    return None if zero is None else Obstacle("output_budget", f"The team's {zero} is 0, which means none.")


def _draft(situation: Situation) -> Proposal:
    """Return the idea as the rules would put it, without sources."""
    target, nodes = situation.target, situation.inputs.nodes
    predicate = situation.inputs.predicates.get(target.predicate_key)
    is_value = nodes[target.object_id].kind is None
    names = nodes[target.subject_id].name, nodes[target.object_id].name
    return Proposal(
        subject_entity_id=target.subject_id,
        predicate_key=target.predicate_key,
        object_entity_id=None if is_value else target.object_id,
        object_value_id=target.object_id if is_value else None,
        statement="" if predicate is None else hedged_statement(names[0], predicate.verb_phrase, names[1]),
        rationale=_RATIONALE,
        likelihood=0.0,
        confidence=0.0,
        source_relationship_ids=(),
    )


def _check(proposal: Proposal, edge: Edge, predicate: Predicate, bench: Bench) -> list[Obstacle]:
    """Return what each check says, whatever the ones before it said; without sources none about them."""
    listed = [bench.sources[source_id] for source_id in proposal.source_relationship_ids]
    premises = {premise.group_key: premise for _, premise in listed}
    idea = Idea(
        index=0,
        proposal=proposal,
        edge=edge,
        predicate=predicate,
        target_identity=target_identity(edge, predicate),
        statement=proposal.statement,
        premises=tuple(premises.values()),
        sources=tuple(source for source, _ in listed),
    )
    return [
        Obstacle(reason, _say(fault), _name_ids(reason, idea, bench))
        for reason, fault in find_faults(idea, bench)
        if listed or reason != "source_not_connected"
    ]


def _say(fault: str) -> str:
    return f"{fault[0].upper()}{fault[1:]}."


def _name_ids(reason: RejectReason, idea: Idea, bench: Bench) -> tuple[str, ...]:
    standing = bench.current.standing
    if reason == "target_suppressed" and idea.target_identity in standing.predecessors:
        return (standing.predecessors[idea.target_identity],)
    if reason == "endpoint_missing":
        ends = {idea.edge.subject_id, idea.edge.object_id}
        return tuple(sorted(ends & bench.current.missing_nodes))
    return ()


def _look_for_paths(
    situation: Situation, edge: Edge, predicate: Predicate, *, is_ruled_out: bool
) -> list[Obstacle]:
    """Return whether anything connects the ends, and what might if it could be read.

    Of a target that is ruled out anyway nobody can say whether it would pass the floor.
    """
    inputs = situation.inputs
    graph = build_graph(inputs)
    places = {node_id: place for place, node_id in enumerate(graph.node_ids)}
    start, end = places.get(edge.subject_id), places.get(edge.object_id)
    shapes: list[Shape] = []
    if start is not None and end is not None:
        own = canonical_edge(edge, predicate).predicate_key
        shapes = find_shapes_between(graph, start, end, own_predicate=own)
    if not shapes or start is None or end is None:
        message = "Nothing that may be read connects its ends in one or two steps." + _word_unread(inputs)
        return [Obstacle("no_path", message), *situation.unfit]
    if is_ruled_out:
        return []
    shown = [word_shape(graph, shape, predicate) for shape in shapes[:MAX_SHOWN_PATHS]]
    message = (
        f"Paths connect its ends ({'; '.join(shown)}), but no rule was right {LEAST_SUPPORT} times and gives it a"
        f" likelihood of {LIKELIHOOD_FLOOR}.{_word_unread(inputs)}"
    )
    return [Obstacle("below_floor", message, _carry(graph, shapes, start, end)), *situation.unfit]


def _word_unread(inputs: Inputs) -> str:
    """Return, with a space before it, that what this cycle does not read may tell more; else nothing."""
    if not inputs.over_input_budget:
        return ""
    return (
        f" {inputs.over_input_budget} Relationships are over the budget of what the next cycle reads; their turn"
        " comes in later ones."
    )


def _carry(graph: Graph, shapes: Sequence[Shape], start: int, end: int) -> tuple[str, ...]:
    """Return the Relationships of one path of each shape that is shown."""
    instances = [find_instances(graph, shape, start, end)[0] for shape in shapes[:MAX_SHOWN_PATHS]]
    ids = [source.relationship_id for steps in instances for premise in steps for source in premise.sources]
    return tuple(dict.fromkeys(ids))


def _identify(proposal: Proposal, inputs: Inputs) -> str:
    predicate = inputs.predicates[proposal.predicate_key]
    object_id = proposal.object_entity_id or proposal.object_value_id or ""
    return target_identity(Edge(proposal.subject_entity_id, predicate.key, object_id), predicate)


def _is_kept(identity: str, validated: Validated) -> bool:
    ideas = [one.idea for one in validated.accepted] + [one.idea for one in validated.reinforced]
    return any(idea.target_identity == identity for idea in ideas)
