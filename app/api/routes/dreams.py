"""Dreams: reading them and saying what one thinks of them."""

from contextlib import nullcontext
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from app.api.answers import answer, answer_given, answer_page, page_writer, refusals, takes
from app.api.auth import Reader, Writer
from app.api.bodies import Body, parse
from app.api.door import DoorHere
from app.api.ids import HypothesisId
from app.api.problems import invalid_request
from app.api.queries import NoQuery, QueryOf
from app.api.replay import KeyHeader, once, perform
from app.api.request_id import request_id_of
from app.api.versions import IfMatch, match_version, tag_version
from app.api.waiting import Preference, choose_wait, wait_for_placement
from app.api.wire.absence import AbsenceAnswer, AbsenceBody
from app.api.wire.dreams import (
    DreamAnswer,
    DreamsQuery,
    DreamSummary,
    FeedbackAnswer,
    FeedbackBody,
    OutcomeAnswer,
    write_dream,
)
from app.api.wire.shapes import Listed
from app.api.wire.submit import read_optional_submission
from app.dreaming.why_not import ask_why_not
from app.hypotheses.outcomes import read_outcomes
from app.hypotheses.queries import list_hypotheses
from app.hypotheses.record import HypothesisSummary
from app.kernel.database import Writing
from app.kernel.errors import Busy, FieldError
from app.kernel.pages import Page
from app.review.dream import get_dream
from app.review.feedback import Feedback, guard_feedback, resolve_feedback

router: Final = APIRouter(tags=["dreams"])
_answer_summaries: Final = page_writer(HypothesisSummary, DreamSummary)


@router.get(
    "/v1/dreams",
    operation_id="list_dreams",
    response_model=Listed[DreamSummary],
    responses=refusals(),
)
async def list_dreams_route(
    door: DoorHere, caller: Reader, query: Annotated[DreamsQuery, Depends(QueryOf(DreamsQuery))]
) -> Response:
    """Hypotheses of the team, in the order that `sort` names."""
    page = await door.glance(
        caller,
        lambda reading: list_hypotheses(
            reading,
            caller.team_id,
            caller.profile_id,
            query.as_filter(),
            sort=query.sort,
            limit=query.limit,
            cursor=query.cursor,
        ),
    )
    return _answer_summaries(page)


@router.get(
    "/v1/dreams/outcomes",
    operation_id="get_dream_outcomes",
    response_model=Listed[OutcomeAnswer],
    responses=refusals(),
)
async def get_outcomes_route(door: DoorHere, caller: Reader, _: NoQuery) -> Response:
    """What became of the team's dreams, by predicate and generator version; one page holds them all."""
    outcomes = await door.read(caller, lambda reading: read_outcomes(reading, caller.team_id))
    return answer_page(Page(outcomes, None), OutcomeAnswer.model_validate)


@router.post(
    "/v1/dreams/why-not",
    operation_id="explain_absence",
    response_model=AbsenceAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(AbsenceBody),
)
async def explain_absence_route(door: DoorHere, caller: Reader, raw: Body, _: NoQuery) -> Response:
    """What stands in the way of an idea today, in words and codes. Nothing is written."""
    target = parse(AbsenceBody, raw).as_target()
    await door.admission.prove(caller)
    # One at a time: each takes a processor for seconds where the team is large.
    if door.thinking.locked():
        raise Busy("Another idea is being thought through.")
    async with door.thinking:
        absence = await ask_why_not(door.database, caller.team_id, target, now=door.now())
    return answer(AbsenceAnswer.model_validate(absence))


@router.get(
    "/v1/dreams/{hypothesis_id}",
    operation_id="get_dream",
    response_model=DreamAnswer,
    responses=refusals(404),
)
async def get_dream_route(
    door: DoorHere, caller: Reader, hypothesis_id: HypothesisId, _: NoQuery
) -> Response:
    """One Hypothesis with its explanation, events and submissions."""
    dream = await door.glance(caller, lambda reading: get_dream(reading, caller.team_id, hypothesis_id))
    return answer(write_dream(dream), headers=tag_version(dream.hypothesis.row_version))


@router.post(
    "/v1/dreams/{hypothesis_id}/feedback",
    operation_id="resolve_dream_feedback",
    response_model=FeedbackAnswer,
    responses=refusals(404, 409, 412, has_body=True),
    openapi_extra=takes(FeedbackBody),
)
async def resolve_dream_feedback_route(
    door: DoorHere,
    caller: Writer,
    raw: Body,
    hypothesis_id: HypothesisId,
    request: Request,
    key_header: KeyHeader,
    if_match: IfMatch,
    preference: Preference,
    _: NoQuery,
) -> Response:
    """Reinforce, stale, reject, ignore or confirm; a confirmation sends its evidence through `remember`."""
    body = match_version(parse(FeedbackBody, raw), if_match)
    seconds = choose_wait(body.wait_seconds, preference)
    if body.hypothesis_id not in (None, hypothesis_id):
        wrong = FieldError("hypothesis_id", "path_differs", "The path names another Hypothesis.")
        raise invalid_request(wrong)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)
    feedback = await guard_feedback(
        Feedback(
            decision=body.decision,
            reason=body.reason,
            submission=read_optional_submission(body.evidence, body.proposal),
            expected_version=body.expected_version,
        )
    )

    async def resolve(writing: Writing) -> tuple[int, FeedbackAnswer]:
        result = await resolve_feedback(
            writing, caller, hypothesis_id, feedback, correlation_id=request_id_of(request)
        )
        return 200, FeedbackAnswer.model_validate(result)

    async with door.comparing if feedback.is_long else nullcontext():
        given = await perform(door, caller, request_once, resolve)
    door.wake()
    ingest_id = given.body["ingest_id"]
    if seconds and ingest_id is not None:
        # What it came to stands in the dream and in the placement; the answer is the same either way.
        await wait_for_placement(door, caller, request, str(ingest_id), seconds=seconds)
    return answer_given(given)
