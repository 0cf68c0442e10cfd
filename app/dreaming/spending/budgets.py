"""What one run may use: the team's settings, lowered by whoever started it. Pure. 0 means none."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from app.dreaming.inputs.digest import Bound
from app.kernel.errors import FieldError, InvalidInput
from app.tenancy.configuration import Configuration


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits of one run; each name is also a setting's. Premises, groups and outputs are counts."""

    max_premises: int
    max_groups: int
    max_outputs: int
    max_input_tokens: int
    max_output_tokens: int
    max_cost_usd: float
    max_turns: int
    max_duration_seconds: int

    def find_zero(self) -> str | None:
        """Return the name of the first budget of 0 that leaves any generator nothing to do."""
        return next((name for name in _NEEDED if getattr(self, name) == 0), None)

    def bounds(self) -> dict[str, Bound]:
        """Return what belongs into the snapshot digest: every limit that changes what can come out."""
        return {name: getattr(self, name) for name in BUDGET_NAMES if name != "max_duration_seconds"}

    def describe(self, used: Mapping[str, float]) -> list[dict[str, object]]:
        """Return `{name, limit, used}` for each budget, in order."""
        return [
            {"name": name, "limit": getattr(self, name), "used": used.get(name, 0)} for name in BUDGET_NAMES
        ]


BUDGET_NAMES: Final = tuple(field.name for field in fields(Budgets))
_WHOLE: Final = frozenset(BUDGET_NAMES) - {"max_cost_usd"}
_NEEDED: Final = ("max_outputs", "max_premises", "max_groups", "max_duration_seconds")


def team_budgets(configuration: Configuration) -> Budgets:
    """Return the team's budgets."""
    return Budgets(**{name: getattr(configuration, name) for name in BUDGET_NAMES})


def lower_budgets(budgets: Budgets, requested: Mapping[str, float]) -> Budgets:
    """Return the budgets, each lowered to what was requested; a request above them changes nothing."""
    lowered = {
        name: min(getattr(budgets, name), requested[name]) for name in BUDGET_NAMES if name in requested
    }
    return replace(budgets, **lowered)


def check_request(budgets: Budgets, requested: Mapping[str, float]) -> None:
    """Return if every requested budget is known and within the team's.

    Raises:
        InvalidInput: one FieldError a budget: `unknown_budget`, `invalid_budget`, `budget_above_limit`.
    """
    errors = tuple(
        FieldError(f"budgets.{name}", code, message)
        for name, value in requested.items()
        for code, message in _find_fault(budgets, name, value)
    )
    if errors:
        raise InvalidInput("The requested budgets cannot be granted.", errors=errors)


def _find_fault(budgets: Budgets, name: str, value: float) -> list[tuple[str, str]]:
    if name not in BUDGET_NAMES:
        return [("unknown_budget", "There is no such budget.")]
    if isinstance(value, bool) or not 0 <= value < float("inf") or (name in _WHOLE and value != int(value)):
        return [("invalid_budget", "A budget is a finite number from 0; counts are whole.")]
    limit = getattr(budgets, name)
    if value > limit:
        return [("budget_above_limit", f"The team's limit is {limit}.")]
    return []
