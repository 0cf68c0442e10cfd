"""Memory: evidence in, where it landed, reading it back, where it comes from."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from app.api.answers import answer, answer_given, refusals, takes, tell_replayed
from app.api.auth import Reader, Writer
from app.api.bodies import Body, parse
from app.api.door import DoorHere
from app.api.ids import IngestId, RelationshipId
from app.api.queries import NoQuery, QueryOf
from app.api.replay import KeyHeader, once, perform
from app.api.request_id import request_id_of
from app.api.waiting import Preference, choose_wait, wait_for_placement
from app.api.wire.recall import (
    RecallBody,
    RecallFeedbackAnswer,
    RecallFeedbackBody,
    RecallReply,
    write_recall,
)
from app.api.wire.remember import PlacementAnswer, RememberAnswer, RememberBody
from app.api.wire.submit import read_submission
from app.api.wire.trace import TraceAnswer, TraceParameters, write_trace
from app.kernel.database import Writing
from app.recall.feedback import record_feedback
from app.recall.recall import recall
from app.recall.trace import trace_memory
from app.remember.guarding import guard
from app.remember.intake import accept
from app.remember.placements import get_placement

router: Final = APIRouter(tags=["memory"])
_CHECK_AFTER_SECONDS: Final = 1


@router.post(
    "/v1/remember",
    operation_id="remember",
    status_code=202,
    response_model=RememberAnswer,
    responses={
        200: {"model": PlacementAnswer, "description": "Finished within the time that the client waited."},
        **refusals(409, has_body=True),
    },
    openapi_extra=takes(RememberBody),
)
async def remember_route(
    door: DoorHere,
    caller: Writer,
    raw: Body,
    request: Request,
    key_header: KeyHeader,
    preference: Preference,
    _: NoQuery,
) -> Response:
    """Store evidence with a proposal of what it says; placement follows, and may be waited for."""
    body = parse(RememberBody, raw)
    seconds = choose_wait(body.wait_seconds, preference)
    submission = read_submission(body.evidence, body.proposal)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)
    guarded = await guard(submission)

    async def take_in(writing: Writing) -> tuple[int, RememberAnswer]:
        correlation_id = request_id_of(request)
        accepted = await accept(writing, caller, guarded, correlation_id=correlation_id)
        return 202, RememberAnswer(
            ingest_id=accepted.ingest_id,
            processing_state=accepted.processing_state,
            check_after_seconds=_CHECK_AFTER_SECONDS,
            correlation_id=correlation_id,
        )

    given = await perform(door, caller, request_once, take_in)
    door.wake()
    if seconds:
        ingest_id = str(given.body["ingest_id"])
        placement = await wait_for_placement(door, caller, request, ingest_id, seconds=seconds)
        if placement is not None:
            return answer(PlacementAnswer.model_validate(placement), headers=tell_replayed(given))
    return answer_given(given)


@router.get(
    "/v1/placements/{ingest_id}",
    operation_id="get_memory_placement",
    response_model=PlacementAnswer,
    responses=refusals(404),
)
async def get_placement_route(door: DoorHere, caller: Reader, ingest_id: IngestId, _: NoQuery) -> Response:
    """Where each proposal of a submission landed."""
    placement = await door.read(caller, lambda reading: get_placement(reading, caller.team_id, ingest_id))
    return answer(PlacementAnswer.model_validate(placement))


@router.post(
    "/v1/recall",
    operation_id="recall_memory",
    response_model=RecallReply,
    responses=refusals(404, has_body=True),
    openapi_extra=takes(RecallBody),
)
async def recall_route(door: DoorHere, caller: Reader, raw: Body, _: NoQuery) -> Response:
    """What the team knows that matches, and beside it what it guesses."""
    body = parse(RecallBody, raw)
    recalled = await recall(door.database, caller, body.as_query(), now=door.now(), embedder=door.embedder)
    return answer(write_recall(recalled))


@router.post(
    "/v1/recall-feedback",
    operation_id="submit_recall_feedback",
    status_code=201,
    response_model=RecallFeedbackAnswer,
    responses=refusals(409, has_body=True),
    openapi_extra=takes(RecallFeedbackBody),
)
async def submit_recall_feedback_route(
    door: DoorHere, caller: Writer, raw: Body, request: Request, key_header: KeyHeader, _: NoQuery
) -> Response:
    """Record what one thinks of an answer of recall; no Relationship and no Hypothesis changes."""
    body = parse(RecallFeedbackBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def record(writing: Writing) -> tuple[int, RecallFeedbackAnswer]:
        recorded = await record_feedback(writing, caller, body.as_feedback())
        return 201, RecallFeedbackAnswer.model_validate(recorded)

    return answer_given(await perform(door, caller, request_once, record))


@router.get(
    "/v1/relationships/{relationship_id}/trace",
    operation_id="trace_memory",
    response_model=TraceAnswer,
    responses=refusals(404),
)
async def trace_route(
    door: DoorHere,
    caller: Reader,
    relationship_id: RelationshipId,
    parameters: Annotated[TraceParameters, Depends(QueryOf(TraceParameters))],
) -> Response:
    """Everything that is known about one Relationship, or was, and the Hypotheses that rest on it."""
    query, now = parameters.as_query(), door.now()
    traced = await door.read(
        caller,
        lambda reading: trace_memory(reading, caller.team_id, relationship_id, query, now=now),
        plans="kept",
    )
    return answer(write_trace(traced))
