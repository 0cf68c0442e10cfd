"""Cycle runs and the state of dreaming. Reading needs `read`, starting and cancelling `operate`."""

from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from app.api.answers import answer, answer_given, answer_page, refusals, takes
from app.api.auth import Operator, Reader
from app.api.bodies import OptionalBody, parse
from app.api.door import DoorHere
from app.api.ids import RunId
from app.api.queries import NoQuery, QueryOf
from app.api.replay import KeyHeader, NoKey, once, perform
from app.api.wire.costs import CostsAnswer, CostsQuery, add_up, write_costs
from app.api.wire.runs import (
    DreamingStatusAnswer,
    ExchangeAnswer,
    RunAnswer,
    RunsQuery,
    StartBody,
    write_status,
)
from app.api.wire.shapes import Listed
from app.dreaming.provider.exchanges import list_exchanges
from app.dreaming.runs.asking import cancel_run, start_run
from app.dreaming.runs.history import get_run, list_runs
from app.dreaming.spending.costs import read_dream_costs
from app.dreaming.spending.usage import local_day
from app.dreaming.status import dreaming_status
from app.kernel.database import Reading, Writing
from app.remember.provider.usage import read_verifier_costs
from app.tenancy.configuration import effective_configuration

router: Final = APIRouter(tags=["operators"])


@router.get(
    "/v1/cycle-runs",
    operation_id="list_cycle_runs",
    response_model=Listed[RunAnswer],
    responses=refusals(),
)
async def list_runs_route(
    door: DoorHere, caller: Reader, query: Annotated[RunsQuery, Depends(QueryOf(RunsQuery))]
) -> Response:
    """Runs of the team, newest first."""
    page = await door.read(
        caller,
        lambda reading: list_runs(
            reading, caller.team_id, query.as_filter(), limit=query.limit, cursor=query.cursor
        ),
    )
    return answer_page(page, RunAnswer.model_validate)


@router.get(
    "/v1/cycle-runs/{run_id}",
    operation_id="get_cycle_run",
    response_model=RunAnswer,
    responses=refusals(404),
)
async def get_run_route(door: DoorHere, caller: Reader, run_id: RunId, _: NoQuery) -> Response:
    """What one cycle read, rejected, kept and cost."""
    run = await door.read(caller, lambda reading: get_run(reading, caller.team_id, run_id))
    return answer(RunAnswer.model_validate(run))


@router.get(
    "/v1/cycle-runs/{run_id}/exchanges",
    operation_id="list_exchanges",
    response_model=Listed[ExchangeAnswer],
    responses=refusals(404),
)
async def list_exchanges_route(door: DoorHere, caller: Operator, run_id: RunId, _: NoQuery) -> Response:
    """What was said between a run and its provider, where the installation keeps it."""
    kept = await door.read(caller, lambda reading: list_exchanges(reading, caller.team_id, run_id))
    items = [ExchangeAnswer.model_validate(each) for each in kept]
    return answer(Listed[ExchangeAnswer](items=items, next_cursor=None))


@router.post(
    "/v1/cycle-runs",
    operation_id="start_cycle",
    status_code=202,
    response_model=RunAnswer,
    responses={
        200: {"model": RunAnswer, "description": "The team has a live run already; this is it."},
        **refusals(409, has_body=True),
    },
    openapi_extra=takes(StartBody, required=False),
)
async def start_cycle_route(
    door: DoorHere,
    caller: Operator,
    raw: OptionalBody,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Queue a cycle, or return the live one."""
    body = parse(StartBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def start(writing: Writing) -> tuple[int, RunAnswer]:
        run, is_new = await start_run(writing, caller, body.as_request())
        return 202 if is_new else 200, RunAnswer.model_validate(run)

    given = await perform(door, caller, request_once, start)
    door.wake()
    return answer_given(given)


@router.post(
    "/v1/cycle-runs/{run_id}/cancel",
    operation_id="cancel_cycle",
    response_model=RunAnswer,
    responses=refusals(404, 409),
)
async def cancel_cycle_route(
    door: DoorHere, caller: Operator, run_id: RunId, _: NoQuery, _key: NoKey
) -> Response:
    """Give a live run up; whoever works on it writes nothing more. Again changes nothing."""
    run = await door.write(caller, lambda writing: cancel_run(writing, caller, run_id))
    return answer(RunAnswer.model_validate(run))


@router.get(
    "/v1/dreaming/status",
    operation_id="get_dreaming_status",
    response_model=DreamingStatusAnswer,
    responses=refusals(),
)
async def status_route(door: DoorHere, caller: Reader, _: NoQuery) -> Response:
    """Effective settings with their sources, what comes next, what was last, what it cost today."""
    now = door.now()

    async def read(reading: Reading) -> DreamingStatusAnswer:
        status = await dreaming_status(reading, caller.team_id, now)
        verdicts = await read_verifier_costs(reading, caller.team_id, since=now.date())
        return write_status(status, verdicts)

    return answer(await door.read(caller, read))


@router.get(
    "/v1/dreaming/costs",
    operation_id="get_dreaming_costs",
    response_model=CostsAnswer,
    responses=refusals(),
)
async def costs_route(
    door: DoorHere, caller: Reader, query: Annotated[CostsQuery, Depends(QueryOf(CostsQuery))]
) -> Response:
    """What the team's providers were paid, by day and model; failed and cancelled runs included."""
    now = door.now()

    async def read(reading: Reading) -> CostsAnswer:
        configuration = await effective_configuration(reading, caller.team_id)
        today = local_day(now, configuration.timezone)
        back = timedelta(days=query.days - 1)
        dreams = await read_dream_costs(reading, caller.team_id, since=today - back)
        verdicts = await read_verifier_costs(reading, caller.team_id, since=now.date() - back)
        items = write_costs(dreams, verdicts)
        return CostsAnswer(
            items=items,
            total_usd=sum(item.cost_usd for item in items),
            today_usd=sum(cost.usage.cost_usd for cost in dreams if cost.day == today),
            verifying_today_usd=add_up(cost for cost in verdicts if cost.day == now.date()),
            max_daily_cost_usd=configuration.max_daily_cost_usd,
        )

    return answer(await door.read(caller, read))
