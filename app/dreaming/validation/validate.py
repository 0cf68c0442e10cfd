"""The step between generation and persistence: every generated item gets exactly one answer. Pure.

Each item is first judged alone, by `checks.py`. Then, in the generator's order:

* same target as an earlier item that was kept: `duplicate_in_run`. The first one stays, whatever the
  likelihoods: saying a thing twice does not strengthen it. Items that were refused, or that added nothing,
  do not count as kept, so they cannot hide a better one behind them.
* same target as a live Hypothesis: a reinforcement, if it brings a premise that is not recorded there or a
  recorded source in a higher version; else, and always on a submitted one, `duplicate_existing`. Another
  profile's copy of a recorded premise is neither.
* otherwise new. The output budget keeps the first in the generator's order, as far as no subject gets more than
  a quarter and no predicate more than half while others have ideas (diversity.py): whatever a generator hands
  over, one easy predicate does not take it all. The rest is `output_budget`. Reinforcing makes no new row and
  costs no budget, but a budget of 0 means none of either.
"""

from collections.abc import Sequence

from app.dreaming.grouping.diversity import Share, choose_diverse, half, number_distinct, quarter
from app.dreaming.model import Inputs, LiveHypothesis, Proposal
from app.dreaming.validation.checks import Bench, examine, refuse, set_bench
from app.dreaming.validation.validated import (
    Accepted,
    Current,
    Duplicate,
    Idea,
    Reinforcement,
    Rejected,
    Validated,
)

__all__ = [
    "Accepted",
    "Current",
    "Duplicate",
    "Idea",
    "Reinforcement",
    "Rejected",
    "Validated",
    "validate",
]


def validate(
    proposals: Sequence[Proposal], inputs: Inputs, current: Current, *, max_outputs: int
) -> Validated:
    """Return every proposal once: accepted, reinforced, rejected with its reason, or a duplicate.

    Args:
        proposals: what the generator handed over; nothing in them is trusted, not even the types.
        inputs: the snapshot that the generator saw.
        current: the same things as read under lock now.
        max_outputs: at most so many are accepted; 0 means none.

    Raises:
        ValueError: `max_outputs` is negative. A bad item never raises and never sinks another.
    """
    if max_outputs < 0:
        raise ValueError("max_outputs must not be negative")
    bench = set_bench(inputs, current)
    ideas: list[Idea] = []
    rejected: list[Rejected] = []
    for index, proposal in enumerate(proposals):
        examined = examine(proposal, index, bench)
        if isinstance(examined, Idea):
            ideas.append(examined)
        else:
            rejected.append(examined)
    fresh, reinforced, duplicates = _deduplicate(ideas, current)
    if max_outputs == 0:
        rejected.extend(_over_budget(reinforcement.idea, bench) for reinforcement in reinforced)
        reinforced = []
    kept = _choose_outputs(fresh, max_outputs)
    rejected.extend(_over_budget(idea, bench) for place, idea in enumerate(fresh) if place not in kept)
    predecessors = current.standing.predecessors
    return Validated(
        accepted=tuple(
            Accepted(fresh[place], predecessors.get(fresh[place].target_identity)) for place in kept
        ),
        reinforced=tuple(reinforced),
        rejected=tuple(sorted(rejected, key=lambda item: item.index)),
        duplicates=tuple(duplicates),
    )


def _choose_outputs(fresh: Sequence[Idea], max_outputs: int) -> list[int]:
    """Return the places of the ideas that the budget keeps, in the order in which they were picked."""
    shares = [
        Share(number_distinct([idea.edge.subject_id for idea in fresh]), quarter),
        Share(number_distinct([idea.predicate.key for idea in fresh]), half),
    ]
    return choose_diverse(shares, limit=max_outputs)


def _deduplicate(
    ideas: Sequence[Idea], current: Current
) -> tuple[list[Idea], list[Reinforcement], list[Duplicate]]:
    fresh: list[Idea] = []
    reinforced: list[Reinforcement] = []
    duplicates: list[Duplicate] = []
    kept: set[str] = set()
    for idea in ideas:
        live = current.standing.live.get(idea.target_identity)
        if idea.target_identity in kept:
            duplicates.append(Duplicate("duplicate_in_run", idea.index))
        elif live is None:
            fresh.append(idea)
            kept.add(idea.target_identity)
        elif reinforcement := _reinforce(live, idea):
            reinforced.append(reinforcement)
            kept.add(idea.target_identity)
        else:
            duplicates.append(Duplicate("duplicate_existing", idea.index, live.hypothesis_id))
    return fresh, reinforced, duplicates


def _reinforce(live: LiveHypothesis, idea: Idea) -> Reinforcement | None:
    if live.status == "submitted":
        return None
    new_group_keys = idea.group_keys - live.source_group_keys
    newer_source_ids = frozenset(
        source.relationship_id
        for source in idea.sources
        if source.version > live.source_versions.get(source.relationship_id, source.version)
    )
    if not (new_group_keys or newer_source_ids):
        return None
    return Reinforcement(live.hypothesis_id, idea, new_group_keys, newer_source_ids)


def _over_budget(idea: Idea, bench: Bench) -> Rejected:
    return refuse(idea, "output_budget", "the output budget was used up by earlier ideas", bench)
