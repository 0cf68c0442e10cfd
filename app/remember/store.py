"""Writing one decision down: the Relationship, its verdicts and supports, and what follows for others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.kernel.database import Writing
from app.ledger.conflicts.closing import close_cases
from app.ledger.conflicts.consequences import Consequences
from app.ledger.conflicts.entrance import open_cases
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.evidence.supports import VerdictDraft, record_verdicts
from app.ledger.nodes.typed_values import value_text
from app.ledger.predicates.registry import list_predicates
from app.ledger.relationships.rows import (
    Change,
    StoredRelationship,
    change_relationship,
    effect_of,
    insert_relationship,
)
from app.ledger.reviews import ReviewDraft, open_review, open_review_of
from app.ledger.vocabulary import ENDED, HOLDING, Status, TransitionEffect
from app.remember.document import write_document
from app.remember.ended_reviews import end_reviews
from app.remember.examine import Ready
from app.remember.judging import Judged
from app.remember.placement import Decision
from app.remember.work import Work


@dataclass(frozen=True, slots=True)
class Placing:
    """A judged proposal with its object's row id and the verifier that judged it."""

    work: Work
    position: int
    ready: Ready
    object_value_id: str | None
    judged: tuple[Judged, ...]
    verifier_kind: str
    verifier_version: str
    now: datetime


async def store_position(
    w: Writing,
    placing: Placing,
    new: StoredRelationship,
    own: StoredRelationship | None,
    decision: Decision,
    following: Consequences,
) -> tuple[StoredRelationship, str | None]:
    """Leave the Relationship stored with its verdicts and supports; return it and its review task's id, if any.

    `own` is the profile's stored position that `new` is another submission of.
    """
    team_id = placing.work.team_id
    review = following.review
    status: Status = "needs_review" if review else decision.status
    if own is None:
        stored = await _insert(w, placing, new, decision, status)
    else:
        change = Change(
            reason="remembered",
            effect=effect_of(own.status, status),
            actor_profile_id=placing.work.profile_id,
            tier=decision.tier,
            status=status,
            valid_to=new.valid_to if decision.granted else None,
            modality="statement",
            is_assessed=decision.is_assessed,
        )
        stored = await change_relationship(w, team_id, own, change)
    await _record_verdicts(w, placing, stored.relationship_id, decision)
    if status == "superseded" and decision.granted:
        # Asked once, however much is said meanwhile.
        if (open_id := await open_review_of(w, team_id, stored.relationship_id)) is not None:
            return stored, open_id
        review = ("temporal", "superseded_already")
    if review is None:
        return stored, None
    draft = ReviewDraft(
        kind=review[0],
        reason=review[1],
        relationship_id=stored.relationship_id,
        ingest_id=placing.work.ingest_id,
        proposal_id=placing.ready.proposal.proposal_id,
    )
    return stored, await open_review(w, team_id, draft)


async def carry_out(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    own: StoredRelationship | None,
    related: Sequence[StoredRelationship],
    following: Consequences,
) -> dict[str, StoredRelationship]:
    """Leave old windows closed and conflicts open, as they follow from `stored` being active.

    `own` is the position as it was before. Every Relationship in a position that now stands in a conflict gets its
    transition, whoever owns it; cases and disputes that lost a side end, and so do the reviews of what was held
    and is corrected now. Returns all of them as they stand, by id.
    """
    actor_id = stored.owner_profile_id
    current = {one.relationship_id: one for one in related} | {stored.relationship_id: stored}
    for closing in following.closings:
        change = Change(
            reason="superseded",
            effect="source_lost" if closing.status == "superseded" else "harmless",
            actor_profile_id=actor_id,
            status=closing.status,
            valid_to=closing.valid_to,
        )
        old = await change_relationship(w, team_id, closing.stored, change)
        current[old.relationship_id] = old
    current |= await open_cases(w, team_id, stored, own, current, following)
    closed = [current[closing.stored.relationship_id] for closing in following.closings]
    ended = [one for one in closed if one.status in ENDED]
    await end_reviews(w, team_id, ended, reason="relationship_superseded", profile_id=actor_id)
    settled = await settle_withdrawn(w, team_id, closed, current, actor_profile_id=actor_id)
    current |= {one.relationship_id: one for one in settled}
    if own is not None and own.status in HOLDING and own.valid_to != stored.valid_to:
        # With another window it may not meet any more what it met.
        predicates = await list_predicates(w, team_id)
        groups = [stored.semantic_group_key]
        await close_cases(w, team_id, groups, current, predicates, actor_profile_id=actor_id)
    return current


def document(ready: Ready) -> str:
    """Return what full-text search reads: the statement and every name."""
    object_names: tuple[str, ...] = () if ready.value is None else (value_text(ready.value),)
    if ready.object_entity is not None:
        object_names = ready.object_entity.names
    return write_document(
        ready.subject.names, ready.predicate, object_names, polarity=ready.proposal.polarity
    )


async def _insert(
    w: Writing, placing: Placing, new: StoredRelationship, decision: Decision, status: Status
) -> StoredRelationship:
    is_eligible = status == "active" or (status == "pending_evidence" and decision.is_assessed)
    stored = replace(
        new, tier=decision.tier, status=status, eligible_since=placing.now if is_eligible else None
    )
    effect: TransitionEffect = "became_active" if status == "active" else "harmless"
    await insert_relationship(
        w, placing.work.team_id, stored, reason="remembered", effect=effect, document=document(placing.ready)
    )
    return stored


async def _record_verdicts(w: Writing, placing: Placing, relationship_id: str, decision: Decision) -> None:
    drafts = [
        VerdictDraft(
            citation_id=one.citation_id,
            verdict=one.judgement.verdict,
            confidence=one.judgement.confidence,
            rationale=one.judgement.rationale,
            verifier_kind=placing.verifier_kind,
            verifier_version=placing.verifier_version,
            is_granted=one.citation_id in decision.granted,
        )
        for one in decision.judged
    ]
    await record_verdicts(
        w, placing.work.team_id, relationship_id, drafts, profile_id=placing.work.profile_id
    )
