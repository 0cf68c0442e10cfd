"""What a setting may be: its kind and its bounds. Pure; when a team is due is the schedule's to say.

Budgets of 0 mean none, never unlimited. Source: Design, section 6, "Budgets"; "Settings".
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from app.kernel.errors import FieldError
from app.tenancy.configuration import BUDGETS, SETTING_NAMES, GeneratorChoice, ProviderMode

FORCE: Final = "force_enabled"
INSTANCE_SETTING_NAMES: Final = (*SETTING_NAMES, FORCE)
MAX_TEXT_LENGTH: Final = 128


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the largest value, both allowed; `is_whole` for counts, else any finite number."""

    least: float
    largest: float
    is_whole: bool = True


BOUNDS: Final[Mapping[str, Bounds]] = {
    "max_outputs": Bounds(0, 50),
    "max_premises": Bounds(0, 100_000),
    "max_groups": Bounds(0, 1_000),
    "max_input_tokens": Bounds(0, 100_000_000),
    "max_output_tokens": Bounds(0, 10_000_000),
    "max_cost_usd": Bounds(0, 10_000, is_whole=False),
    "max_daily_cost_usd": Bounds(0, 100_000, is_whole=False),
    "max_turns": Bounds(0, 100),
    "max_duration_seconds": Bounds(0, 24 * 60 * 60),
    "retention_days": Bounds(1, 3_650),
    "write_threshold": Bounds(0, 1, is_whole=False),
}
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "generator": get_args(GeneratorChoice),
    "provider_mode": get_args(ProviderMode),
}
_SWITCHES: Final = frozenset({"enabled", FORCE})


def find_faults(changes: Mapping[str, object], *, names: tuple[str, ...]) -> list[FieldError]:
    """Return what is wrong with the values, in their order; None, which means inherited, is never wrong.

    Args:
        changes: values by the name of their setting.
        names: the settings that this level knows.
    """
    return [
        FieldError(name, *fault)
        for name, value in changes.items()
        if value is not None and (fault := _find_fault(name, value, names)) is not None
    ]


def find_excesses(values: Mapping[str, object], instance: Mapping[str, object]) -> list[FieldError]:
    """Return which budgets of a team are above those that the instance has set."""
    return [
        FieldError(name, "above_instance", f"The instance allows {limit:g} at most.")
        for name in BUDGETS
        if _is_number(value := values.get(name)) and _is_number(limit := instance.get(name)) and value > limit  # type: ignore[operator]  # Both are numbers.
    ]


def _find_fault(name: str, value: object, names: tuple[str, ...]) -> tuple[str, str] | None:
    if name not in names:
        return "unknown_setting", "There is no such setting."
    if name in _SWITCHES:
        return None if isinstance(value, bool) else ("bool_type", "This is true, false or null.")
    if name in BOUNDS:
        return _find_excess(BOUNDS[name], value)
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_TEXT_LENGTH:
        return "string_type", f"This is a text of 1 to {MAX_TEXT_LENGTH} characters, or null."
    choices = CHOICES.get(name)
    if choices is not None and value not in choices:
        return "unknown_choice", f"This is one of {', '.join(choices)}, or null."
    return None


def _find_excess(bounds: Bounds, value: object) -> tuple[str, str] | None:
    kind = "whole number" if bounds.is_whole else "number"
    message = f"This is a {kind} from {bounds.least:g} to {bounds.largest:.0f}, or null."
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "number_type", message
    # A whole number may be too large for a float, and is compared as it is.
    if isinstance(value, float) and (
        not math.isfinite(value) or (bounds.is_whole and not value.is_integer())
    ):
        return "number_type", message
    return None if bounds.least <= value <= bounds.largest else ("out_of_range", message)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
