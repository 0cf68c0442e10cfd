"""Evidence that the guard held: operators look at it, and release or discard it. Nothing is deleted."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from app.api.answers import answer_given, answer_page, refusals, takes
from app.api.auth import Operator
from app.api.bodies import OptionalBody, parse
from app.api.door import Door, DoorHere
from app.api.ids import EvidenceId
from app.api.queries import NoQuery, QueryOf
from app.api.replay import KeyHeader, once, perform
from app.api.wire.quarantine import DecidedAnswer, DecideEvidenceBody, QuarantinedAnswer, QuarantineQuery
from app.api.wire.shapes import Listed
from app.kernel.database import Writing
from app.ledger.vocabulary import QuarantineDecision
from app.remember.quarantine import decide_quarantined
from app.remember.quarantined import list_quarantined
from app.tenancy.audit import AuditAction, record_audit
from app.tenancy.callers import Caller

router: Final = APIRouter(tags=["memory"])


@router.get(
    "/v1/quarantine",
    operation_id="list_quarantine",
    response_model=Listed[QuarantinedAnswer],
    responses=refusals(),
)
async def list_quarantine_route(
    door: DoorHere, caller: Operator, query: Annotated[QuarantineQuery, Depends(QueryOf(QuarantineQuery))]
) -> Response:
    """Evidence that was held, with what was found in it, newest first."""
    page = await door.read(
        caller,
        lambda reading: list_quarantined(
            reading, caller.team_id, status=query.status, limit=query.limit, cursor=query.cursor
        ),
    )
    return answer_page(page, QuarantinedAnswer.model_validate)


@router.post(
    "/v1/evidence/{evidence_id}/release",
    operation_id="release_evidence",
    response_model=DecidedAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(DecideEvidenceBody, required=False),
)
async def release_evidence_route(
    door: DoorHere,
    caller: Operator,
    raw: OptionalBody,
    evidence_id: EvidenceId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Say that held evidence is harmless: its proposals are verified and placed as any other."""
    return await _decide(door, caller, raw, evidence_id, request, key_header, "released")


@router.post(
    "/v1/evidence/{evidence_id}/discard",
    operation_id="discard_evidence",
    response_model=DecidedAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(DecideEvidenceBody, required=False),
)
async def discard_evidence_route(
    door: DoorHere,
    caller: Operator,
    raw: OptionalBody,
    evidence_id: EvidenceId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """End held evidence for good: it counts nowhere, and the proposals that cite it are rejected."""
    return await _decide(door, caller, raw, evidence_id, request, key_header, "discarded")


async def _decide(
    door: Door,
    caller: Caller,
    raw: bytes,
    evidence_id: str,
    request: Request,
    key_header: str | None,
    decision: QuarantineDecision,
) -> Response:
    body = parse(DecideEvidenceBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def decide(writing: Writing) -> tuple[int, DecidedAnswer]:
        decided = await decide_quarantined(writing, caller, evidence_id, decision, reason=body.reason)
        if decided.is_changed:
            action: AuditAction = "evidence_released" if decision == "released" else "evidence_discarded"
            await record_audit(writing, caller, action, target_id=evidence_id)
        return 200, DecidedAnswer.model_validate(decided)

    given = await perform(door, caller, request_once, decide)
    door.wake()
    return answer_given(given)
