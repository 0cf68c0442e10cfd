"""Intake: a guarded submission is stored, in the caller's transaction, and its placement becomes due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import FieldError, InvalidInput
from app.kernel.ids import is_id, new_id
from app.ledger.evidence.rows import CitationDraft, EvidenceDraft, insert_citations, insert_evidence
from app.ledger.evidence.sources import EnteredRevision, RevisionDraft, enter_revision
from app.ledger.reweigh import reweigh_relationships
from app.ledger.vocabulary import Span
from app.queue.leases import enqueue
from app.remember.claim import Citation
from app.remember.guard.guard import Guarded
from app.remember.lost_evidence import withdraw_questions
from app.remember.outcome_rows import end_held_proposals
from app.remember.outcomes import ProcessingState
from app.remember.submission import EvidenceItem, RelationshipProposal, Submission, as_stored
from app.tenancy.authority import cap_authority
from app.tenancy.callers import Caller

PLACEMENT = "placement"


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the caller is told at once; the placement is asked for by `ingest_id`."""

    ingest_id: str
    processing_state: ProcessingState


async def accept(w: Writing, caller: Caller, guarded: Guarded, *, correlation_id: str) -> Accepted:
    """Leave ingest, evidence, citations and open outcomes stored and the placement due.

    What is stored has been guarded (`guarding.guard`): secrets are masked in place, and evidence that tries to
    instruct a model is held in quarantine.
    A new source revision makes the old one non-current at once, whatever becomes of the new evidence, and
    evidence that is superseded counts no longer. Authority is capped by the caller's key.

    Raises:
        InvalidInput: `unknown_evidence`, for superseded evidence that is malformed, missing, foreign or another
            profile's.
        WrongState: `stale_revision`, for a revision that does not follow its source's current one.
    """
    submission = guarded.submission
    held = {one.evidence_index: one.reason for one in guarded.quarantined}
    superseded = await _check_superseded(w, caller, submission.evidence)
    entered = await _enter_revisions(w, caller, submission.evidence)
    drafts = [
        _draft_evidence(caller, item, entered, held.get(index))
        for index, item in enumerate(submission.evidence)
    ]
    evidence_ids = await insert_evidence(w, caller.team_id, caller.profile_id, drafts)
    await _drop_outdated(w, caller, superseded, list(entered.values()))
    ingest_id = new_id("ing")
    await _insert_ingest(w, caller, submission, ingest_id, correlation_id=correlation_id)
    params: dict[str, object] = {"team_id": caller.team_id, "ingest_id": ingest_id}
    await w.execute(_INSERT_EVIDENCE, params | {"evidence_ids": evidence_ids})
    citations = [
        CitationDraft(evidence_ids[index], spans, Citation(submission.evidence[index].content, spans).quote)
        for proposal in submission.relationships
        for index, spans in cited_spans(proposal).items()
    ]
    await insert_citations(w, caller.team_id, citations)
    ids = [proposal.proposal_id for proposal in submission.relationships]
    await w.execute(_INSERT_OUTCOMES, params | {"proposal_ids": ids})
    await enqueue(w, team_id=caller.team_id, kind=PLACEMENT, item_id=ingest_id)
    return Accepted(ingest_id, "queued")


def cited_spans(proposal: RelationshipProposal) -> dict[int, tuple[Span, ...]]:
    """Return the proposal's citations: by evidence index, the spans in reading order.

    The client's order does not count: pieces that are put together in another order could say the opposite.
    """
    indices = sorted({span.evidence_index for span in proposal.evidence})
    return {
        index: tuple(
            Span(span.start, span.end)
            for span in sorted(proposal.evidence, key=lambda span: span.start)
            if span.evidence_index == index
        )
        for index in indices
    }


async def _check_superseded(w: Writing, caller: Caller, evidence: Sequence[EvidenceItem]) -> list[str]:
    named = {one for item in evidence for one in item.supersedes_evidence_ids}
    if not named:
        return []
    own = await w.fetch_all(
        _OWN_EVIDENCE,
        {
            "team_id": caller.team_id,
            "profile_id": caller.profile_id,
            "ids": sorted(one for one in named if is_id(one, "evd")),
        },
    )
    known = {row["id"] for row in own}
    faults = tuple(
        FieldError(
            f"evidence.{index}.supersedes_evidence_ids.{place}", "unknown", "No such evidence of yours."
        )
        for index, item in enumerate(evidence)
        for place, one in enumerate(item.supersedes_evidence_ids)
        if one not in known
    )
    if faults:
        raise InvalidInput("The superseded evidence is not known.", code="unknown_evidence", errors=faults)
    return sorted(known)


async def _enter_revisions(
    w: Writing, caller: Caller, evidence: Sequence[EvidenceItem]
) -> dict[str, EnteredRevision]:
    """Return each source's revision by its key; in the order of the keys, since sources are waited for."""
    entered = {}
    for key in sorted({item.source_key for item in evidence if item.source_key is not None}):
        items = [item for item in evidence if item.source_key == key]
        draft = RevisionDraft(
            source_key=key,
            revision=items[0].source_revision,
            previous_revision=items[0].previous_source_revision,
            contents=tuple(item.content for item in items),
        )
        entered[key] = await enter_revision(w, caller.team_id, caller.profile_id, draft)
    return entered


def _draft_evidence(
    caller: Caller,
    item: EvidenceItem,
    entered: Mapping[str, EnteredRevision],
    quarantine_reason: str | None,
) -> EvidenceDraft:
    source = None if item.source_key is None else entered[item.source_key]
    return EvidenceDraft(
        content=item.content,
        source_type=item.source_type,
        authority=cap_authority(item.authority, caller.max_authority),
        source_group=item.source_group or item.source_key or caller.profile_id,
        source_id=None if source is None else source.source_id,
        source_revision=None if source is None else source.revision,
        supersedes_evidence_ids=item.supersedes_evidence_ids,
        labels=item.labels,
        metadata=dict(item.metadata),
        quarantine_reason=quarantine_reason,
    )


async def _drop_outdated(
    w: Writing, caller: Caller, superseded: list[str], entered: Sequence[EnteredRevision]
) -> None:
    """Let superseded evidence and replaced revisions support nothing and ask nothing any longer, in one go."""
    params: dict[str, object] = {"team_id": caller.team_id}
    reasons = dict.fromkeys(superseded, "evidence_superseded")
    if superseded:
        await w.execute(_RETRACT, params | {"ids": superseded})
        await end_held_proposals(w, caller.team_id, superseded, reason="evidence_superseded")
    for one in entered:
        if one.replaced is None:
            continue
        rows = await w.fetch_all(_OUTDATED, params | {"source_id": one.source_id, "revision": one.replaced})
        reasons |= dict.fromkeys((row["id"] for row in rows), "source_revision_replaced")
    if reasons:
        await reweigh_relationships(w, caller.team_id, reasons, actor_profile_id=caller.profile_id)
        await withdraw_questions(w, caller.team_id, reasons, profile_id=caller.profile_id)


async def _insert_ingest(
    w: Writing, caller: Caller, submission: Submission, ingest_id: str, *, correlation_id: str
) -> None:
    await w.execute(
        _INSERT_INGEST,
        {
            "team_id": caller.team_id,
            "id": ingest_id,
            "profile_id": caller.profile_id,
            "max_authority": caller.max_authority,
            "proposal": as_stored(submission),
            "correlation_id": correlation_id,
        },
    )


_OWN_EVIDENCE: LiteralString = """
    SELECT id FROM evidence
    WHERE team_id = %(team_id)s AND profile_id = %(profile_id)s AND id = ANY (%(ids)s)
    ORDER BY id FOR NO KEY UPDATE
"""
_RETRACT: LiteralString = """
    UPDATE evidence SET state = 'retracted', retracted_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) AND state IN ('active', 'quarantined')
"""
_OUTDATED: LiteralString = """
    SELECT id FROM evidence
    WHERE team_id = %(team_id)s AND source_id = %(source_id)s AND source_revision = %(revision)s
"""
_INSERT_INGEST: LiteralString = """
    INSERT INTO ingests (team_id, id, profile_id, max_authority, proposal, correlation_id, processing_state)
    VALUES (%(team_id)s, %(id)s, %(profile_id)s, %(max_authority)s, %(proposal)s, %(correlation_id)s, 'queued')
"""
_INSERT_EVIDENCE: LiteralString = """
    INSERT INTO ingest_evidence (team_id, ingest_id, evidence_index, evidence_id)
    SELECT %(team_id)s, %(ingest_id)s, place - 1, evidence_id
    FROM unnest(%(evidence_ids)s::text[]) WITH ORDINALITY AS item (evidence_id, place)
"""
_INSERT_OUTCOMES: LiteralString = """
    INSERT INTO placement_outcomes (team_id, ingest_id, position, proposal_id)
    SELECT %(team_id)s, %(ingest_id)s, place - 1, proposal_id
    FROM unnest(%(proposal_ids)s::text[]) WITH ORDINALITY AS item (proposal_id, place)
"""
