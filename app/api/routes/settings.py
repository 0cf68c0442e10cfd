"""Settings of dreaming: a team's with `read` and `operate`, the instance's for admin keys."""

from typing import Final

from fastapi import APIRouter, Response

from app.api.answers import answer, refusals, takes
from app.api.auth import Administrator, Operator, Reader
from app.api.bodies import Body, parse
from app.api.door import DoorHere
from app.api.queries import NoQuery
from app.api.replay import NoKey
from app.api.versions import IfMatch, match_version, tag_version
from app.api.wire.settings import (
    InstanceSettingsBody,
    InstanceSettingsValues,
    SettingsBody,
    SettingsValues,
    write_settings,
)
from app.dreaming.settings import change_instance_settings, change_team_settings
from app.kernel.database import Scope
from app.tenancy.configuration import read_instance_values, read_team_values

router: Final = APIRouter(tags=["operators"])


@router.get(
    "/v1/dreaming/settings",
    operation_id="get_dreaming_settings",
    response_model=SettingsValues,
    responses=refusals(),
)
async def get_settings_route(door: DoorHere, caller: Reader, _: NoQuery) -> Response:
    """What the team itself has set; what holds in effect is in the status."""
    level = await door.read(caller, lambda reading: read_team_values(reading, caller.team_id))
    return answer(SettingsValues.model_validate(write_settings(level)), headers=tag_version(level.version))


@router.patch(
    "/v1/dreaming/settings",
    operation_id="change_dreaming_settings",
    response_model=SettingsValues,
    responses=refusals(412, has_body=True),
    openapi_extra=takes(SettingsBody),
)
async def change_settings_route(
    door: DoorHere, caller: Operator, raw: Body, if_match: IfMatch, _: NoQuery, _key: NoKey
) -> Response:
    """Change the team's settings, all of them or none; they hold at once."""
    body = match_version(parse(SettingsBody, raw), if_match)
    level = await door.write(
        caller,
        lambda writing: change_team_settings(
            writing, caller, body.changes(), expected_version=body.expected_version, now=door.now()
        ),
    )
    return answer(SettingsValues.model_validate(write_settings(level)), headers=tag_version(level.version))


@router.get(
    "/v1/instance/settings",
    operation_id="get_instance_settings",
    response_model=InstanceSettingsValues,
    responses=refusals(),
)
async def get_instance_settings_route(door: DoorHere, _admin: Administrator, _: NoQuery) -> Response:
    """What the instance has set for all its teams."""
    async with door.database.reading(Scope("app")) as reading:
        level = await read_instance_values(reading)
    body = InstanceSettingsValues.model_validate(write_settings(level))
    return answer(body, headers=tag_version(level.version))


@router.patch(
    "/v1/instance/settings",
    operation_id="change_instance_settings",
    response_model=InstanceSettingsValues,
    responses=refusals(412, has_body=True),
    openapi_extra=takes(InstanceSettingsBody),
)
async def change_instance_settings_route(
    door: DoorHere, admin: Administrator, raw: Body, if_match: IfMatch, _: NoQuery, _key: NoKey
) -> Response:
    """Change the instance's settings; with `enabled` false no team dreams, whatever else is set."""
    body = match_version(parse(InstanceSettingsBody, raw), if_match)
    level = await door.database.unit_of_work(
        Scope("app"),
        lambda writing: change_instance_settings(
            writing, admin, body.changes(), expected_version=body.expected_version, now=door.now()
        ),
    )
    answered = InstanceSettingsValues.model_validate(write_settings(level))
    return answer(answered, headers=tag_version(level.version))
