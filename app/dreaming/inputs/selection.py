"""Which premises a cycle reads of a team that knows more than one cycle may read. Pure.

* Half of the budget goes to what was read least since its last change, the newest first: something new comes from
  there.
* A quarter goes to what was read longest ago, so a busy corner keeps nothing from ever being read.
* A quarter goes to the connected components in turn, the one that was looked at longest ago first, and within it
  along its edges: what belongs together is read together.

Equal arguments, in any order, give equal choices.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One eligible premise as far as the choice needs it.

    `cycles` have read it since it last changed; `read_at` is when one last did, also before that.
    """

    group_key: str
    subject_id: str
    object_id: str
    cycles: int
    read_at: datetime | None
    changed_at: datetime


def select_premises(survey: Iterable[Surveyed], *, limit: int) -> frozenset[str]:
    """Return the group keys of `limit` premises, or of all if there are no more."""
    premises = sorted(survey, key=lambda one: one.group_key)
    premises.sort(key=lambda one: one.changed_at, reverse=True)
    by_need = sorted(premises, key=lambda one: one.cycles)
    waiting = sorted(premises, key=_order_of)
    chosen = {one.group_key for one in by_need[: (limit + 1) // 2]}
    for order, end in ((waiting, limit - limit // 4), (_take_turns(waiting), limit)):
        for premise in order:
            if len(chosen) >= end:
                break
            chosen.add(premise.group_key)
    return frozenset(chosen)


def _take_turns(waiting: Sequence[Surveyed]) -> Iterator[Surveyed]:
    """Yield all premises, component by component, each along its edges from what was read longest ago."""
    at_node: defaultdict[str, list[Surveyed]] = defaultdict(list)
    for premise in waiting:
        at_node[premise.subject_id].append(premise)
        at_node[premise.object_id].append(premise)
    seen: set[str] = set()
    components = [_walk(premise, at_node, seen) for premise in waiting if premise.group_key not in seen]
    components.sort(key=lambda component: max(one.read_at or _NEVER for one in component))
    for component in components:
        yield from component


def _walk(start: Surveyed, at_node: dict[str, list[Surveyed]], seen: set[str]) -> list[Surveyed]:
    """Return the component of `start` in breadth, and leave its keys among those seen."""
    found, border = [start], deque([start])
    seen.add(start.group_key)
    while border:
        premise = border.popleft()
        for node_id in (premise.subject_id, premise.object_id):
            # Each node is opened once, or a hub would cost its square.
            for neighbour in at_node.pop(node_id, ()):
                if neighbour.group_key not in seen:
                    seen.add(neighbour.group_key)
                    found.append(neighbour)
                    border.append(neighbour)
    return found


def _order_of(premise: Surveyed) -> tuple[datetime, datetime, str]:
    return premise.read_at or _NEVER, premise.changed_at, premise.group_key
