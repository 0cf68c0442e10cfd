"""What memory is made of, in lists: entities, predicates, conflicts, reviews."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from app.api.answers import answer, answer_given, answer_page, refusals, takes
from app.api.auth import Operator, Reader
from app.api.bodies import Body, parse
from app.api.door import DoorHere
from app.api.ids import EntityId, PredicateKey
from app.api.queries import NoQuery, QueryOf
from app.api.replay import Given, KeyHeader, once, perform
from app.api.versions import IfMatch, match_version, tag_version
from app.api.wire.cases import (
    ConflictAnswer,
    ConflictsQuery,
    ReviewAnswer,
    ReviewsQuery,
    write_conflict,
    write_review,
)
from app.api.wire.catalogue import (
    EntitiesQuery,
    EntityAnswer,
    PredicateAnswer,
    PredicateBody,
    PredicateChangesBody,
    write_predicate,
)
from app.api.wire.shapes import Listed, PageQuery
from app.kernel.database import Writing
from app.ledger.conflicts.cases import list_conflicts
from app.ledger.nodes.entities import get_entity, list_entities
from app.ledger.predicates.changes import change_predicate, register_predicate
from app.ledger.predicates.registry import page_predicates
from app.ledger.reviews import list_reviews

router: Final = APIRouter(tags=["catalogue"])


@router.get(
    "/v1/entities",
    operation_id="list_entities",
    response_model=Listed[EntityAnswer],
    responses=refusals(),
)
async def list_entities_route(
    door: DoorHere, caller: Reader, query: Annotated[EntitiesQuery, Depends(QueryOf(EntitiesQuery))]
) -> Response:
    """The team's entities, newest first."""
    page = await door.read(
        caller,
        lambda reading: list_entities(
            reading,
            caller.team_id,
            search=query.search,
            kind=query.kind,
            limit=query.limit,
            cursor=query.cursor,
        ),
    )
    return answer_page(page, EntityAnswer.model_validate)


@router.get(
    "/v1/entities/{entity_id}",
    operation_id="get_entity",
    response_model=EntityAnswer,
    responses=refusals(404),
)
async def get_entity_route(door: DoorHere, caller: Reader, entity_id: EntityId, _: NoQuery) -> Response:
    """One entity."""
    entity = await door.read(caller, lambda reading: get_entity(reading, caller.team_id, entity_id))
    return answer(EntityAnswer.model_validate(entity))


@router.get(
    "/v1/predicates",
    operation_id="list_predicates",
    response_model=Listed[PredicateAnswer],
    responses=refusals(),
)
async def list_predicates_route(
    door: DoorHere, caller: Reader, query: Annotated[PageQuery, Depends(QueryOf(PageQuery))]
) -> Response:
    """The current version of the team's predicates, by key."""
    page = await door.read(
        caller,
        lambda reading: page_predicates(reading, caller.team_id, limit=query.limit, cursor=query.cursor),
    )
    return answer_page(page, write_predicate)


@router.post(
    "/v1/predicates",
    operation_id="register_predicate",
    status_code=201,
    response_model=PredicateAnswer,
    responses=refusals(409, has_body=True),
    openapi_extra=takes(PredicateBody),
)
async def register_predicate_route(
    door: DoorHere, caller: Operator, raw: Body, request: Request, key_header: KeyHeader, _: NoQuery
) -> Response:
    """Register a relation of the team's own."""
    body = parse(PredicateBody, raw)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def register(writing: Writing) -> tuple[int, PredicateAnswer]:
        return 201, write_predicate(await register_predicate(writing, caller, body.as_draft()))

    return _answer_predicate(await perform(door, caller, request_once, register))


@router.patch(
    "/v1/predicates/{predicate_key}",
    operation_id="change_predicate",
    response_model=PredicateAnswer,
    responses=refusals(404, 409, 412, has_body=True),
    openapi_extra=takes(PredicateChangesBody),
)
async def change_predicate_route(
    door: DoorHere,
    caller: Operator,
    raw: Body,
    predicate_key: PredicateKey,
    request: Request,
    key_header: KeyHeader,
    if_match: IfMatch,
    _: NoQuery,
) -> Response:
    """Make a new version of a predicate."""
    body = match_version(parse(PredicateChangesBody, raw), if_match)
    request_once = once(request, body, key=body.idempotency_key, key_header=key_header)

    async def change(writing: Writing) -> tuple[int, PredicateAnswer]:
        changed = await change_predicate(writing, caller, predicate_key, body.as_changes())
        return 200, write_predicate(changed)

    return _answer_predicate(await perform(door, caller, request_once, change))


@router.get(
    "/v1/conflicts",
    operation_id="list_conflicts",
    response_model=Listed[ConflictAnswer],
    responses=refusals(),
)
async def list_conflicts_route(
    door: DoorHere, caller: Reader, query: Annotated[ConflictsQuery, Depends(QueryOf(ConflictsQuery))]
) -> Response:
    """Positions of different profiles that cannot both hold, newest case first."""
    page = await door.read(
        caller,
        lambda reading: list_conflicts(
            reading,
            caller.team_id,
            now=door.now(),
            state=query.status,
            limit=query.limit,
            cursor=query.cursor,
        ),
    )
    return answer_page(page, write_conflict)


@router.get(
    "/v1/reviews",
    operation_id="list_reviews",
    response_model=Listed[ReviewAnswer],
    responses=refusals(),
)
async def list_reviews_route(
    door: DoorHere, caller: Reader, query: Annotated[ReviewsQuery, Depends(QueryOf(ReviewsQuery))]
) -> Response:
    """Ambiguities that wait for somebody, newest first."""
    page = await door.read(
        caller,
        lambda reading: list_reviews(
            reading,
            caller.team_id,
            status=query.status,
            kind=query.kind,
            limit=query.limit,
            cursor=query.cursor,
        ),
    )
    return answer_page(page, write_review)


def _answer_predicate(given: Given) -> Response:
    version = given.body["version"]
    assert isinstance(version, int)
    return answer_given(given, tag_version(version))
