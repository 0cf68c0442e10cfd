"""Teams, profiles and keys: for admin keys only, which read no team's content."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Response

from app.api.answers import answer, answer_page, refusals, takes
from app.api.auth import Administrator, Secret
from app.api.bodies import Body, parse
from app.api.door import DoorHere
from app.api.ids import KeyId, TeamId
from app.api.queries import NoQuery, QueryOf
from app.api.replay import NoKey
from app.api.wire.admin import (
    EraseBody,
    ErasedAnswer,
    KeyAnswer,
    KeyBody,
    NewKeyAnswer,
    ProfileAnswer,
    ProfileBody,
    RevokedAnswer,
    TeamAnswer,
    TeamBody,
)
from app.api.wire.shapes import Listed, PageQuery
from app.archive.erase import erase_team
from app.kernel.database import Scope
from app.ledger.founding import found_team
from app.tenancy.keys import create_key, find_key_team, list_keys, revoke_key
from app.tenancy.teams import create_profile, find_team, list_profiles, list_teams, new_team_id

router: Final = APIRouter(tags=["admin"])


@router.post(
    "/v1/teams",
    operation_id="create_team",
    status_code=201,
    response_model=TeamAnswer,
    responses=refusals(409, has_body=True),
    openapi_extra=takes(TeamBody),
)
async def create_team_route(
    door: DoorHere, admin: Administrator, raw: Body, _: NoQuery, _key: NoKey
) -> Response:
    """Make a team; it starts with the seeded predicates and no profile."""
    body = parse(TeamBody, raw)
    team_id = new_team_id()
    team = await door.database.unit_of_work(
        Scope("app", team_id), lambda writing: found_team(writing, team_id, body.name, actor=admin)
    )
    return answer(TeamAnswer.model_validate(team), status=201)


@router.get("/v1/teams", operation_id="list_teams", response_model=Listed[TeamAnswer], responses=refusals())
async def list_teams_route(
    door: DoorHere, admin: Administrator, query: Annotated[PageQuery, Depends(QueryOf(PageQuery))]
) -> Response:
    """All teams, newest first."""
    async with door.database.reading(Scope("app")) as reading:
        page = await list_teams(reading, limit=query.limit, cursor=query.cursor)
    return answer_page(page, TeamAnswer.model_validate)


@router.post(
    "/v1/teams/{team_id}/erase",
    operation_id="erase_team",
    response_model=ErasedAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(EraseBody),
)
async def erase_team_route(
    door: DoorHere, admin: Administrator, secret: Secret, raw: Body, team_id: TeamId, _: NoQuery, _key: NoKey
) -> Response:
    """Erase the team with all that it holds, for privacy; only that it was erased is kept. No way back.

    It is closed first. With `busy` the answer says what stands in the way, and the same request goes on.
    """
    body = parse(EraseBody, raw)
    rows = await erase_team(door.database, admin, secret, team_id, name=body.name)
    return answer(ErasedAnswer(team_id=team_id, rows=rows))


@router.post(
    "/v1/teams/{team_id}/profiles",
    operation_id="create_profile",
    status_code=201,
    response_model=ProfileAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(ProfileBody),
)
async def create_profile_route(
    door: DoorHere, admin: Administrator, raw: Body, team_id: TeamId, _: NoQuery, _key: NoKey
) -> Response:
    """Make an author inside the team."""
    body = parse(ProfileBody, raw)
    profile = await door.database.unit_of_work(
        Scope("app", team_id), lambda writing: create_profile(writing, team_id, body.name, actor=admin)
    )
    return answer(ProfileAnswer.model_validate(profile), status=201)


@router.get(
    "/v1/teams/{team_id}/profiles",
    operation_id="list_profiles",
    response_model=Listed[ProfileAnswer],
    responses=refusals(404),
)
async def list_profiles_route(
    door: DoorHere,
    admin: Administrator,
    team_id: TeamId,
    query: Annotated[PageQuery, Depends(QueryOf(PageQuery))],
) -> Response:
    """The team's profiles, newest first."""
    async with door.database.reading(Scope("app", team_id)) as reading:
        await find_team(reading, team_id)
        page = await list_profiles(reading, team_id, limit=query.limit, cursor=query.cursor)
    return answer_page(page, ProfileAnswer.model_validate)


@router.post(
    "/v1/teams/{team_id}/keys",
    operation_id="create_key",
    status_code=201,
    response_model=NewKeyAnswer,
    responses=refusals(404, 409, has_body=True),
    openapi_extra=takes(KeyBody),
)
async def create_key_route(
    door: DoorHere, admin: Administrator, raw: Body, team_id: TeamId, _: NoQuery, _key: NoKey
) -> Response:
    """Make a key of one of the team's profiles; its secret is shown in this answer only."""
    body = parse(KeyBody, raw)

    key = await door.database.unit_of_work(
        Scope("app", team_id), lambda writing: create_key(writing, team_id, body.as_draft(), actor=admin)
    )
    created = NewKeyAnswer(key_id=key.key_id, key=key.secret)
    return answer(created, status=201, headers={"Cache-Control": "no-store"})


@router.get(
    "/v1/teams/{team_id}/keys",
    operation_id="list_keys",
    response_model=Listed[KeyAnswer],
    responses=refusals(404),
)
async def list_keys_route(
    door: DoorHere,
    admin: Administrator,
    team_id: TeamId,
    query: Annotated[PageQuery, Depends(QueryOf(PageQuery))],
) -> Response:
    """The team's keys without their secrets, newest first."""
    async with door.database.reading(Scope("app", team_id)) as reading:
        await find_team(reading, team_id)
        page = await list_keys(reading, team_id, limit=query.limit, cursor=query.cursor)
    return answer_page(page, KeyAnswer.model_validate)


@router.post(
    "/v1/keys/{key_id}/revoke",
    operation_id="revoke_key",
    response_model=RevokedAnswer,
    responses=refusals(404),
)
async def revoke_key_route(
    door: DoorHere, admin: Administrator, key_id: KeyId, _: NoQuery, _key: NoKey
) -> Response:
    """Refuse the key from the next request on; again changes nothing."""
    async with door.database.reading(Scope("app")) as reading:
        team_id = await find_key_team(reading, key_id)
    revoked_at = await door.database.unit_of_work(
        Scope("app", team_id), lambda writing: revoke_key(writing, key_id, actor=admin)
    )
    return answer(RevokedAnswer(key_id=key_id, revoked_at=revoked_at))
