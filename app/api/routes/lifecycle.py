"""What changes positions: taking back, deciding conflicts and reviews. Nothing is deleted."""

from typing import Final, Protocol

from fastapi import APIRouter, Request, Response

from app.api.answers import answer, answer_given, refusals, takes
from app.api.auth import Reader, Writer
from app.api.bodies import Body, OptionalBody, parse
from app.api.door import Door, DoorHere
from app.api.ids import ConflictId, EvidenceId, RelationshipId, ReviewId
from app.api.queries import NoQuery
from app.api.replay import KeyHeader, once, perform
from app.api.wire.cases import (
    ConflictAnswer,
    ResolveConflictBody,
    ResolveReviewBody,
    ReviewAnswer,
    write_conflict,
    write_review,
)
from app.api.wire.lifecycle import ChangedAnswer, EvidenceAnswer, RetractBody, RetractionAnswer
from app.kernel.database import Writing
from app.ledger.conflicts.decisions import decide_conflict
from app.ledger.evidence.detail import get_evidence_detail
from app.ledger.retraction import Changed
from app.remember.ended_reviews import take_position_back
from app.remember.quarantine import take_evidence_back
from app.remember.review_resolution import resolve_review
from app.review.submissions import settle_submissions
from app.tenancy.callers import Caller

router: Final = APIRouter(tags=["memory"])


@router.post(
    "/v1/relationships/{relationship_id}/retract",
    operation_id="retract_relationship",
    response_model=RetractionAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(RetractBody, required=False),
)
async def retract_relationship_route(
    door: DoorHere,
    caller: Writer,
    raw: OptionalBody,
    relationship_id: RelationshipId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Take one's own position back; again changes nothing."""
    return await _retract(door, caller, raw, relationship_id, request, key_header, take_position_back)


@router.get(
    "/v1/evidence/{evidence_id}",
    operation_id="get_evidence",
    response_model=EvidenceAnswer,
    responses=refusals(404),
)
async def get_evidence_route(door: DoorHere, caller: Reader, evidence_id: EvidenceId, _: NoQuery) -> Response:
    """One evidence item as it was submitted, after masking of secrets."""
    detail = await door.read(caller, lambda reading: get_evidence_detail(reading, caller, evidence_id))
    return answer(EvidenceAnswer.model_validate(detail))


@router.post(
    "/v1/evidence/{evidence_id}/retract",
    operation_id="retract_evidence",
    response_model=RetractionAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(RetractBody, required=False),
)
async def retract_evidence_route(
    door: DoorHere,
    caller: Writer,
    raw: OptionalBody,
    evidence_id: EvidenceId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Take one's own evidence back; Relationships keep what their other supports carry. Again changes nothing."""
    return await _retract(door, caller, raw, evidence_id, request, key_header, take_evidence_back)


@router.post(
    "/v1/conflicts/{conflict_id}/resolve",
    operation_id="resolve_conflict",
    response_model=ConflictAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(ResolveConflictBody),
)
async def resolve_conflict_route(
    door: DoorHere,
    caller: Writer,
    raw: Body,
    conflict_id: ConflictId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Prefer one position of a case, or say that there is no conflict."""
    body = parse(ResolveConflictBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def decide(writing: Writing) -> tuple[int, ConflictAnswer]:
        conflict = await decide_conflict(
            writing,
            caller.team_id,
            conflict_id,
            body.as_decision(),
            profile_id=caller.profile_id,
            now=door.now(),
        )
        return 200, write_conflict(conflict)

    return answer_given(await perform(door, caller, request_once, decide))


@router.post(
    "/v1/reviews/{review_id}/resolve",
    operation_id="resolve_review",
    response_model=ReviewAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(ResolveReviewBody),
)
async def resolve_review_route(
    door: DoorHere,
    caller: Writer,
    raw: Body,
    review_id: ReviewId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Decide what was unclear; what was held goes on from there, through verification and placement."""
    body = parse(ResolveReviewBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def resolve(writing: Writing) -> tuple[int, ReviewAnswer]:
        review = await resolve_review(
            writing, caller, review_id, choice=body.choice, reason=body.reason, now=door.now()
        )
        # A confirmation that waited for this may have ended with it.
        await settle_submissions(writing, caller.team_id)
        return 200, write_review(review)

    given = await perform(door, caller, request_once, resolve)
    door.wake()
    return answer_given(given)


class _TakeBack(Protocol):
    """What a retraction does in the ledger."""

    async def __call__(
        self, w: Writing, caller: Caller, row_id: str, /, *, note: str | None
    ) -> tuple[Changed, ...]: ...


async def _retract(
    door: Door,
    caller: Caller,
    raw: bytes,
    row_id: str,
    request: Request,
    key_header: str | None,
    take_back: _TakeBack,
) -> Response:
    body = parse(RetractBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def retract(writing: Writing) -> tuple[int, RetractionAnswer]:
        changed = await take_back(writing, caller, row_id, note=body.reason)
        # A confirmation that waited for its review, or for what was held, may have ended with it.
        await settle_submissions(writing, caller.team_id)
        return 200, RetractionAnswer(changed=[ChangedAnswer.model_validate(one) for one in changed])

    return answer_given(await perform(door, caller, request_once, retract))
