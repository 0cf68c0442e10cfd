"""Placing one proposal, in one transaction: all of it or nothing."""

from collections.abc import Mapping
from dataclasses import replace

from app.kernel.database import Writing
from app.kernel.ids import new_id
from app.ledger.conflicts.consequences import Consequences, find_others, follow
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.evidence.rows import EvidenceStanding, lock_evidence
from app.ledger.evidence.supports import Weight, effective_weights
from app.ledger.identity import Edge, target_identity
from app.ledger.nodes.entities import lock_endpoints
from app.ledger.predicates.registry import hold_predicates
from app.ledger.relationships.neighbours import lock_related, near_of
from app.ledger.relationships.rows import (
    Change,
    StoredRelationship,
    change_relationship,
    find_relationships,
    insert_relationship,
)
from app.ledger.relationships.slots import Neighbourhood, Place, neighbourhood
from app.ledger.reviews import ReviewDraft, open_review, open_review_of
from app.ledger.vocabulary import ENDED, HOLDING, Predicate
from app.queue.leases import hold
from app.remember.examine import Held
from app.remember.judging import Judged
from app.remember.merging.rows import give_window, is_ended_by_undoing
from app.remember.outcome_rows import Outcome, record_outcome
from app.remember.placement import JudgedCitation, categorize, decide_placement
from app.remember.resolve import Known
from app.remember.store import Placing, carry_out, document, store_position
from app.remember.work import Work


async def place_held(w: Writing, work: Work, position: int, held: Held) -> None:
    """Leave the outcome of a proposal that no Relationship is made of, with its review task if it needs one."""
    await hold(w, work.lease)
    proposal = work.waiting[position]
    if held.category == "evidence_quarantined":
        await _place_withheld(w, work, position)
        return
    if held.review is not None and (reason := await _why_in_vain(w, work, position)) is not None:
        await record_outcome(
            w, work.team_id, work.ingest_id, position, Outcome("relationship_rejected", reason)
        )
        return
    review_id = held.review and await open_review(
        w,
        work.team_id,
        ReviewDraft(
            held.review,
            held.reason,
            held.options,
            ingest_id=work.ingest_id,
            proposal_id=proposal.proposal_id,
            entity_ref=held.entity_ref,
        ),
    )
    outcome = Outcome(
        held.category,
        held.reason,
        review_id=review_id,
        predicate_options=held.options if held.review == "predicate" else (),
    )
    await record_outcome(w, work.team_id, work.ingest_id, position, outcome)


async def _why_in_vain(w: Writing, work: Work, position: int) -> str | None:
    """Return why nobody needs to be asked about the proposal: none of its evidence counts any more."""
    standings = (await lock_evidence(w, work.team_id, _cited_by(work, position))).values()
    if any(one.state == "active" and one.is_current for one in standings):
        return None
    is_retracted = all(one.state == "retracted" for one in standings)
    return "evidence_retracted" if is_retracted else "source_revision_not_current"


def _cited_by(work: Work, position: int) -> set[str]:
    return {work.evidence[span.evidence_index].evidence_id for span in work.waiting[position].evidence}


async def _place_withheld(w: Writing, work: Work, position: int) -> None:
    """Say what holds the proposal; one whose evidence was released meanwhile is left to the next try."""
    states = {one.state for one in (await lock_evidence(w, work.team_id, _cited_by(work, position))).values()}
    if "discarded" in states:
        outcome = Outcome("relationship_rejected", "evidence_discarded")
    elif "quarantined" in states:
        outcome = Outcome("evidence_quarantined", "evidence_quarantined")
    elif "retracted" in states:
        outcome = Outcome("relationship_rejected", "evidence_retracted")
    else:
        return
    await record_outcome(w, work.team_id, work.ingest_id, position, outcome)


async def place_relationship(w: Writing, placing: Placing) -> None:
    """Leave the proposal placed: Relationship, verdicts, supports, consequences, outcome.

    An endpoint that was merged since it was found leaves the proposal waiting for the next try.

    Raises:
        LeaseLost: somebody else owns the ingest; nothing is written.
    """
    work = placing.work
    await hold(w, work.lease)
    if not await lock_endpoints(w, work.team_id, _endpoint_ids(placing)):
        # One of them was merged away meanwhile: the next try finds the Entity that it is now.
        return
    standings = await lock_evidence(w, work.team_id, [one.evidence_id for one in placing.judged])
    usable = [one for one in placing.judged if standings[one.evidence_id].state == "active"]
    if usable:
        outcome = await _place_usable(w, replace(placing, judged=tuple(usable)), standings)
    else:
        outcome = Outcome("relationship_rejected", "evidence_retracted")
    await record_outcome(w, work.team_id, work.ingest_id, placing.position, outcome)


def _endpoint_ids(placing: Placing) -> list[str]:
    endpoints = (placing.ready.subject, placing.ready.object_entity)
    return [one.entity_id for one in endpoints if isinstance(one, Known)]


async def _place_usable(w: Writing, placing: Placing, standings: Mapping[str, EvidenceStanding]) -> Outcome:
    work, proposal = placing.work, placing.ready.proposal
    correction = proposal.correction_target
    aims = [] if correction is None else [correction.relationship_id]
    aimed_at = await find_relationships(w, work.team_id, aims)
    keys = {placing.ready.predicate.key, *(one.predicate_key for one in aimed_at)}
    # It may let one hold only since the proposal was examined.
    predicates = await hold_predicates(w, work.team_id, keys)
    new, near = _new_position(placing, predicates)
    # What ends with the target may let its opposite hold again, wherever that is.
    nears = [near, *(near_of(work.team_id, one, predicates) for one in aimed_at)]
    related = await lock_related(w, work.team_id, nears)
    own = next((one for one in related if _is_same_position(one, new)), None)
    # Nobody has taken back what only the undoing of a merge ended: it is as if it had never been there.
    is_undone = own is not None and await is_ended_by_undoing(w, work.team_id, own)
    targets = []
    if correction is not None:
        targets = [one for one in related if one.relationship_id == correction.relationship_id]
        refusal = _refuse_target(targets, own, work.profile_id, correction.expected_version)
        if refusal is not None:
            return Outcome("relationship_rejected", refusal)
    citations = [_weigh(one, standings[one.evidence_id]) for one in placing.judged if one.judgement]
    if not citations:
        return await _place_unjudged(w, placing, new, own, is_undone=is_undone)
    if own is not None and is_undone:
        profile_id = work.profile_id
        own = await give_window(w, work.team_id, own, None, reason="remembered", actor_id=profile_id)
    earlier = await effective_weights(w, work.team_id, own.relationship_id) if own else {}
    decision = decide_placement(
        citations,
        status=own.status if own and not is_undone else None,
        earlier=earlier,
        write_threshold=work.write_threshold,
    )
    following = Consequences()
    if decision.granted and decision.status in HOLDING:
        position = new if own is None else replace(own, valid_to=new.valid_to or own.valid_to)
        if decision.status == "active":
            following = follow(position, near, related, targets=targets, now=placing.now)
        else:
            following = find_others(position, near, related)
    stored, review_id = await store_position(w, placing, new, own, decision, following)
    if stored.status in HOLDING:
        await carry_out(w, work.team_id, stored, own, related, following)
    elif own is not None and own.status == "active":
        # Its window has grown over another of its owner's, so it no longer stands beside anything.
        locked = {one.relationship_id: one for one in related}
        await settle_withdrawn(w, work.team_id, [stored], locked, actor_profile_id=work.profile_id)
    if review_id is None and stored.status == "needs_review":
        review_id = await open_review_of(w, work.team_id, stored.relationship_id)
    return Outcome(
        category="relationship_needs_review" if review_id else categorize(stored.tier, stored.status),
        reason=following.review[1] if following.review and review_id else decision.reason,
        relationship_id=stored.relationship_id,
        tier=stored.tier,
        status=stored.status,
        verdict=decision.verdict,
        confidence=decision.confidence,
        review_id=review_id,
    )


def _new_position(
    placing: Placing, predicates: Mapping[str, Predicate]
) -> tuple[StoredRelationship, Neighbourhood]:
    """Return the position as it would be stored, a bare candidate, and where its relatives are."""
    work, ready = placing.work, placing.ready
    proposal, predicate = ready.proposal, predicates[ready.predicate.key]
    scope = None if proposal.scope is None else proposal.scope.strip()
    object_entity_id = ready.object_entity.entity_id if isinstance(ready.object_entity, Known) else None
    assert isinstance(ready.subject, Known)
    edge = Edge(ready.subject.entity_id, predicate.key, object_entity_id or placing.object_value_id or "")
    near = neighbourhood(
        Place(work.team_id, edge, proposal.polarity, scope),
        predicate,
        predicates.get(predicate.inverse_key) if predicate.inverse_key else None,
    )
    new = StoredRelationship(
        relationship_id=new_id("rel"),
        owner_profile_id=work.profile_id,
        subject_entity_id=edge.subject_id,
        predicate_key=predicate.key,
        predicate_version=ready.predicate.version,
        object_entity_id=object_entity_id,
        object_value_id=placing.object_value_id,
        polarity=proposal.polarity,
        modality=proposal.modality,
        scope=scope,
        valid_from=proposal.valid_from,
        valid_to=proposal.valid_to,
        semantic_group_key=near.group_key,
        target_identity=target_identity(edge, predicate),
        tier="candidate",
        status="pending_evidence",
        version=1,
        eligible_since=None,
        client_comment=proposal.client_comment,
    )
    return new, near


def _is_same_position(one: StoredRelationship, new: StoredRelationship) -> bool:
    return (one.owner_profile_id, one.semantic_group_key, one.valid_from) == (
        new.owner_profile_id,
        new.semantic_group_key,
        new.valid_from,
    )


def _refuse_target(
    targets: list[StoredRelationship],
    own: StoredRelationship | None,
    profile_id: str,
    expected_version: int,
) -> str | None:
    if not targets:
        return "correction_target_unknown"
    [target] = targets
    if target.owner_profile_id != profile_id:
        return "not_owner"
    if target.version != expected_version:
        return "stale_input"
    if target.status in ENDED:
        return "correction_target_closed"
    return "correction_target_same" if target == own else None


def _weigh(one: Judged, standing: EvidenceStanding) -> JudgedCitation:
    assert one.judgement is not None
    weight = Weight(standing.profile_id, standing.source_group, standing.authority, standing.counted_text)
    return JudgedCitation(one.citation_id, one.judgement, weight, counts=standing.is_current)


async def _place_unjudged(
    w: Writing, placing: Placing, new: StoredRelationship, own: StoredRelationship | None, *, is_undone: bool
) -> Outcome:
    """Place what got no verdict: an echo, or a question, proposal, speculation or quotation."""
    modality = placing.ready.proposal.modality
    reason = "echo_of_hypothesis" if modality == "statement" else f"modality_{modality}"
    if own is None:
        await insert_relationship(
            w, placing.work.team_id, new, reason=reason, effect="harmless", document=document(placing.ready)
        )
    stored = own or new
    if own is not None and is_undone:
        change = Change(
            reason=reason,
            effect="harmless",
            actor_profile_id=placing.work.profile_id,
            tier="candidate",
            status="pending_evidence",
            modality=new.modality,
        )
        stored = await change_relationship(w, placing.work.team_id, own, change)
    return Outcome(
        "relationship_pending_evidence",
        reason,
        relationship_id=stored.relationship_id,
        tier=stored.tier,
        status=stored.status,
    )
