"""One round, and how it is judged."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal, LiteralString

import psycopg

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import DenseMemError
from app.kernel.settings import Settings
from app.queue.leases import wake_workers
from tests.chaos.faults import FAULTS
from tests.chaos.scenarios import CYCLE, PLACEMENT, End, Scenario
from tests.chaos.worker import LEASE_SECONDS
from tests.chaos.world import World
from tests.concurrency.test_killed_workers import prepare_everything
from tests.integration.submissions import submit

LONGEST_SECONDS: Final = 40.0
ORDERLY_LEASE_SECONDS: Final = 30.0
SETTLE_SECONDS: Final = 0.3
Verdict = Literal["survived", "lost", "doubled", "differing", "stuck", "not reached"]


@dataclass(frozen=True, slots=True)
class Round:
    """One fault at one commit point of one piece of work."""

    scenario: Scenario
    fault: str
    point: str


@dataclass(slots=True)
class Tally:
    """How the rounds ended, and the words of those that ended badly."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    by_fault: dict[str, Counter[Verdict]] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    seconds: float = 0

    def add(self, played: Round, verdict: Verdict, why: str) -> None:
        self.verdicts[verdict] += 1
        self.by_fault.setdefault(played.fault, Counter())[verdict] += 1
        if verdict != "survived":
            self.bad.append(f"{verdict}: {played.scenario.name}, {played.fault} at {played.point}: {why}")


async def play(world: World, count: int, *, faults: tuple[str, ...] = tuple(FAULTS)) -> Tally:
    """Play so many rounds; each fault comes to each commit point of each scenario in turn."""
    tally = Tally()
    began = monotonic()
    database = Database(Settings(pool_timeout_seconds=30), url=world.url)
    await database.open()
    try:
        expected: dict[str, list[End]] = {}
        points: dict[str, list[str]] = {}
        for scenario in (PLACEMENT, CYCLE):
            end, commits = await play_undisturbed(world, database, scenario)
            expected[scenario.name] = [end]
            points[scenario.name] = [f"{commit}{side}" for commit in range(1, commits + 1) for side in "-+"]
        in_order = [await play_in_order(world, database, is_reversed=one) for one in (False, True)]
        assert in_order[0] != in_order[1]
        assert expected[PLACEMENT.name][0] in in_order
        expected[PLACEMENT.name] = in_order
        for played in choose_rounds(count, points, [name for name in faults if can_inflict(world, name)]):
            verdict, why = await play_round(world, database, played, expected[played.scenario.name])
            tally.add(played, verdict, why)
    finally:
        await database.close()
        await world.end_workers()
    tally.seconds = monotonic() - began
    return tally


def choose_rounds(count: int, points: dict[str, list[str]], faults: list[str]) -> Iterator[Round]:
    """Yield rounds that go through faults, scenarios and points at strides, so that few already are spread out."""
    for number in range(count):
        scenario = (CYCLE, PLACEMENT)[number // len(faults) % 2]
        of_scenario = points[scenario.name]
        # A prime stride, so that each fault comes by each point in the long run.
        point = of_scenario[number * 7 % len(of_scenario)]
        yield Round(scenario, faults[number % len(faults)], point)


def can_inflict(world: World, fault: str) -> bool:
    return fault != "disk full" or world.has_own_disk


async def play_undisturbed(world: World, database: Database, scenario: Scenario) -> tuple[End, int]:
    """Return what the work leaves when nothing happens, and the number of its commits."""
    caller = await scenario.prepare(database)
    worker = world.start_worker()
    assert await finish(database, caller.team_id), "an undisturbed run comes to its end"
    end = await scenario.read_end(database, caller)
    assert end.broken == {}
    await worker.end()
    commits: int = worker.line.recv()
    return end, commits


async def play_in_order(world: World, database: Database, *, is_reversed: bool) -> End:
    """Return what placing one submission after the other leaves.

    A worker places both at once, and whose disagreement comes second is told of the other: both ends are right.
    """
    submissions = await prepare_everything(database)
    world.start_worker()
    for caller, submission in reversed(submissions) if is_reversed else submissions:
        await submit(database, caller, submission)
        assert await finish(database, caller.team_id), "an undisturbed run comes to its end"
    end = await PLACEMENT.read_end(database, submissions[0][0])
    await world.end_workers()
    return end


async def play_round(
    world: World, database: Database, played: Round, expected: Sequence[End]
) -> tuple[Verdict, str]:
    """Inflict the fault at the point, and compare the end with the expected ones."""
    caller = await played.scenario.prepare(database)
    # An orderly end must not cost an attempt, and on a slow machine a short lease may run out by itself.
    seconds = ORDERLY_LEASE_SECONDS if played.fault == "SIGTERM" else LEASE_SECONDS
    worker = world.start_worker(played.point, lease_seconds=seconds)
    try:
        if not await worker.reach(LONGEST_SECONDS / 2):
            return "not reached", ""
        worker.line.recv()
        try:
            await FAULTS[played.fault](world, worker)
        except AssertionError as error:
            return "differing", str(error)
        if not await finish(database, caller.team_id):
            return "stuck", ""
        # Who was woken late, or left behind, may still want to write.
        await asyncio.sleep(SETTLE_SECONDS)
        end = await played.scenario.read_end(database, caller)
        judged = [judge(end, one) for one in expected]
        return next((one for one in judged if one[0] == "survived"), judged[0])
    finally:
        await world.end_workers()


async def finish(database: Database, team_id: str) -> bool:
    """Wait until the team's work is done, without its delays; say whether that came in time."""
    deadline = monotonic() + LONGEST_SECONDS
    while monotonic() < deadline:
        try:
            if await database.unit_of_work(Scope("app"), lambda w: _hasten(w, team_id)) == 0:
                return True
        except (DenseMemError, psycopg.OperationalError):
            pass
        await asyncio.sleep(0.1)
    return False


async def _hasten(writing: Writing, team_id: str) -> int:
    """Let every delay of the team be over; return how many items are unfinished."""
    rows = await writing.fetch_all(_UNFINISHED, {"team_id": team_id})
    if any(row["is_delayed"] for row in rows):
        await writing.execute(_HASTEN, {"team_id": team_id})
        for kind in {row["kind"] for row in rows}:
            await wake_workers(writing, kind)
    return len(rows)


def judge(end: End, expected: End) -> tuple[Verdict, str]:
    """Compare by the number of rows first: fewer are lost, more are doubled."""
    if end.broken:
        return "differing", str(end.broken)
    for story, rows in expected.told.items():
        if len(end.told[story]) < len(rows):
            return "lost", story
        if len(end.told[story]) > len(rows):
            return "doubled", story
    for story, rows in expected.told.items():
        if end.told[story] != rows:
            wrong = [(one, other) for one, other in zip(end.told[story], rows, strict=True) if one != other]
            return "differing", f"{story}: {wrong}"
    return "survived", ""


_UNFINISHED: LiteralString = """
    SELECT kind, run_at > clock_timestamp() AND worker IS NULL AS is_delayed FROM work_items
    WHERE team_id = %(team_id)s AND finished_at IS NULL
"""
_HASTEN: LiteralString = """
    UPDATE work_items SET run_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND finished_at IS NULL AND worker IS NULL AND run_at > clock_timestamp()
"""
