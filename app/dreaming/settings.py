"""Showing and changing the settings of dreaming, for a team and for the instance.

A change is all or nothing: checked against its bounds, against the instance, and as a schedule in its zone; then
it is stored, audited and planned in one transaction, so it holds without a restart. Nothing wrong is ever replaced
by a default.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from app.dreaming.timing.planning import plan_all_teams, plan_team
from app.dreaming.timing.schedule import check_spacing, read_schedule
from app.kernel.database import Writing
from app.kernel.errors import FieldError, InvalidInput, VersionMismatch
from app.tenancy.audit import Detail, record_audit
from app.tenancy.callers import Actor, Caller
from app.tenancy.configuration import (
    SETTING_NAMES,
    LevelValues,
    combine_levels,
    lock_settings,
    read_instance_values,
    read_team_values,
    store_instance_settings,
    store_team_settings,
)
from app.tenancy.setting_rules import FORCE, INSTANCE_SETTING_NAMES, find_excesses, find_faults

_SCHEDULE: Final = ("cron", "local_time", "timezone")
_PLANNED_BY: Final = frozenset({*_SCHEDULE, "enabled", FORCE})
_FIELDS: Final[Mapping[str, str]] = {
    "invalid_local_time": "local_time",
    "invalid_timezone": "timezone",
    "invalid_cron": "cron",
    "cron_never_due": "cron",
    "cron_too_frequent": "cron",
}


async def change_team_settings(
    writing: Writing,
    caller: Caller,
    changes: Mapping[str, object],
    *,
    expected_version: int | None,
    now: datetime,
) -> LevelValues:
    """Leave the caller's team with these values and planned by them, and return all that it has set.

    Args:
        writing: a transaction of the team.
        caller: whose act it is.
        changes: values by name; None returns a setting to what is inherited, a missing one stays.
        expected_version: the version that was decided about; None for any.
        now: what the next window comes after.

    Raises:
        InvalidInput: one FieldError a wrong setting; nothing was changed.
        VersionMismatch: the settings have changed since that version.
    """
    # What no version would make right is refused first.
    _refuse_if_any(find_faults(changes, names=SETTING_NAMES))
    team_id = caller.team_id
    await lock_settings(writing, team_id)
    before = await read_team_values(writing, team_id)
    _check_version(before, expected_version)
    instance = (await read_instance_values(writing)).values
    changed = _find_changed(before, changes)
    after = {**before.values, **changed}
    _refuse_if_any(find_excesses({name: after[name] for name in changed}, instance))
    if not changed:
        return before
    if not _PLANNED_BY.isdisjoint(changed):
        _check_schedule(after, instance, since=now)
    await store_team_settings(writing, team_id, changed)
    await record_audit(writing, caller, "settings_changed", details=_details(changed))
    if not _PLANNED_BY.isdisjoint(changed):
        await plan_team(writing, team_id, now)
    return await read_team_values(writing, team_id)


async def change_instance_settings(
    writing: Writing,
    actor: Actor,
    changes: Mapping[str, object],
    *,
    expected_version: int | None,
    now: datetime,
) -> LevelValues:
    """Leave the instance with these values and every team to be planned by them, and return all that it has set.

    Arguments and errors are those of `change_team_settings`; the transaction has no team.
    """
    _refuse_if_any(find_faults(changes, names=INSTANCE_SETTING_NAMES))
    await lock_settings(writing, None)
    before = await read_instance_values(writing)
    _check_version(before, expected_version)
    changed = _find_changed(before, changes)
    if not changed:
        return before
    after = {**before.values, **changed}
    if not _PLANNED_BY.isdisjoint(changed):
        _check_schedule({}, after, since=now)
    await store_instance_settings(writing, changed)
    await record_audit(writing, actor, "settings_changed", details=_details(changed))
    if not _PLANNED_BY.isdisjoint(changed):
        await plan_all_teams(writing, is_off=after.get("enabled") is False)
    return await read_instance_values(writing)


def _check_version(before: LevelValues, expected_version: int | None) -> None:
    if expected_version is not None and expected_version != before.version:
        raise VersionMismatch("The settings have changed since that version.")


def _find_changed(before: LevelValues, changes: Mapping[str, object]) -> dict[str, object]:
    """Return what does change, or raise InvalidInput for what does not go with the rest of the level."""
    changed = {name: value for name, value in changes.items() if value != before.values.get(name)}
    after = {**before.values, **changed}
    if after.get("cron") is not None and after.get("local_time") is not None:
        message = "One level names either a cron expression or a local time; set the other to null."
        raise _refuse([FieldError("cron", "cron_and_local_time", message)])
    return changed


def _check_schedule(team: Mapping[str, object], instance: Mapping[str, object], *, since: datetime) -> None:
    """Return if the effective schedule can be followed, whether dreaming is on or off."""
    effective = combine_levels(team=team, instance=instance)
    cron = effective["cron"].value
    try:
        schedule = read_schedule(
            local_time=str(effective["local_time"].value),
            cron=None if cron is None else str(cron),
            timezone=str(effective["timezone"].value),
        )
        if cron is not None:
            check_spacing(schedule, since)
    except InvalidInput as error:
        raise _refuse([FieldError(_FIELDS[error.code], error.code, str(error))]) from error


def _refuse_if_any(faults: list[FieldError]) -> None:
    if faults:
        raise _refuse(faults)


def _refuse(faults: list[FieldError]) -> InvalidInput:
    return InvalidInput("The settings are not valid.", errors=tuple(faults))


def _details(changed: Mapping[str, object]) -> dict[str, Detail]:
    return {name: value for name, value in changed.items() if isinstance(value, str | int | float | None)}
