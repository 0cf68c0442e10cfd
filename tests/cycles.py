"""Running cycles in tests: a small graph with one obvious idea, scripted generators, one pass at a time.

Every cycle that a test runs goes through `run_cycle` here, which holds the team's knowledge against what it was.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from app.dreaming import cycle
from app.dreaming.generation import Generated, Generator
from app.dreaming.model import Inputs, Proposal
from app.dreaming.provider.conversation import Line
from app.dreaming.runs.asking import StartRequest, start_run
from app.dreaming.runs.history import Run, get_run
from app.dreaming.spending.budgets import Budgets
from app.kernel.database import Database, Row, Scope
from app.ledger.predicates.phrases import hedged_statement
from app.queue.leases import Lease, lease_due
from app.tenancy.callers import Caller
from tests.factories import Made, make_entity, make_relationship
from tests.invariants.catalogue import fingerprint_team

Propose = Callable[[Inputs, Budgets], Sequence[Proposal]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Five libraries that each depend on another, four of which also use it: the fifth may use its own too.

    `last` is what the idea rests on.
    """

    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    last: Made


async def make_pattern(database: Database, caller: Caller) -> Pattern:
    subjects, objects, made = [], [], []
    for number in range(5):
        subjects.append(await make_entity(database, caller, f"Library {number}"))
        objects.append(await make_entity(database, caller, f"Engine {number}"))
        made.append(await make_relationship(database, caller, subjects[-1], "depends_on", objects[-1]))
        if number < 4:
            await make_relationship(database, caller, subjects[-1], "uses", objects[-1])
    return Pattern(tuple(subjects), tuple(objects), made[-1])


async def lease_run(database: Database, run_id: str, *, worker: str = "worker", seconds: float = 60) -> Lease:
    """Take the lease on the run, passing by what other tests have left."""
    for _ in range(100):
        leases = await database.unit_of_work(
            Scope("dreamer"),
            lambda writing: lease_due(writing, kind="cycle", worker=worker, seconds=seconds, limit=100),
        )
        for lease in leases:
            if lease.item_id == run_id:
                return lease
    raise AssertionError("the run is not due")


async def queue_run(database: Database, caller: Caller, request: StartRequest | None = None) -> str:
    run, _ = await database.unit_of_work(
        Scope("app", caller.team_id),
        lambda writing: start_run(writing, caller, request or StartRequest()),
    )
    return run.run_id


async def read_run(database: Database, caller: Caller, run_id: str) -> Run:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return await get_run(reading, caller.team_id, run_id)


async def run_cycle(
    database: Database,
    lease: Lease,
    *,
    generator: Generator | None = None,
    line: Line | None = None,
    others_write: bool = False,
) -> None:
    """Work on the run, and find everything that the team knows as it was, however the cycle ends.

    `others_write`: the test changes knowledge meanwhile, so there is nothing to compare.
    """
    before = [] if others_write else await fingerprint_team(database, lease.team_id)
    try:
        await cycle.run_cycle(database, lease, generator=generator, provider=lambda: line)
    finally:
        if not others_write:
            assert await fingerprint_team(database, lease.team_id) == before


async def run_once(
    database: Database,
    caller: Caller,
    request: StartRequest | None = None,
    *,
    generator: Generator | None = None,
    others_write: bool = False,
) -> Run:
    """Start a run, work on it to its end, and return it."""
    run_id = await queue_run(database, caller, request)
    lease = await lease_run(database, run_id)
    await run_cycle(database, lease, generator=generator, others_write=others_write)
    return await read_run(database, caller, run_id)


def scripted(propose: Propose) -> Generator:
    """Return a generator that hands over whatever `propose` returns; it runs in a thread."""
    return Generator(
        "rules", "scripted-v1", lambda inputs, budgets: Generated((), tuple(propose(inputs, budgets)))
    )


def scripted_async(propose: Callable[[Inputs], Awaitable[Sequence[Proposal]]]) -> Generator:
    """Return a generator that may use the database of the test while the cycle waits for it."""
    loop = asyncio.get_running_loop()

    async def call(inputs: Inputs) -> Sequence[Proposal]:
        return await propose(inputs)

    return scripted(lambda inputs, _: asyncio.run_coroutine_threadsafe(call(inputs), loop).result())


def idea(
    inputs: Inputs,
    subject_id: str,
    predicate_key: str,
    object_id: str,
    *sources: Made,
    likelihood: float = 0.5,
) -> Proposal:
    """Return a sound proposal that rests on the given Relationships."""
    is_value = object_id.startswith("val_")
    subject, target = inputs.nodes[subject_id].name, inputs.nodes[object_id].name
    return Proposal(
        subject_entity_id=subject_id,
        predicate_key=predicate_key,
        object_entity_id=None if is_value else object_id,
        object_value_id=object_id if is_value else None,
        statement=hedged_statement(subject, inputs.predicates[predicate_key].verb_phrase, target),
        rationale=f"{subject} and {target} are connected.",
        likelihood=likelihood,
        confidence=0.5,
        source_relationship_ids=tuple(source.relationship_id for source in sources),
    )


def spoil(proposal: Proposal, **changes: object) -> Proposal:
    """Return the proposal with fields that a sound generator would not give."""
    return replace(proposal, **changes)  # type: ignore[arg-type]  # Wrong types are the point.


async def read_hypotheses(database: Database, caller: Caller) -> list[Row]:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return await reading.fetch_all(
            "SELECT * FROM hypotheses WHERE team_id = %(team_id)s ORDER BY created_at, id",
            {"team_id": caller.team_id},
        )


async def read_events(database: Database, caller: Caller) -> list[tuple[str, str | None, str]]:
    """Return (event, from, to) of all the team's Hypotheses, in order."""
    async with database.reading(Scope("app", caller.team_id)) as reading:
        rows = await reading.fetch_all(
            "SELECT event, from_status, to_status FROM hypothesis_events WHERE team_id = %(team_id)s ORDER BY id",
            {"team_id": caller.team_id},
        )
    return [(row["event"], row["from_status"], row["to_status"]) for row in rows]


async def set_setting(database: Database, caller: Caller, name: str, value: str) -> None:
    await database.unit_of_work(
        Scope("app", caller.team_id),
        lambda writing: writing.execute(
            "INSERT INTO team_settings (team_id, name, value) VALUES (%(team_id)s, %(name)s, %(value)s::jsonb)"
            " ON CONFLICT (team_id, name) DO UPDATE"
            " SET value = excluded.value, row_version = team_settings.row_version + 1",
            {"team_id": caller.team_id, "name": name, "value": value},
        ),
    )


async def dream_of(database: Database, caller: Caller, pattern: Pattern, *sources: Made) -> Run:
    """Run a cycle whose one idea is that the last library uses its engine."""
    listed = sources or (pattern.last,)
    return await run_once(
        database,
        caller,
        generator=scripted(
            lambda inputs, _: [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], *listed)]
        ),
    )
