"""Resolving a review: the choice is recorded, and what was held goes on from there.

A held proposal is put back into its ingest's placement, where it is examined, verified and placed like any
other: the choice only replaces what was unclear. A held Relationship was verified already; its supports are
weighed again, and it goes on as `held_positions` says.

Only the owner decides about a Relationship or a proposal; an operator may also say which Entity, predicate,
scope or window a proposal means, because that changes nobody's position.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading, Writing
from app.kernel.errors import Forbidden, WrongState
from app.ledger.nodes.entities import EntityDraft, create_entities, follow_merges
from app.ledger.nodes.names import fold_name
from app.ledger.predicates.registry import list_predicates
from app.ledger.relationships.rows import find_relationships
from app.ledger.reviews import Review, close_review, get_review
from app.queue.leases import lock_item, reopen
from app.remember.aliases import keep_backed_aliases
from app.remember.generic_names import is_generic_name
from app.remember.held_positions import go_on
from app.remember.intake import PLACEMENT
from app.remember.placement_state import placement_state, set_placement_state
from app.remember.review_choices import ACCEPT, NEW, REJECT, UNSCOPED, check_choice, refuse_choice
from app.remember.submission import EntityProposal, from_stored
from app.tenancy.callers import Caller


async def resolve_review(
    w: Writing, caller: Caller, review_id: str, *, choice: str, reason: str | None, now: datetime
) -> Review:
    """Leave the review resolved, and what it held on its way; return it as it stands now.

    Raises:
        NotFound: malformed, missing or another team's.
        Forbidden: `not_owner`; `missing_scope`, for an Entity of another name, or of one letter.
        InvalidInput: `choice_invalid`.
        WrongState: it is resolved already.
    """
    review = await get_review(w, caller.team_id, review_id)
    await _check_right(w, caller, review)
    check_choice(review, choice, await list_predicates(w, caller.team_id))
    if review.status != "open":
        raise WrongState("The review is resolved already.")
    if review.relationship_id is not None:
        await go_on(w, caller, review, choice=choice, reason=reason, now=now)
    else:
        await _decide_proposal(w, caller, review, choice=choice, reason=reason)
    return await get_review(w, caller.team_id, review_id)


async def _check_right(reading: Reading, caller: Caller, review: Review) -> None:
    params = {"team_id": caller.team_id, "ingest_id": review.ingest_id}
    if review.relationship_id is not None:
        [held] = await find_relationships(reading, caller.team_id, [review.relationship_id])
        owner_id = held.owner_profile_id
    else:
        ingest = await reading.fetch_one(_INGEST, params)
        owner_id = "" if ingest is None else ingest["profile_id"]
    is_operator = review.relationship_id is None and "operate" in caller.scopes
    if owner_id != caller.profile_id and not is_operator:
        raise Forbidden("Only the owner of what is held decides about it.", code="not_owner")


async def _decide_proposal(
    w: Writing, caller: Caller, review: Review, *, choice: str, reason: str | None
) -> None:
    """Close the task, and every other one about the same Entity of the same submission, with the choice."""
    team_id, ingest_id = caller.team_id, review.ingest_id or ""
    await lock_item(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)
    params: dict[str, object] = {
        "team_id": team_id,
        "ingest_id": ingest_id,
        "review_id": review.review_id,
        "entity_ref": review.entity_ref,
    }
    same = [row["id"] for row in await w.fetch_all(_SAME_QUESTION, params)]
    stored: Mapping[str, object] = {"choice": choice}
    if choice != REJECT:
        stored = {**stored, **await _meaning(w, caller, review, choice)}
    # The task itself first: if somebody was faster, nothing of this remains.
    for review_id in [review.review_id, *(one for one in same if one != review.review_id)]:
        await close_review(w, team_id, review_id, choice=stored, reason=reason, profile_id=caller.profile_id)
    held = {"team_id": team_id, "review_ids": [review.review_id, *same]}
    await w.execute(_REJECT if choice == REJECT else _PLACE_AGAIN, held)
    await set_placement_state(w, team_id, ingest_id, await placement_state(w, team_id, ingest_id))
    if choice != REJECT:
        await reopen(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)


async def _meaning(w: Writing, caller: Caller, review: Review, choice: str) -> dict[str, object]:
    """Return what placing reads of the choice; a new Entity is made here, so that it is made once."""
    if review.kind == "predicate":
        return {"predicate_key": choice}
    if review.kind == "temporal":
        return {"keeps_window": choice == ACCEPT}
    if review.kind == "scope":
        return {"scope": None if choice == UNSCOPED else choice.strip()}
    ingest = await w.fetch_one(_INGEST, {"team_id": caller.team_id, "ingest_id": review.ingest_id})
    assert ingest is not None, "a proposal's review names its ingest"
    entities, _ = from_stored(ingest["proposal"])
    named = next((entity for entity in entities if entity.ref == review.entity_ref), None)
    if choice != NEW:
        return {"entity_id": await _choose(w, caller, choice, named)}
    if named is None:
        raise refuse_choice("The submission does not say which Entity is meant; choose one by its id.")
    # Whatever the question was: a letter with a hint to something else is asked about as a wrong hint.
    if any(map(is_generic_name, (named.name, *named.aliases))) and "operate" not in caller.scopes:
        raise Forbidden("Only an operator says that a letter is a thing's name.", code="missing_scope")
    texts = await w.fetch_all(_TEXTS, {"team_id": caller.team_id, "ingest_id": review.ingest_id})
    [named] = keep_backed_aliases([named], [row["content"] for row in texts])
    draft = EntityDraft(named.entity_kind, named.name, named.aliases)
    [created] = await create_entities(w, caller.team_id, [draft], profile_id=ingest["profile_id"])
    return {"entity_id": created.entity_id}


async def _choose(w: Writing, caller: Caller, choice: str, named: EntityProposal | None) -> str:
    """Return the id of the chosen Entity, or of what it is merged into.

    One that has another name than the evidence uses is chosen by operators only: by choosing it, whoever submitted
    could make evidence about one thing say something of another.
    """
    found = await follow_merges(w, caller.team_id, [choice])
    if choice not in found:
        raise refuse_choice("There is no such Entity.")
    names = {fold_name(name) for name in found[choice].names}
    if (named is None or fold_name(named.name) not in names) and "operate" not in caller.scopes:
        raise Forbidden("Only an operator says that a thing has another name.", code="missing_scope")
    return found[choice].entity_id


_TEXTS: LiteralString = """
    SELECT evidence.content FROM ingest_evidence AS item
    JOIN evidence ON evidence.team_id = item.team_id AND evidence.id = item.evidence_id
    WHERE item.team_id = %(team_id)s AND item.ingest_id = %(ingest_id)s
      AND (evidence.state = 'active' OR evidence.quarantine_reason IS NULL)
"""
_INGEST: LiteralString = """
    SELECT profile_id, proposal FROM ingests WHERE team_id = %(team_id)s AND id = %(ingest_id)s
"""
_SAME_QUESTION: LiteralString = """
    SELECT id FROM review_tasks
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND status = 'open' AND kind = 'identity'
      AND relationship_id IS NULL AND entity_ref = %(entity_ref)s
    ORDER BY id FOR UPDATE
"""
_PLACE_AGAIN: LiteralString = """
    UPDATE placement_outcomes
    SET category = NULL, reason = NULL, review_id = NULL, predicate_options = '{}', placed_at = NULL
    WHERE team_id = %(team_id)s AND review_id = ANY (%(review_ids)s)
"""
_REJECT: LiteralString = """
    UPDATE placement_outcomes
    SET category = 'relationship_rejected', reason = 'review_rejected', placed_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND review_id = ANY (%(review_ids)s)
"""
