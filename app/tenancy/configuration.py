"""Effective configuration: built-in default, then instance, then team, each key by itself.

A team's budget never passes one that the instance has set. `cron` and `local_time` name the same thing, so the
closest level that names either decides: a team's local time puts an inherited cron expression out of force.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, Literal, LiteralString

from psycopg.types.json import Jsonb

from app.kernel.database import Reading, Row, Writing

GeneratorChoice = Literal["rules", "provider", "auto"]
ProviderMode = Literal["direct", "batch"]
Level = Literal["team", "instance", "built_in"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What holds for one team now. Budgets of 0 mean none, never unlimited. Times are in `timezone`."""

    enabled: bool = True
    local_time: str = "03:00"
    cron: str | None = None
    timezone: str = "UTC"
    generator: GeneratorChoice = "auto"
    provider_mode: ProviderMode = "direct"
    max_outputs: int = 5
    max_premises: int = 20_000
    max_groups: int = 40
    max_input_tokens: int = 200_000
    max_output_tokens: int = 40_000
    max_cost_usd: float = 1.0
    max_daily_cost_usd: float = 5.0
    max_turns: int = 3
    max_duration_seconds: int = 600
    retention_days: int = 90
    write_threshold: float = 0.6


@dataclass(frozen=True, slots=True)
class Effective:
    """One key: its value and the level that it comes from."""

    value: object
    source: Level


@dataclass(frozen=True, slots=True)
class LevelValues:
    """What one level has set, and the version of that: it rises with every change."""

    values: Mapping[str, object]
    version: int


SETTING_NAMES: Final = tuple(field.name for field in fields(Configuration))
BUDGETS: Final = (
    *("max_outputs", "max_premises", "max_groups", "max_input_tokens", "max_output_tokens"),
    *("max_cost_usd", "max_daily_cost_usd", "max_turns", "max_duration_seconds"),
)
_BUILT_IN: Final = Configuration()


async def effective_configuration(reading: Reading, team_id: str) -> Configuration:
    """Return what holds for the team; the transaction's scope is that team."""
    settings = await effective_settings(reading, team_id)
    return Configuration(**{name: setting.value for name, setting in settings.items()})  # type: ignore[arg-type]  # Values were checked when they were stored.


async def effective_settings(reading: Reading, team_id: str) -> Mapping[str, Effective]:
    """Return every setting with its source, in the order of `Configuration`.

    An instance that is off stays off for every team; one that is forced on ignores a team's own off.
    """
    levels = _levels(await reading.fetch_all(_SETTINGS, {"team_id": team_id}))
    return combine_levels(team=levels["team"], instance=levels["instance"])


def is_enabled(switches: Sequence[Row] | None) -> bool:
    """Return whether dreaming is on, `enabled` as in `effective_settings`, from what `SWITCHES` gave."""
    return _enabled(_levels(switches or ())).value is True


def combine_levels(*, team: Mapping[str, object], instance: Mapping[str, object]) -> Mapping[str, Effective]:
    """Return every setting with its source, in the order of `Configuration`; None is inherited."""
    levels: dict[Level, Mapping[str, object]] = {"team": team, "instance": instance}
    settings = {name: _effective(name, levels) for name in SETTING_NAMES}
    for name in BUDGETS:
        limit = instance.get(name)
        if limit is not None and settings[name].value > limit:  # type: ignore[operator]  # Both are numbers.
            settings[name] = Effective(limit, "instance")
    if team.get("local_time") is not None and team.get("cron") is None:
        settings["cron"] = Effective(None, "team")
    return settings | {"enabled": _enabled(levels)}


async def read_team_values(reading: Reading, team_id: str) -> LevelValues:
    """Return what the team itself has set."""
    return _level(await reading.fetch_all(_TEAM, {"team_id": team_id}))


async def read_instance_values(reading: Reading) -> LevelValues:
    """Return what the instance has set, `force_enabled` included."""
    return _level(await reading.fetch_all(_INSTANCE))


async def lock_settings(writing: Writing, team_id: str | None) -> None:
    """Let nobody else change this team's settings, or the instance's, until the transaction ends."""
    await writing.fetch_one(_LOCK, {"name": f"settings/{team_id or 'instance'}"})


async def store_team_settings(writing: Writing, team_id: str, changes: Mapping[str, object]) -> None:
    """Leave the team with these values; None returns a key to what is inherited.

    The values have been checked; an unknown name is a mistake of the program.
    """
    assert changes.keys() <= set(SETTING_NAMES), "unknown setting"
    await writing.execute_many(
        _STORE, [{"team_id": team_id, "name": name, "value": Jsonb(value)} for name, value in changes.items()]
    )


async def store_instance_settings(writing: Writing, changes: Mapping[str, object]) -> None:
    """Leave the instance with these values; None returns a key to the built-in one. They have been checked."""
    await writing.execute_many(
        _STORE_INSTANCE, [{"name": name, "value": Jsonb(value)} for name, value in changes.items()]
    )


def _levels(rows: Sequence[Row]) -> dict[Level, Mapping[str, object]]:
    team = {row["name"]: row["value"] for row in rows if row["level"] == "team"}
    return {
        "team": team,
        "instance": {row["name"]: row["value"] for row in rows if row["level"] == "instance"},
    }


def _level(rows: list[Row]) -> LevelValues:
    values = {row["name"]: row["value"] for row in rows if row["value"] is not None}
    return LevelValues(values, 1 + sum(row["row_version"] for row in rows))


def _enabled(levels: Mapping[Level, Mapping[str, object]]) -> Effective:
    instance = levels["instance"]
    if instance.get("enabled") is False:
        return Effective(False, "instance")
    if instance.get("force_enabled") is True:
        return Effective(True, "instance")
    return _effective("enabled", levels)


def _effective(name: str, levels: Mapping[Level, Mapping[str, object]]) -> Effective:
    for level in ("team", "instance"):
        value = levels[level].get(name)
        if value is not None:
            return Effective(value, level)
    return Effective(getattr(_BUILT_IN, name), "built_in")


_SETTINGS: Final[LiteralString] = """
    SELECT 'instance' AS level, name, value FROM instance_settings
    UNION ALL
    SELECT 'team', name, value FROM team_settings WHERE team_id = %(team_id)s
"""
# What `is_enabled` goes by, as one value beside others of a statement that knows `team_id`: an array, or null.
SWITCHES: Final[LiteralString] = f"""
    (SELECT jsonb_agg(told) FROM ({_SETTINGS}) AS told WHERE told.name IN ('enabled', 'force_enabled'))
"""

# A JSON null is a row that says nothing: DELETE is nobody's privilege.
_STORE: LiteralString = """
    INSERT INTO team_settings (team_id, name, value) VALUES (%(team_id)s, %(name)s, %(value)s)
    ON CONFLICT (team_id, name)
    DO UPDATE SET value = EXCLUDED.value, row_version = team_settings.row_version + 1,
                  updated_at = clock_timestamp()
"""

_STORE_INSTANCE: LiteralString = """
    INSERT INTO instance_settings (name, value) VALUES (%(name)s, %(value)s)
    ON CONFLICT (name)
    DO UPDATE SET value = EXCLUDED.value, row_version = instance_settings.row_version + 1,
                  updated_at = clock_timestamp()
"""

_TEAM: LiteralString = "SELECT name, value, row_version FROM team_settings WHERE team_id = %(team_id)s"
_INSTANCE: LiteralString = "SELECT name, value, row_version FROM instance_settings"
_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 2))"
