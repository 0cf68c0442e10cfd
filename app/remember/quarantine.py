"""What becomes of held evidence: an operator releases or discards it, once, or its submitter takes it back.

Released, it is evidence like any other, and every proposal that it held goes through all steps from the first.
Discarded or taken back, it ends those proposals, whatever else they cite: what was held was the proposal as well.
The source revision that brought it stays the current one either way; the source did change, and an older revision
comes back only by being submitted again, as the one that follows it.
"""

from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import NotFound, WrongState
from app.kernel.ids import is_id
from app.ledger.retraction import Changed, retract_evidence
from app.ledger.vocabulary import EvidenceState, QuarantineDecision
from app.queue.leases import lock_item, reopen
from app.remember.intake import PLACEMENT
from app.remember.lost_evidence import withdraw_questions
from app.remember.outcome_rows import end_held_proposals
from app.remember.placement_state import placement_state, set_placement_state
from app.tenancy.callers import Caller


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided about one item. `goes_on` are the proposals that the release put back, by their ids."""

    evidence_id: str
    state: EvidenceState
    ingest_id: str | None
    goes_on: tuple[str, ...]
    is_changed: bool


async def decide_quarantined(
    w: Writing, caller: Caller, evidence_id: str, decision: QuarantineDecision, *, reason: str | None
) -> Decided:
    """Leave the held item released or discarded, and its proposals due again or ended. Again changes nothing.

    Raises:
        NotFound: malformed, missing or another team's.
        WrongState: it was never held, is decided otherwise, or was taken back.
    """
    team_id = caller.team_id
    params: dict[str, object] = {"team_id": team_id, "id": evidence_id}
    item = await w.fetch_one(_ITEM, params) if is_id(evidence_id, "evd") else None
    if item is None:
        raise NotFound("No such evidence.")
    ingest_id: str | None = item["ingest_id"]
    if ingest_id is not None:
        # Before the evidence, as the worker takes them: whoever places now is done when this goes on.
        await lock_item(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)
    await w.execute(_LOCK, params)
    # A statement of its own: only that sees what was committed while this one waited for the lock.
    row = await w.fetch_one(_STANDING, params)
    assert row is not None, "evidence is never deleted"
    if row["decision"] == decision:
        return Decided(evidence_id, row["state"], ingest_id, (), is_changed=False)
    if row["state"] != "quarantined":
        raise WrongState(f"The evidence is not held: it is {row['decision'] or row['state']}.")
    state: EvidenceState = "active" if decision == "released" else "discarded"
    await w.execute(
        _DECIDE,
        {
            **params,
            "state": state,
            "decision": decision,
            "reason": reason,
            "profile_id": caller.profile_id,
        },
    )
    goes_on: tuple[str, ...] = ()
    if decision == "discarded":
        await end_held_proposals(w, team_id, [evidence_id], reason="evidence_discarded")
    elif ingest_id is not None:
        goes_on = await _place_again(w, team_id, ingest_id, evidence_id)
    return Decided(evidence_id, state, ingest_id, goes_on, is_changed=True)


async def take_evidence_back(
    w: Writing, caller: Caller, evidence_id: str, *, note: str | None
) -> tuple[Changed, ...]:
    """Leave the caller's own evidence `retracted`, and ended what it held or what was asked about it alone.

    See `retract_evidence`.
    """
    changed = await retract_evidence(w, caller, evidence_id, note=note)
    if changed:
        reason = "evidence_retracted"
        await end_held_proposals(w, caller.team_id, [evidence_id], reason=reason)
        await withdraw_questions(w, caller.team_id, {evidence_id: reason}, profile_id=caller.profile_id)
    return changed


async def _place_again(w: Writing, team_id: str, ingest_id: str, evidence_id: str) -> tuple[str, ...]:
    """Leave what the item held due for the worker; what other held items hold as well is held again there."""
    rows = await w.fetch_all(_PLACE_AGAIN, {"team_id": team_id, "id": evidence_id})
    if rows:
        await set_placement_state(w, team_id, ingest_id, await placement_state(w, team_id, ingest_id))
        await reopen(w, team_id=team_id, kind=PLACEMENT, item_id=ingest_id)
    return tuple(row["proposal_id"] for row in sorted(rows, key=lambda row: int(row["position"])))


_ITEM: LiteralString = """
    SELECT item.ingest_id
    FROM evidence LEFT JOIN ingest_evidence AS item
      ON item.team_id = evidence.team_id AND item.evidence_id = evidence.id
    WHERE evidence.team_id = %(team_id)s AND evidence.id = %(id)s
"""
_LOCK: LiteralString = """
    SELECT FROM evidence WHERE team_id = %(team_id)s AND id = %(id)s FOR NO KEY UPDATE
"""
_STANDING: LiteralString = """
    SELECT evidence.state, decided.decision
    FROM evidence LEFT JOIN evidence_decisions AS decided
      ON decided.team_id = evidence.team_id AND decided.evidence_id = evidence.id
    WHERE evidence.team_id = %(team_id)s AND evidence.id = %(id)s
"""
_DECIDE: LiteralString = """
    WITH changed AS (
        UPDATE evidence SET state = %(state)s WHERE team_id = %(team_id)s AND id = %(id)s
    )
    INSERT INTO evidence_decisions (team_id, evidence_id, decision, reason, actor_profile_id)
    VALUES (%(team_id)s, %(id)s, %(decision)s, %(reason)s, %(profile_id)s)
"""
_PLACE_AGAIN: LiteralString = """
    UPDATE placement_outcomes AS outcome
    SET category = NULL, reason = NULL, placed_at = NULL
    FROM ingest_evidence AS item
    JOIN ingests ON ingests.team_id = item.team_id AND ingests.id = item.ingest_id
    WHERE item.team_id = %(team_id)s AND item.evidence_id = %(id)s
      AND outcome.team_id = item.team_id AND outcome.ingest_id = item.ingest_id
      AND outcome.category = 'evidence_quarantined'
      AND EXISTS (
          SELECT FROM jsonb_array_elements(
              ingests.proposal->'relationships'->outcome.position->'evidence') AS span
          WHERE (span->>0)::int = item.evidence_index)
    RETURNING outcome.proposal_id, outcome.position
"""
