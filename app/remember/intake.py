"""Intake: a checked submission is stored, in the caller's transaction, and its placement becomes due."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import FieldError, InvalidInput
from app.kernel.ids import is_id, new_id
from app.ledger.evidence import CitationDraft, EvidenceDraft, insert_citations, insert_evidence
from app.ledger.reweigh import reweigh_relationships
from app.ledger.sources import enter_revision
from app.ledger.vocabulary import Span
from app.queue.leases import enqueue
from app.remember.check import check_submission
from app.remember.claim import Citation
from app.remember.outcomes import ProcessingState
from app.remember.submission import EvidenceItem, RelationshipProposal, Submission, as_stored
from app.tenancy.authority import cap_authority
from app.tenancy.callers import Caller

__all__ = ["PLACEMENT", "Accepted", "accept", "check_submission", "cited_spans"]

PLACEMENT = "placement"


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the caller is told at once; the placement is asked for by `ingest_id`."""

    ingest_id: str
    processing_state: ProcessingState


async def accept(w: Writing, caller: Caller, submission: Submission, *, correlation_id: str) -> Accepted:
    """Leave ingest, evidence, citations and open outcomes stored and the placement due.

    A new source revision makes the old one non-current at once, whatever becomes of the new evidence, and
    evidence that is superseded counts no longer. Authority is capped by the caller's key.

    Raises:
        InvalidInput: with every fault of the submission; `unknown_evidence` for superseded evidence that is
            malformed, missing, foreign or another profile's.
    """
    check_submission(submission)
    superseded = await _check_superseded(w, caller, submission.evidence)
    drafts, replaced = [], []
    for item in submission.evidence:
        draft, replaced_source = await _draft_evidence(w, caller, item)
        drafts.append(draft)
        if replaced_source is not None:
            replaced.append(replaced_source)
    evidence_ids = await insert_evidence(w, caller.team_id, caller.profile_id, drafts)
    await _drop_outdated(w, caller, superseded, replaced)
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


async def _draft_evidence(
    w: Writing, caller: Caller, item: EvidenceItem
) -> tuple[EvidenceDraft, tuple[str, str] | None]:
    """Return the draft and, if its revision replaced another one, the source and its new revision."""
    source_id, revision, is_replacing = None, None, False
    if item.source_key is not None:
        source_id, revision, is_replacing = await enter_revision(
            w,
            caller.team_id,
            caller.profile_id,
            source_key=item.source_key,
            revision=item.source_revision,
            previous_revision=item.previous_source_revision,
        )
    draft = EvidenceDraft(
        content=item.content,
        source_type=item.source_type,
        authority=cap_authority(item.authority, caller.max_authority),
        source_group=item.source_group or item.source_key or caller.profile_id,
        source_id=source_id,
        source_revision=revision,
        supersedes_evidence_ids=item.supersedes_evidence_ids,
        labels=item.labels,
        metadata=dict(item.metadata),
    )
    return draft, (source_id, revision) if is_replacing and source_id and revision is not None else None


async def _drop_outdated(
    w: Writing, caller: Caller, superseded: list[str], replaced: list[tuple[str, str]]
) -> None:
    params: dict[str, object] = {"team_id": caller.team_id}
    if superseded:
        await w.execute(_RETRACT, params | {"ids": superseded})
        await reweigh_relationships(
            w,
            caller.team_id,
            superseded,
            reason="evidence_superseded",
            actor_profile_id=caller.profile_id,
        )
    for source_id, revision in replaced:
        rows = await w.fetch_all(_OUTDATED, params | {"source_id": source_id, "revision": revision})
        await reweigh_relationships(
            w,
            caller.team_id,
            [row["id"] for row in rows],
            reason="source_revision_replaced",
            actor_profile_id=caller.profile_id,
        )


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
    UPDATE evidence SET state = 'retracted'
    WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) AND state = 'active'
"""
_OUTDATED: LiteralString = """
    SELECT id FROM evidence
    WHERE team_id = %(team_id)s AND source_id = %(source_id)s AND source_revision <> %(revision)s
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
