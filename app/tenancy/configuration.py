"""Effective configuration: built-in default, then instance, then team, each key by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final, Literal, LiteralString

from psycopg.types.json import Jsonb

from app.kernel.database import Reading, Writing

GeneratorChoice = Literal["rules", "provider", "auto"]
Level = Literal["team", "instance", "built_in"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What holds for one team now. Budgets of 0 mean none, never unlimited. Times are in `timezone`."""

    enabled: bool = True
    local_time: str = "03:00"
    cron: str | None = None
    timezone: str = "UTC"
    generator: GeneratorChoice = "auto"
    max_outputs: int = 5
    max_premises: int = 20_000
    max_groups: int = 40
    max_input_tokens: int = 200_000
    max_output_tokens: int = 20_000
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


SETTING_NAMES: Final = tuple(field.name for field in fields(Configuration))
_BUILT_IN: Final = Configuration()


async def effective_configuration(reading: Reading, team_id: str) -> Configuration:
    """Return what holds for the team; the transaction's scope is that team."""
    settings = await effective_settings(reading, team_id)
    return Configuration(**{name: setting.value for name, setting in settings.items()})  # type: ignore[arg-type]  # Values were checked when they were stored.


async def effective_settings(reading: Reading, team_id: str) -> Mapping[str, Effective]:
    """Return every setting with its source, in the order of `Configuration`.

    An instance that is off stays off for every team; one that is forced on ignores a team's own off.
    """
    rows = await reading.fetch_all(_SETTINGS, {"team_id": team_id})
    levels: dict[Level, dict[str, object]] = {"instance": {}, "team": {}}
    for row in rows:
        levels[row["level"]][row["name"]] = row["value"]
    settings = {name: _effective(name, levels) for name in SETTING_NAMES}
    if levels["instance"].get("enabled") is False:
        settings["enabled"] = Effective(False, "instance")
    elif levels["instance"].get("force_enabled") is True:
        settings["enabled"] = Effective(True, "instance")
    return settings


async def store_team_settings(writing: Writing, team_id: str, changes: Mapping[str, object]) -> None:
    """Leave the team with these values; None returns a key to what is inherited.

    The values are checked by the door that takes them; an unknown name is a mistake of the program.
    """
    assert changes.keys() <= set(SETTING_NAMES), "unknown setting"
    await writing.execute_many(
        _STORE, [{"team_id": team_id, "name": name, "value": Jsonb(value)} for name, value in changes.items()]
    )


def _effective(name: str, levels: Mapping[Level, Mapping[str, object]]) -> Effective:
    for level in ("team", "instance"):
        value = levels[level].get(name)
        if value is not None:
            return Effective(value, level)
    return Effective(getattr(_BUILT_IN, name), "built_in")


_SETTINGS: LiteralString = """
    SELECT 'instance' AS level, name, value FROM instance_settings
    UNION ALL
    SELECT 'team', name, value FROM team_settings WHERE team_id = %(team_id)s
"""

# A JSON null is a row that says nothing: DELETE is nobody's privilege.
_STORE: LiteralString = """
    INSERT INTO team_settings (team_id, name, value) VALUES (%(team_id)s, %(name)s, %(value)s)
    ON CONFLICT (team_id, name) DO UPDATE SET value = EXCLUDED.value, updated_at = clock_timestamp()
"""
