"""Deciding a conflict case: one position is preferred, or there is no conflict after all.

Deciding changes no tier and no status: it gives the preferred position, or all of them, back to eligibility.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, LiteralString

from app.kernel.database import Writing
from app.kernel.errors import FieldError, InvalidInput, WrongState
from app.ledger.conflicts.cases import Conflict, get_conflict
from app.ledger.conflicts.events import note_case
from app.ledger.relationships.neighbours import lock_groups, lock_with_neighbours
from app.ledger.relationships.rows import Change, change_relationship
from app.ledger.vocabulary import LIVING, TransitionEffect


@dataclass(frozen=True, slots=True)
class CaseDecision:
    """`preferred_position_id` is given exactly if one is preferred."""

    decision: Literal["prefer", "dismiss"]
    preferred_position_id: str | None = None
    reason: str | None = None


async def decide_conflict(
    w: Writing, team_id: str, case_id: str, decision: CaseDecision, *, profile_id: str, now: datetime
) -> Conflict:
    """Leave the case `resolved` or `dismissed`, and each living Relationship in it one version higher.

    Dependents of positions that were not preferred stay stale. Returns the case as it stands now.

    Raises:
        NotFound: malformed, missing or another team's.
        InvalidInput: the preferred position is missing, not wanted, or none of the case's.
        WrongState: the case is closed already.
    """
    case = await get_conflict(w, team_id, case_id, now=now)
    _check_preference(case, decision)
    members = [one for position in case.positions for one in position.relationship_ids]
    await lock_with_neighbours(w, team_id, members)
    groups = {position.semantic_group_key: position.position_id for position in case.positions}
    params: dict[str, object] = {
        "team_id": team_id,
        "case_id": case_id,
        "status": "resolved" if decision.decision == "prefer" else "dismissed",
        "preferred": decision.preferred_position_id,
        "profile_id": profile_id,
        "reason": decision.reason,
        "groups": sorted(groups),
    }
    # A case that gained a side meanwhile is another one than was decided about.
    if await w.fetch_one(_DECIDE, params) is None:
        raise WrongState("The case is closed already, or has changed since it was read.")
    await note_case(
        w,
        team_id,
        case_id,
        "resolved" if decision.decision == "prefer" else "dismissed",
        actor_profile_id=profile_id,
        preferred_position_id=decision.preferred_position_id,
        reason=decision.reason,
    )
    for one in await lock_groups(w, team_id, groups):
        is_out = decision.decision == "prefer" and (
            groups[one.semantic_group_key] != decision.preferred_position_id
        )
        effect: TransitionEffect = "source_lost" if is_out else "harmless"
        if one.status in LIVING:
            change = Change(
                reason="conflict_resolved" if decision.decision == "prefer" else "conflict_dismissed",
                effect=effect,
                actor_profile_id=profile_id,
                restarts=not is_out,
            )
            await change_relationship(w, team_id, one, change)
    return await get_conflict(w, team_id, case_id, now=now)


def _check_preference(case: Conflict, decision: CaseDecision) -> None:
    field, preferred = "preferred_position_id", decision.preferred_position_id
    fault = None
    if decision.decision == "dismiss" and preferred is not None:
        fault = FieldError(field, "not_allowed", "A dismissed case prefers none.")
    elif decision.decision == "prefer" and preferred is None:
        fault = FieldError(field, "missing", "Say which position is preferred.")
    elif preferred is not None and preferred not in {one.position_id for one in case.positions}:
        fault = FieldError(field, "unknown_position", "The case has no such position.")
    if fault is not None:
        raise InvalidInput("The decision does not fit the case.", errors=(fault,))


_DECIDE: LiteralString = """
    UPDATE conflict_cases AS c
    SET status = %(status)s, preferred_position_id = %(preferred)s, closed_at = clock_timestamp(),
        closed_by_profile_id = %(profile_id)s, close_reason = %(reason)s
    WHERE c.team_id = %(team_id)s AND c.id = %(case_id)s AND c.status = 'open'
      AND %(groups)s::text[] = ARRAY(
          SELECT position.semantic_group_key FROM conflict_positions AS position
          WHERE position.team_id = c.team_id AND position.case_id = c.id
          ORDER BY position.semantic_group_key COLLATE "C")
    RETURNING c.id
"""
