"""How many Relationships a second one worker remembers, for small and for large submissions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final, LiteralString

from app.cli.bench.backend import bench_backend
from app.cli.bench.rows import insert_copies, read_copies
from app.cli.database import open_database
from app.cli.leasing import lease_next
from app.hypotheses.echo import EchoIndex
from app.kernel.backend import Backend
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.remember.guarding import guard
from app.remember.intake import PLACEMENT, accept
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.pipeline import place_ingest
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id

LIBRARIES: Final = 150
LINES: Final = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """One batch size. Rates are Relationships a second; `rows` are all rows that they came to."""

    batch: int
    relationships: int
    rows: int
    accept_rate: float
    place_rate: float
    total_rate: float
    raw_rate: float

    @property
    def share(self) -> float:
        """What part of the raw insert rate is reached."""
        return self.total_rate / self.raw_rate


def run_bench(settings: Settings, *, relationships: int, batches: Sequence[int]) -> list[Measured]:
    """Measure each batch size on DATABASE_URL or a fresh embedded server, in the given order."""
    with bench_backend(settings) as (backend, bench_settings):
        return asyncio.run(_measure_all(backend, bench_settings, relationships, batches))


async def _measure_all(
    backend: Backend, settings: Settings, relationships: int, batches: Sequence[int]
) -> list[Measured]:
    async with open_database(settings, backend) as database:
        # The first placement of a process compiles and prepares; that is not what is measured.
        await measure(database, settings, relationships=2, batch=1)
        return [
            await measure(database, settings, relationships=relationships, batch=batch) for batch in batches
        ]


async def measure(database: Database, settings: Settings, *, relationships: int, batch: int) -> Measured:
    """Submit and place so many Relationships in submissions of `batch` each, then insert the same rows raw."""
    caller = await found_caller(database)
    scope = Scope("app", caller.team_id)
    submissions = [
        _submission(number, min(batch, relationships - start))
        for number, start in enumerate(range(0, relationships, batch))
    ]
    started = perf_counter()
    for submission in submissions:
        guarded = await guard(submission)
        await database.unit_of_work(
            scope,
            lambda w, one=guarded: accept(w, caller, one, correlation_id="bench"),  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        )
    accepted = perf_counter()
    await _place_all(database, caller, slots=settings.worker_placements)
    placed = perf_counter()
    other_team = await _found_team(database)
    copies = await read_copies(database, caller.team_id, other_team)
    before_raw = perf_counter()
    rows = await insert_copies(database, other_team, copies)
    after_raw = perf_counter()
    await _check(database, caller, relationships)
    return Measured(
        batch=batch,
        relationships=relationships,
        rows=rows,
        accept_rate=relationships / (accepted - started),
        place_rate=relationships / (placed - accepted),
        total_rate=relationships / (placed - started),
        raw_rate=relationships / (after_raw - before_raw),
    )


async def _place_all(database: Database, caller: Caller, *, slots: int) -> None:
    """Place what the team submitted as a worker process does, so many ingests at once."""
    verifier, statements = LexicalVerifier(), EchoIndex()

    async def work() -> None:
        while leases := await database.unit_of_work(
            Scope("app", caller.team_id),
            lambda w: lease_next(w, team_id=caller.team_id, kind=PLACEMENT),
        ):
            for lease in leases:
                await place_ingest(database, lease, verifier=verifier, echo=statements.is_echo)

    await asyncio.gather(*(work() for _ in range(max(slots, 1))))


async def _check(database: Database, caller: Caller, relationships: int) -> None:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        row = await reading.fetch_one(_COUNT, {"team_id": caller.team_id})
    assert row is not None
    assert row["active"] == relationships, "each claim is entailed, so each Relationship is active"


async def _found_team(database: Database) -> str:
    team_id = new_team_id()
    await database.unit_of_work(Scope("app", team_id), lambda w: found_team(w, team_id, f"Bench {team_id}"))
    return team_id


async def found_caller(database: Database) -> Caller:
    """Found a team and return its first profile, which may read and write."""
    team_id = await _found_team(database)
    scope = Scope("app", team_id)
    profile = await database.unit_of_work(scope, lambda w: create_profile(w, team_id, "Bench"))
    return Caller(
        key_id="key_00000000000000000000000000",
        team_id=team_id,
        profile_id=profile.profile_id,
        scopes=frozenset({"read", "write"}),
        max_authority="primary",
    )


def _submission(number: int, size: int) -> Submission:
    """Services of its own, ten lines each, that depend on libraries of a common pool."""
    pairs = [
        (f"Service {number}-{place // LINES}", f"Library {(number * 7 + place % LINES) % LIBRARIES}")
        for place in range(size)
    ]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    lines = [f"{subject} depends on {other}." for subject, other in pairs]
    starts = [sum(len(line) + 1 for line in lines[:place]) for place in range(size)]
    return Submission(
        (EvidenceItem("\n".join(lines), authority="primary"),),
        tuple(EntityProposal(name, name, "product") for name in names),
        tuple(
            RelationshipProposal(
                proposal_id=f"p{place}",
                subject_ref=subject,
                predicate="depends_on",
                evidence=(CitedSpan(0, start, start + len(line)),),
                object_ref=other,
            )
            for place, ((subject, other), start, line) in enumerate(zip(pairs, starts, lines, strict=True))
        ),
    )


_COUNT: LiteralString = """
    SELECT count(*) AS active FROM relationships WHERE team_id = %(team_id)s AND status = 'active'
"""
