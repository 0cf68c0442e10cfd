"""Settings of dreaming as one level has set them. What a value may be is the domain's to say."""

from typing import Annotated, get_args

from pydantic import Field

from app.api.wire.shapes import Answer, Text, Versioned
from app.tenancy.configuration import GeneratorChoice, LevelValues, ProviderMode
from app.tenancy.setting_rules import BOUNDS, INSTANCE_SETTING_NAMES, MAX_TEXT_LENGTH


def _number(name: str, told: str) -> object:
    """Return the description of a bounded setting; the bounds are told here and checked by the domain."""
    bounds = BOUNDS[name]
    limits = {"minimum": bounds.least, "maximum": bounds.largest}
    return Field(description=told, json_schema_extra={key: _plain(limit) for key, limit in limits.items()})


def _plain(limit: float) -> int | float:
    return int(limit) if limit == int(limit) else limit


_Word = Annotated[Text, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_TEXT_LENGTH})]
_Cost = Annotated[float, _number("max_cost_usd", "US dollars a run; 0 means none.")]
_DailyCost = Annotated[
    float, _number("max_daily_cost_usd", "US dollars a day of the team's zone; 0 means none.")
]


class SettingsValues(Answer):
    """What this level has set; null is inherited."""

    enabled: bool | None
    local_time: str | None
    cron: str | None
    timezone: str | None
    generator: str | None
    provider_mode: str | None
    max_outputs: int | None
    max_premises: int | None
    max_groups: int | None
    max_input_tokens: int | None
    max_output_tokens: int | None
    max_cost_usd: float | None
    max_daily_cost_usd: float | None
    max_turns: int | None
    max_duration_seconds: int | None
    retention_days: int | None
    write_threshold: float | None
    row_version: int = Field(description="For `expected_version` of a change; the `ETag` too.")


class InstanceSettingsValues(SettingsValues):
    """What the instance has set; null is the built-in default."""

    force_enabled: bool | None


class SettingsBody(Versioned):
    """Settings to change: null returns one to what is inherited, a missing one stays as it is."""

    enabled: bool | None = Field(None, description="Whether the team dreams.")
    local_time: _Word | None = Field(
        None, description="HH:MM in `timezone`, each day. Not together with `cron`."
    )
    cron: _Word | None = Field(
        None,
        description="Minute, hour, day of month, month, day of week in `timezone`; at least 15 minutes apart.",
    )
    timezone: _Word | None = Field(None, description="An IANA name.")
    generator: Annotated[_Word, Field(json_schema_extra={"enum": get_args(GeneratorChoice)})] | None = Field(
        None, description="`rules`, `provider` or `auto`."
    )
    provider_mode: Annotated[_Word, Field(json_schema_extra={"enum": get_args(ProviderMode)})] | None = Field(
        None, description="`direct`, or `batch`: scheduled cycles wait for hours and pay half."
    )
    max_outputs: Annotated[int, _number("max_outputs", "Hypotheses a run.")] | None = None
    max_premises: Annotated[int, _number("max_premises", "Premises read a run.")] | None = None
    max_groups: Annotated[int, _number("max_groups", "Groups of premises a run.")] | None = None
    max_input_tokens: Annotated[int, _number("max_input_tokens", "Tokens into a provider a run.")] | None = (
        None
    )
    max_output_tokens: (
        Annotated[int, _number("max_output_tokens", "Tokens out of a provider a run.")] | None
    ) = None
    max_cost_usd: _Cost | None = None
    max_daily_cost_usd: _DailyCost | None = None
    max_turns: Annotated[int, _number("max_turns", "Calls of a provider a run.")] | None = None
    max_duration_seconds: Annotated[int, _number("max_duration_seconds", "Seconds a run.")] | None = None
    retention_days: (
        Annotated[int, _number("retention_days", "Days until an idea that nothing reinforces is stale.")]
        | None
    ) = None
    write_threshold: (
        Annotated[float, _number("write_threshold", "The least confidence of a verdict that grants support.")]
        | None
    ) = None

    def changes(self) -> dict[str, object]:
        """Return what the client has named, null included."""
        return self.model_dump(exclude_unset=True, exclude={"expected_version"})


class InstanceSettingsBody(SettingsBody):
    """Settings of the instance to change; they hold for every team that has not set its own."""

    force_enabled: bool | None = Field(
        None, description="Whether every team dreams, whatever it has set; `enabled` false outweighs it."
    )


def write_settings(level: LevelValues) -> dict[str, object]:
    """Return what one level has set as its answer is made from, every setting named."""
    return {**dict.fromkeys(INSTANCE_SETTING_NAMES), **level.values, "row_version": level.version}
