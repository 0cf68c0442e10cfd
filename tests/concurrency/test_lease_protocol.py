"""Workers, crashes, pauses, cancels and the clock in any order: the SQL does what the model does.

At most one worker may write at a time, no item is lost, and none leaves its effect twice. The clock is moved by
moving the times of the rows back. `DENSEMEM_PROTOCOL_EXAMPLES` says how many histories are tried (20 unless set).
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, LiteralString, TypeVar

import psycopg
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.kernel.settings import Settings
from app.queue import leases
from app.queue.heartbeat import MARGIN_SHARE
from app.queue.leases import Lease
from tests.concurrency.lease_model import Item, Queue
from tests.databases import admin_url, create_database, drop_database, service_url

T = TypeVar("T")
EXAMPLES: Final = int(os.environ.get("DENSEMEM_PROTOCOL_EXAMPLES", "20"))
STEPS: Final = 40
APP: Final = Scope("app")
TEAMS: Final = ("team_a", "team_b", "team_c")
# Long, so that what the machine takes for a history does not matter.
LEASE: Final = 10_000.0
MOVES: Final = (7_000.0, 12_000.0)
DELAY: Final = 15_000.0
WORKERS: Final = st.integers(0, 1)
PICK: Final = st.integers(0, 10)


@dataclass
class Holder:
    """A lease in the hands of a worker, which trusts it until its own clock says that it is old."""

    lease: Lease
    worker: int
    trusted_until: float


class Protocol(RuleBasedStateMachine):
    """The queue of one kind, its model, and two workers."""

    loop: asyncio.AbstractEventLoop
    database: Database
    histories = 0

    def __init__(self) -> None:
        super().__init__()
        Protocol.histories += 1
        self.kind = f"kind-{Protocol.histories}"
        self.model = Queue()
        self.held: list[Holder] = []
        self.served = ["", ""]

    def run(self, work: Callable[[Writing], Awaitable[T]]) -> T:
        return self.loop.run_until_complete(self.database.unit_of_work(APP, work))

    @initialize(is_taken_over=st.booleans())
    def begin(self, is_taken_over: bool) -> None:
        self.enqueue("team_a", 1)
        self.lease(0, 1)
        if is_taken_over:
            # The first owner still believes that it may write.
            self.pass_time(max(MOVES))
            self.lease(1, 1)

    @rule(team=st.sampled_from(TEAMS), count=st.integers(1, 2))
    def enqueue(self, team: str, count: int) -> None:
        for _ in range(count):
            item_id = f"item-{len(self.model.items):03}"
            self.run(
                lambda w, item_id=item_id: leases.enqueue(w, team_id=team, kind=self.kind, item_id=item_id)  # type: ignore[misc]  # mypy can't infer a lambda with a default.
            )
            # Of two items of the same moment the one that was enqueued first is the first.
            run_at = self.model.now + len(self.model.items) * 1e-3
            self.model.items[team, item_id] = Item(team, item_id, run_at)
            self.model.now += 1

    @rule(worker=WORKERS, limit=st.integers(1, 3))
    def lease(self, worker: int, limit: int) -> None:
        expected = self.model.next_of_each_team(self.served[worker])[:limit]
        after = self.served[worker]
        taken = self.run(
            lambda w: leases.lease_due(
                w, kind=self.kind, worker=f"w{worker}", seconds=LEASE, limit=limit, after=after
            )
        )
        assert {(one.team_id, one.item_id) for one in taken} == {(i.team_id, i.item_id) for i in expected}
        for item in expected:
            self.model.lease(item, seconds=LEASE)
        for one in taken:
            assert (one.epoch, one.attempt) == (self.model.of(one).epoch, self.model.of(one).attempt)
            self.held.append(Holder(one, worker, self.model.now + LEASE * (1 - MARGIN_SHARE)))
        if expected:
            self.served[worker] = expected[-1].team_id

    @rule(worker=WORKERS)
    def crash(self, worker: int) -> None:
        self.held = [holder for holder in self.held if holder.worker != worker]

    @rule(seconds=st.sampled_from(MOVES))
    def pass_time(self, seconds: float) -> None:
        self.run(lambda w: w.execute(_MOVE, {"kind": self.kind, "seconds": seconds}))
        self.model.now += seconds

    def write(self, pick: int, write: Callable[[Writing, Lease], Awaitable[None]]) -> Item | None:
        """Let somebody write under a lease that it once had; return the item if it may.

        Between its turns a worker is paused, for any length of time: it does not know what has happened since.
        """
        if not self.held:
            return None
        holder = self.held[pick % len(self.held)]
        is_right = self.model.holds(holder.lease)
        try:
            self.run(lambda w: write(w, holder.lease))
        except LeaseLost:
            assert not is_right
            return None
        assert is_right
        return self.model.of(holder.lease)

    @rule(pick=PICK)
    def renew(self, pick: int) -> None:
        item = self.write(pick, lambda w, lease: leases.renew(w, lease, seconds=LEASE))
        if item is not None:
            item.ends_at = self.model.now + LEASE
            for holder in self.held:
                if holder.lease.item_id == item.item_id and holder.lease.epoch == item.epoch:
                    holder.trusted_until = self.model.now + LEASE * (1 - MARGIN_SHARE)

    @rule(pick=PICK)
    def finish(self, pick: int) -> None:
        async def persist(w: Writing, lease: Lease) -> None:
            await leases.hold(w, lease)
            await w.execute(_EFFECT, {"kind": self.kind, "item_id": lease.item_id})
            await leases.finish(w, lease)

        item = self.write(pick, persist)
        if item is not None:
            item.effects += 1
            self.model.finish(item)

    @rule(pick=PICK)
    def die_before_the_commit(self, pick: int) -> None:
        async def persist_and_die(w: Writing, lease: Lease) -> None:
            await leases.hold(w, lease)
            await w.execute(_EFFECT, {"kind": self.kind, "item_id": lease.item_id})
            await leases.finish(w, lease)
            raise ConnectionError

        try:
            self.write(pick, persist_and_die)
        except ConnectionError:
            return

    @rule(pick=PICK, delay=st.sampled_from((0.0, DELAY)))
    def hand_back(self, pick: int, delay: float) -> None:
        item = self.write(pick, lambda w, lease: leases.hand_back(w, lease, delay_seconds=delay))
        if item is not None:
            self.model.give_back(item, delay=delay, spent=0)
            self.model.now += 1

    @rule(pick=PICK)
    def retry_later(self, pick: int) -> None:
        item = self.write(pick, lambda w, lease: leases.retry_later(w, lease, delay_seconds=DELAY))
        if item is not None:
            self.model.give_back(item, delay=DELAY, spent=1)
            self.model.now += 1

    @precondition(lambda self: self.model.items)
    @rule(pick=PICK)
    def cancel(self, pick: int) -> None:
        item = self.pick_item(pick)
        key = {"team_id": item.team_id, "kind": self.kind, "item_id": item.item_id}
        assert self.run(lambda w: leases.cancel(w, **key)) != item.is_finished
        self.model.cancel(item)

    @precondition(lambda self: self.model.items)
    @rule(pick=PICK)
    def reopen(self, pick: int) -> None:
        item = self.pick_item(pick)
        key = {"team_id": item.team_id, "kind": self.kind, "item_id": item.item_id}
        self.run(lambda w: leases.reopen(w, **key))
        self.model.reopen(item)
        self.model.now += 1

    def pick_item(self, pick: int) -> Item:
        items = list(self.model.items.values())
        return items[pick % len(items)]

    @invariant()
    def rows_are_the_models(self) -> None:
        rows = self.run(lambda w: w.fetch_all(_ROWS, {"kind": self.kind}))
        assert {
            (row["team_id"], row["item_id"]): (
                row["epoch"],
                row["attempt"],
                row["is_finished"],
                row["is_held"],
                row["effects"],
            )
            for row in rows
        } == {
            key: (
                item.epoch,
                item.attempt,
                item.is_finished,
                item.ends_at is not None and item.ends_at > self.model.now,
                item.effects,
            )
            for key, item in self.model.items.items()
        }

    @invariant()
    def at_most_one_worker_may_write(self) -> None:
        owners = [holder.lease.item_id for holder in self.held if self.model.holds(holder.lease)]
        assert len(owners) == len(set(owners))

    @invariant()
    def nobody_takes_over_what_its_owner_still_trusts(self) -> None:
        for holder in self.held:
            item = self.model.of(holder.lease)
            if self.model.now < holder.trusted_until and not item.is_finished:
                # Another epoch comes from the owner itself or from a cancel, never from a takeover.
                assert item.epoch != holder.lease.epoch or self.model.holds(holder.lease)

    def teardown(self) -> None:
        """Let everybody else be dead: one worker that stays finishes every item, each exactly once."""
        self.held = []
        self.pass_time(LEASE + DELAY)
        for _ in range(len(self.model.items) + 1):
            self.lease(0, 3)
            while self.held:
                self.finish(0)
                self.held.pop(0)
        assert all(item.is_finished for item in self.model.items.values())
        self.rows_are_the_models()


def test_the_protocol_holds_in_any_order_of_events() -> None:
    name = create_database()
    loop = asyncio.new_event_loop()
    with psycopg.connect(admin_url(name), autocommit=True) as connection:
        connection.execute("CREATE TABLE effects (kind text, item_id text)")
        connection.execute("GRANT SELECT, INSERT ON effects TO densemem_app")
        for team in TEAMS:
            connection.execute("INSERT INTO teams (id, name) VALUES (%s, %s)", [team, team])
    Protocol.loop, Protocol.database = loop, Database(Settings(), url=service_url(name))
    try:
        loop.run_until_complete(Protocol.database.open())
        run_state_machine_as_test(
            Protocol,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        loop.run_until_complete(Protocol.database.close())
        loop.close()
        drop_database(name)


_MOVE: LiteralString = """
    UPDATE work_items
    SET run_at = run_at - make_interval(secs => %(seconds)s),
        lease_expires_at = lease_expires_at - make_interval(secs => %(seconds)s)
    WHERE kind = %(kind)s
"""
_EFFECT: LiteralString = "INSERT INTO effects (kind, item_id) VALUES (%(kind)s, %(item_id)s)"
_ROWS: LiteralString = """
    SELECT team_id, item_id, epoch, attempt, finished_at IS NOT NULL AS is_finished,
           coalesce(lease_expires_at > clock_timestamp(), false) AS is_held,
           (SELECT count(*) FROM effects AS e WHERE e.kind = w.kind AND e.item_id = w.item_id) AS effects
    FROM work_items AS w WHERE kind = %(kind)s
"""
