"""Which entities are one thing: suggested to anybody, said by an operator, taken back by one."""

from typing import Final

from fastapi import APIRouter, Request, Response

from app.api.answers import answer, answer_given, refusals, takes
from app.api.auth import Operator, Reader
from app.api.bodies import Body, OptionalBody, parse
from app.api.door import DoorHere
from app.api.ids import EntityId
from app.api.queries import NoQuery
from app.api.replay import KeyHeader, once, perform
from app.api.wire.merges import (
    MergeAnswer,
    MergeBody,
    SuggestionsAnswer,
    UnmergeBody,
    write_merge,
    write_suggestions,
)
from app.kernel.database import Writing
from app.ledger.nodes.merge_suggestions import suggest_merges
from app.remember.merging.merge import merge_entities
from app.remember.merging.unmerge import unmerge_entity
from app.tenancy.audit import record_audit

router: Final = APIRouter(tags=["catalogue"])


@router.get(
    "/v1/entities/{entity_id}/merge-suggestions",
    operation_id="suggest_merges",
    response_model=SuggestionsAnswer,
    responses=refusals(404),
)
async def suggest_merges_route(door: DoorHere, caller: Reader, entity_id: EntityId, _: NoQuery) -> Response:
    """Entities that may be the same thing as this one, likest first."""
    suggestions = await door.read(caller, lambda reading: suggest_merges(reading, caller.team_id, entity_id))
    return answer(write_suggestions(suggestions))


@router.post(
    "/v1/entities/{entity_id}/merge",
    operation_id="merge_entity",
    response_model=MergeAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(MergeBody),
)
async def merge_entity_route(
    door: DoorHere,
    caller: Operator,
    raw: Body,
    entity_id: EntityId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Say that the entity is another one; its names and living positions go there."""
    body = parse(MergeBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def merge(writing: Writing) -> tuple[int, MergeAnswer]:
        merged = await merge_entities(
            writing, caller, entity_id, into=body.into_entity_id, reason=body.reason, now=door.now()
        )
        await record_audit(
            writing, caller, "entity_merged", target_id=entity_id, details={"into": body.into_entity_id}
        )
        return 200, write_merge(merged)

    return answer_given(await perform(door, caller, request_once, merge))


@router.post(
    "/v1/entities/{entity_id}/unmerge",
    operation_id="unmerge_entity",
    response_model=MergeAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(UnmergeBody, required=False),
)
async def unmerge_entity_route(
    door: DoorHere,
    caller: Operator,
    raw: OptionalBody,
    entity_id: EntityId,
    request: Request,
    key_header: KeyHeader,
    _: NoQuery,
) -> Response:
    """Undo the merge that made the entity another one."""
    body = parse(UnmergeBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def unmerge(writing: Writing) -> tuple[int, MergeAnswer]:
        undone = await unmerge_entity(writing, caller, entity_id, reason=body.reason, now=door.now())
        await record_audit(writing, caller, "entity_unmerged", target_id=entity_id)
        return 200, write_merge(undone)

    return answer_given(await perform(door, caller, request_once, unmerge))
