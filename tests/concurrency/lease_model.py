"""The lease protocol without a database: what a queue does, in a clock that a test moves."""

from dataclasses import dataclass, field

from app.queue.leases import Lease


@dataclass
class Item:
    """One row. `ends_at` is the end of its lease; times are seconds of the model's clock."""

    team_id: str
    item_id: str
    run_at: float
    epoch: int = 0
    attempt: int = 0
    ends_at: float | None = None
    is_finished: bool = False
    effects: int = 0


@dataclass
class Queue:
    """What is queued, and what time it is."""

    now: float = 0.0
    items: dict[tuple[str, str], Item] = field(default_factory=dict)

    def is_due(self, item: Item) -> bool:
        is_free = item.ends_at is None or item.ends_at <= self.now
        return not item.is_finished and item.run_at <= self.now and is_free

    def next_of_each_team(self, after: str) -> list[Item]:
        """Return the first due item of each team, in the order of their turns."""
        due = [item for item in self.items.values() if self.is_due(item)]
        teams = sorted({item.team_id for item in due}, key=lambda team: (team <= after, team))
        return [min((i for i in due if i.team_id == team), key=lambda i: i.run_at) for team in teams]

    def lease(self, item: Item, *, seconds: float) -> None:
        item.epoch += 1
        item.attempt += item.ends_at is not None
        item.ends_at = self.now + seconds

    def of(self, lease: Lease) -> Item:
        return self.items[lease.team_id, lease.item_id]

    def holds(self, lease: Lease) -> bool:
        """Say whether the lease gives its holder the right to write."""
        item = self.of(lease)
        return item.epoch == lease.epoch and item.ends_at is not None and item.ends_at > self.now

    def give_back(self, item: Item, *, delay: float, spent: int) -> None:
        item.epoch += 1
        item.attempt += spent
        item.ends_at = None
        item.run_at = self.now + delay

    def finish(self, item: Item) -> None:
        item.is_finished = True
        item.ends_at = None

    def cancel(self, item: Item) -> None:
        if not item.is_finished:
            item.epoch += 1
            self.finish(item)

    def reopen(self, item: Item) -> None:
        if item.is_finished:
            item.epoch += 1
            item.attempt = 0
            item.is_finished = False
            item.run_at = self.now
