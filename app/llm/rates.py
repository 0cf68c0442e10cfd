"""What one call may cost at most, before it is made, and whether it is known afterwards what it did. Pure."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.llm.prices import PriceTable
from app.llm.usage import Usage

_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Rate:
    """What one call costs at most: dollars per million tokens, of all `answers` that may be paid for together.

    A question has `most_input` tokens at most, None: as many as the budgets allow.
    """

    input: Decimal
    output: Decimal
    answers: int = 1
    most_input: int | None = None

    def charge(self, input_tokens: int, output_tokens: int) -> Decimal:
        """Return what so many tokens in and out of each answer cost at most, in dollars."""
        return (self.input * input_tokens + self.output * output_tokens) / _MILLION


def rate_call(prices: PriceTable, model: str, *, has_fallbacks: bool, is_batch: bool = False) -> Rate:
    """Return what a call of the model costs at most, an upper bound.

    Input counts as if it were all written to the cache, where that costs more. With fallbacks a model that
    refuses after its last word is paid, and another one that the provider chooses, so the dearest, is paid as
    well. A batch knows no fallbacks.
    """
    own = prices.find(model)
    paid = [own.in_batch()] if is_batch else [own, prices.find_dearest()] if has_fallbacks else [own]
    return Rate(
        input=sum((max(price.input, price.cache_write) for price in paid), Decimal(0)),
        output=sum((price.output for price in paid), Decimal(0)),
        answers=len(paid),
        most_input=own.most_input,
    )


def is_accounted(usage: Usage, prices: PriceTable, *, asked: str, bound_usd: float | Decimal) -> bool:
    """Say whether a call can be charged what it used.

    False where nobody can know: then it counts at its bound, unless more than that is known to have been used.
    """
    return not usage.is_estimated or prices.cost(usage, asked=asked) > bound_usd
