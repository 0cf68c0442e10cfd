"""What was done: a team's operators read the acts on their team, an admin those of admins and the host."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Response

from app.api.answers import answer_page, refusals
from app.api.auth import Overseer
from app.api.door import DoorHere
from app.api.queries import QueryOf
from app.api.wire.audit import AuditEventAnswer, AuditQuery
from app.api.wire.shapes import Listed
from app.kernel.database import Scope
from app.tenancy.audit import list_instance_audit, list_team_audit
from app.tenancy.callers import Admin

router: Final = APIRouter(tags=["admin"])


@router.get(
    "/v1/audit",
    operation_id="list_audit_events",
    response_model=Listed[AuditEventAnswer],
    responses=refusals(),
)
async def list_audit_route(
    door: DoorHere, overseer: Overseer, query: Annotated[AuditQuery, Depends(QueryOf(AuditQuery))]
) -> Response:
    """Acts on the key's team, newest first; with an admin key, those of admins and the host on any team."""
    if isinstance(overseer, Admin):
        async with door.database.reading(Scope("app")) as reading:
            page = await list_instance_audit(
                reading, action=query.action, limit=query.limit, cursor=query.cursor
            )
    else:
        team_id = overseer.team_id
        async with door.database.reading(Scope("app", team_id)) as reading:
            page = await list_team_audit(
                reading, team_id, action=query.action, limit=query.limit, cursor=query.cursor
            )
    return answer_page(page, AuditEventAnswer.model_validate)
