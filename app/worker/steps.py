"""The kinds of work, wired: placements and changed predicates as the application, dreams as the dreamer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.dreaming.cycle import run_cycle
from app.dreaming.provider.batch.settlement import BATCH, settle_batch
from app.hypotheses.echo import EchoIndex
from app.kernel.database import Database, Scope
from app.kernel.processes import run_in_process
from app.ledger.predicates.settling import PREDICATE, settle_predicate
from app.queue.heartbeat import work_under_lease
from app.queue.leases import Lease, renew
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.pipeline import place_ingest
from app.remember.verify import Verifier
from app.review.submissions import settle_submissions
from app.worker.provider import Provider


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of work item: who works on it, how many at once in this process, and the step itself."""

    name: str
    scope: Scope
    slots: int
    step: Callable[[Lease], Awaitable[None]]


def placement_kind(
    database: Database, *, slots: int, lease_seconds: float, provider: Provider | None = None
) -> Kind:
    """Place submissions with the provider's verifier where there is one, else with the lexical one."""
    statements = EchoIndex()

    async def place(lease: Lease) -> None:
        verifier: Verifier = LexicalVerifier()
        if provider is not None:
            verifier = await provider.choose_verifier(database, lease.team_id, ingest_id=lease.item_id)
        await work_under_lease(
            database,
            Scope("app"),
            lease,
            place_ingest(
                database,
                lease,
                verifier=verifier,
                echo=statements.is_echo,
                at_end=settle_submissions,
            ),
            seconds=lease_seconds,
            renewal=lambda writing: renew(writing, lease, seconds=lease_seconds),
        )

    return Kind("placement", Scope("app"), slots, place)


def predicate_kind(database: Database, *, lease_seconds: float) -> Kind:
    """Settle positions whose predicate has changed how many of them can hold."""

    async def settle(lease: Lease) -> None:
        await work_under_lease(
            database,
            Scope("app"),
            lease,
            settle_predicate(database, lease),
            seconds=lease_seconds,
            renewal=lambda writing: renew(writing, lease, seconds=lease_seconds),
        )

    return Kind(PREDICATE, Scope("app"), 1, settle)


def cycle_kind(
    database: Database, *, slots: int, lease_seconds: float, provider: Provider | None = None
) -> Kind:
    """Run dream cycles, which renew their lease themselves."""

    async def dream(lease: Lease) -> None:
        await run_cycle(
            database,
            lease,
            compute=run_in_process,
            lease_seconds=lease_seconds,
            provider=lambda: None if provider is None else provider.line(),
        )

    return Kind("cycle", Scope("dreamer"), slots, dream)


def batch_kind(database: Database, *, provider: Provider) -> Kind:
    """Settle batches whose run has ended without them."""

    async def settle(lease: Lease) -> None:
        batches = provider.batches if provider.has_key() else None
        await settle_batch(database, lease, batches=batches, prices=provider.prices)

    return Kind(BATCH, Scope("dreamer"), 1, settle)
