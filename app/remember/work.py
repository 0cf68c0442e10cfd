"""One ingest's work: what the worker reads when it begins, and what it leaves when it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Writing
from app.ledger.evidence.rows import find_citations
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import Predicate, Span
from app.queue.leases import Lease, finish, hand_back, hold
from app.remember.aliases import keep_backed_aliases
from app.remember.outcomes import ProcessingState
from app.remember.placement_state import placement_state, set_placement_state
from app.remember.review_choices import apply_choices, read_choices
from app.remember.submission import EntityProposal, RelationshipProposal, from_stored
from app.tenancy.configuration import effective_configuration

FIRST_DELAY_SECONDS: Final = 2.0
LONGEST_DELAY_SECONDS: Final = 900.0


@dataclass(frozen=True, slots=True)
class CitedText:
    """One evidence item of the ingest. What `is_withheld` was held and not released: nothing reads it.

    `record` is the name of its source revision and its metadata, if it has a source.
    """

    evidence_id: str
    content: str
    is_withheld: bool
    record: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """What is left to place. `waiting` is by position in the submission; `evidence` by index."""

    lease: Lease
    profile_id: str
    entities: Mapping[str, EntityProposal]
    evidence: Mapping[int, CitedText]
    citations: Mapping[tuple[str, tuple[Span, ...]], str]
    waiting: Mapping[int, RelationshipProposal]
    predicates: Mapping[str, Predicate]
    write_threshold: float

    @property
    def team_id(self) -> str:
        return self.lease.team_id

    @property
    def ingest_id(self) -> str:
        return self.lease.item_id


@dataclass(frozen=True, slots=True)
class Delay:
    """A proposal that the verifier gave no verdict on; it waits for another try, so long at least."""

    proposal_id: str
    code: str
    least_seconds: float = 0


async def begin_placement(w: Writing, lease: Lease) -> Work:
    """Leave the ingest `processing` and return what is not placed yet.

    Raises:
        LeaseLost: somebody else owns the ingest.
    """
    await hold(w, lease)
    params: dict[str, object] = {"team_id": lease.team_id, "ingest_id": lease.item_id}
    ingest = await w.fetch_one(_BEGIN, params)
    assert ingest is not None, "a placement's ingest is stored before it becomes due"
    entities, proposals = apply_choices(
        *from_stored(ingest["proposal"]), await read_choices(w, lease.team_id, lease.item_id)
    )
    texts = {
        row.pop("evidence_index"): CitedText(**row | {"record": tuple(row["record"])})
        for row in await w.fetch_all(_EVIDENCE, params)
    }
    contents = [text.content for text in texts.values() if not text.is_withheld]
    waiting = await w.fetch_all(_WAITING, params)
    configuration = await effective_configuration(w, lease.team_id)
    return Work(
        lease=lease,
        profile_id=ingest["profile_id"],
        entities={entity.ref: entity for entity in keep_backed_aliases(entities, contents)},
        evidence=texts,
        citations=await find_citations(w, lease.team_id, [text.evidence_id for text in texts.values()]),
        waiting={row["position"]: proposals[row["position"]] for row in waiting},
        predicates=await list_predicates(w, lease.team_id),
        write_threshold=configuration.write_threshold,
    )


async def end_placement(w: Writing, lease: Lease, delays: Sequence[Delay]) -> None:
    """Leave the ingest finished; with delays, queued for another try that costs no attempt.

    Raises:
        LeaseLost: somebody else owns the ingest.
    """
    if delays:
        # Each try raises the epoch twice: it is leased and handed back.
        delay_seconds = min(FIRST_DELAY_SECONDS * 2 ** min(lease.epoch // 2, 16), LONGEST_DELAY_SECONDS)
        delay_seconds = max(delay_seconds, *(delay.least_seconds for delay in delays))
        errors = [
            {"code": delay.code, "proposal_id": delay.proposal_id, "message": "The verifier did not answer."}
            for delay in delays
        ]
        await hold(w, lease)
        await _set_state(w, lease, "queued", errors)
        await hand_back(w, lease, delay_seconds=delay_seconds)
        return
    await hold(w, lease)
    state = await placement_state(w, lease.team_id, lease.item_id)
    await _set_state(w, lease, state, [])
    if state == "queued":
        # A review was resolved, or an endpoint merged, while this worker was at work.
        await hand_back(w, lease)
    else:
        await finish(w, lease)


async def give_up(w: Writing, lease: Lease) -> None:
    """Leave every proposal that is not placed as `processing_failed`, and the ingest finished.

    Raises:
        LeaseLost: somebody else owns the ingest.
    """
    await hold(w, lease)
    given_up = await w.execute(_GIVE_UP, {"team_id": lease.team_id, "ingest_id": lease.item_id})
    if not given_up:
        await end_placement(w, lease, [])
        return
    error = {"code": "attempts_exhausted", "proposal_id": None, "message": "Placing failed three times."}
    await _set_state(w, lease, "failed", [error])
    await finish(w, lease)


async def _set_state(
    w: Writing, lease: Lease, state: ProcessingState, errors: Sequence[Mapping[str, object]]
) -> None:
    await set_placement_state(w, lease.team_id, lease.item_id, state, errors)


_BEGIN: LiteralString = """
    UPDATE ingests SET processing_state = 'processing', errors = '[]'
    WHERE team_id = %(team_id)s AND id = %(ingest_id)s
    RETURNING profile_id, proposal
"""
_EVIDENCE: LiteralString = """
    SELECT item.evidence_index, evidence.id AS evidence_id, evidence.content,
           evidence.state IN ('quarantined', 'discarded')
           OR (evidence.state = 'retracted' AND evidence.quarantine_reason IS NOT NULL) AS is_withheld,
           CASE WHEN evidence.source_id IS NULL THEN '[]'::jsonb
                ELSE jsonb_build_array(coalesce(revision.name, evidence.source_revision), evidence.metadata)
           END AS record
    FROM ingest_evidence AS item
    JOIN evidence ON evidence.team_id = item.team_id AND evidence.id = item.evidence_id
    LEFT JOIN source_revisions AS revision
      ON revision.team_id = evidence.team_id AND revision.source_id = evidence.source_id
     AND revision.revision = evidence.source_revision
    WHERE item.team_id = %(team_id)s AND item.ingest_id = %(ingest_id)s
"""
_WAITING: LiteralString = """
    SELECT position FROM placement_outcomes
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND category IS NULL ORDER BY position
"""
_GIVE_UP: LiteralString = """
    UPDATE placement_outcomes
    SET category = 'processing_failed', reason = 'attempts_exhausted', placed_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND category IS NULL
"""
