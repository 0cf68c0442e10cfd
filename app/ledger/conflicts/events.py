"""The story of a conflict case: what the case itself, which only says how it stands, does not keep."""

from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.vocabulary import CaseEvent


async def note_case(
    w: Writing,
    team_id: str,
    case_id: str,
    event: CaseEvent,
    *,
    actor_profile_id: str | None,
    preferred_position_id: str | None = None,
    reason: str | None = None,
) -> None:
    """Leave the event recorded."""
    await w.execute(
        _INSERT,
        {
            "team_id": team_id,
            "case_id": case_id,
            "event": event,
            "preferred_position_id": preferred_position_id,
            "reason": reason,
            "actor_profile_id": actor_profile_id,
        },
    )


_INSERT: LiteralString = """
    INSERT INTO conflict_events (team_id, case_id, event, preferred_position_id, reason, actor_profile_id)
    VALUES (%(team_id)s, %(case_id)s, %(event)s, %(preferred_position_id)s, %(reason)s, %(actor_profile_id)s)
"""
