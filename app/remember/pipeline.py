"""The worker's step: place one ingest, a few proposals at a time, each of them all or nothing.

The lease is renewed by whoever calls this; every write here holds it. What a crash leaves unplaced is found again
by its open outcome, and the Entities that it had created by their names.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Final, Protocol

import structlog

from app.kernel.database import Database, Scope, Writing
from app.ledger.nodes.typed_values import find_or_create_values
from app.ledger.vocabulary import TypedValue
from app.queue.leases import Lease, hold
from app.remember.carried import CitedItem, find_uncarried
from app.remember.examine import Held, Ready, examine
from app.remember.intake import cited_spans
from app.remember.judging import EchoCheck, Judged, judge_proposals
from app.remember.place import place_held, place_relationship
from app.remember.resolve import New, Resolution, create_missing, find_known
from app.remember.store import Placing
from app.remember.submission import RelationshipProposal
from app.remember.verify import Verifier, VerifierFailure
from app.remember.work import Delay, Work, begin_placement, end_placement, give_up

__all__ = ["EchoCheck", "place_ingest"]

# How many proposals are judged before they are placed: bounds both calls in flight and work lost by a crash.
PROPOSALS_AT_ONCE: Final = 8
_log = structlog.get_logger()


class AtEnd(Protocol):
    """What else belongs to the end of a placement; in its transaction, so that a crash leaves both or neither."""

    async def __call__(self, w: Writing, team_id: str, /) -> object: ...


async def nothing_else(w: Writing, team_id: str, /) -> None:
    """Leave it at the placement."""


async def place_ingest(
    database: Database, lease: Lease, *, verifier: Verifier, echo: EchoCheck, at_end: AtEnd = nothing_else
) -> None:
    """Leave every proposal of the ingest placed, or queued again where the verifier failed.

    Raises:
        LeaseLost: somebody else owns the ingest; what this worker placed until then stays placed.
    """
    scope = Scope("app", lease.team_id)
    delays: list[Delay] = []

    async def give_up_and_more(w: Writing) -> None:
        await give_up(w, lease)
        await at_end(w, lease.team_id)

    async def end_and_more(w: Writing) -> None:
        await end_placement(w, lease, delays)
        await at_end(w, lease.team_id)

    if lease.attempts_are_exhausted:
        await database.unit_of_work(scope, give_up_and_more)
        _log.warning("placement given up", action="place", team=lease.team_id, ingest=lease.item_id)
        return
    work = await database.unit_of_work(scope, lambda w: begin_placement(w, lease))
    async with database.reading(scope) as reading:
        entities: Mapping[str, Resolution] = await find_known(
            reading, work.team_id, list(work.entities.values())
        )
    positions = iter(work.waiting)
    while some := list(islice(positions, PROPOSALS_AT_ONCE)):
        entities, failed = await _place_some(database, work, some, entities, verifier, echo)
        delays += failed
    await database.unit_of_work(scope, end_and_more)
    _log.info(
        "ingest placed",
        action="place",
        team=lease.team_id,
        ingest=lease.item_id,
        attempt=lease.attempt,
        placed=len(work.waiting) - len(delays),
        delayed=len(delays),
    )


async def _place_some(
    database: Database,
    work: Work,
    positions: list[int],
    entities: Mapping[str, Resolution],
    verifier: Verifier,
    echo: EchoCheck,
) -> tuple[Mapping[str, Resolution], list[Delay]]:
    """Judge, then place; return the Entities as they are known now, and what the verifier failed on."""
    ready, held = _examine(work, positions, entities)
    answers = await judge_proposals(database, work, ready, verifier=verifier, echo=echo)
    delays: list[Delay] = []
    judged: dict[int, tuple[Judged, ...]] = {}
    for position, answer in answers.items():
        if not isinstance(answer, VerifierFailure):
            judged[position] = answer
        elif answer.retryable:
            delays.append(Delay(work.waiting[position].proposal_id, answer.code, answer.pause_seconds))
        else:
            held[position] = Held("processing_failed", answer.code)
    scope = Scope("app", work.team_id)
    found, values = await database.unit_of_work(
        scope, partial(_prepare, work=work, ready=[ready[one] for one in judged], entities=entities)
    )
    # The names may have become ambiguous while the verifier was at work.
    ready, held_since = _examine(work, list(judged), found)
    for position, reason in sorted((held | held_since).items()):
        await database.unit_of_work(scope, partial(place_held, work=work, position=position, held=reason))
    for position, one in ready.items():
        placing = Placing(
            work=work,
            position=position,
            ready=one,
            object_value_id=None if one.value is None else values[one.value],
            judged=judged[position],
            verifier_kind=verifier.kind,
            verifier_version=verifier.version,
            now=datetime.now(UTC),
        )
        await database.unit_of_work(scope, partial(place_relationship, placing=placing))
    return found, delays


def _examine(
    work: Work, positions: list[int], entities: Mapping[str, Resolution]
) -> tuple[dict[int, Ready], dict[int, Held]]:
    examined: dict[int, Ready | Held] = {}
    for position in positions:
        proposal = work.waiting[position]
        # Held evidence is read by nobody and nothing: no verifier, no look-up, no new Entity.
        if any(work.evidence[span.evidence_index].is_withheld for span in proposal.evidence):
            examined[position] = Held("evidence_quarantined", "evidence_quarantined")
        else:
            found = examine(proposal, entities, work.predicates)
            if isinstance(found, Ready):
                examined[position] = find_uncarried(proposal, _cited_items(work, proposal)) or found
            else:
                examined[position] = found
    ready = {position: one for position, one in examined.items() if isinstance(one, Ready)}
    return ready, {position: one for position, one in examined.items() if isinstance(one, Held)}


def _cited_items(work: Work, proposal: RelationshipProposal) -> list[CitedItem]:
    return [
        CitedItem(work.evidence[index].content, spans, work.evidence[index].record)
        for index, spans in cited_spans(proposal).items()
    ]


async def _prepare(
    w: Writing, work: Work, ready: list[Ready], entities: Mapping[str, Resolution]
) -> tuple[Mapping[str, Resolution], Mapping[TypedValue, str]]:
    """Leave the Entities and Values of the proposals stored; return every Entity as known now, and the Values."""
    refs = {ref for one in ready for ref in (one.proposal.subject_ref, one.proposal.object_ref) if ref}
    missing = [work.entities[ref] for ref in sorted(refs) if isinstance(entities[ref], New)]
    values = {one.value for one in ready if one.value is not None}
    if not missing and not values:
        return entities, {}
    await hold(w, work.lease)
    created = await create_missing(w, work.team_id, missing, profile_id=work.profile_id) if missing else {}
    return {**entities, **created}, await find_or_create_values(w, work.team_id, values)
