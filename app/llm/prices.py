"""What tokens cost: a dated table that a file can override. Pure but for reading that file.

Dollars per million tokens, as published by the provider on `AS_OF`. A batch costs half of each price. A model that
the table does not know is charged as the dearest one in it, so that a budget is never outrun by a new name.

One price a model: where long questions have a higher one, the table says up to what length its own holds
(`most_input`), and no longer question is asked of that model.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Final

from app.kernel.errors import SetupError
from app.llm.usage import Tokens, Usage

AS_OF: Final = "2026-11-29"
BATCH_SHARE: Final = Decimal("0.5")
_MILLION: Final = Decimal(1_000_000)
_MICRODOLLAR: Final = Decimal("0.000001")
_FIELDS: Final = ("input", "output", "cache_read", "cache_write")
_LENGTH: Final = "most_input"


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens; `cache_write` is that of the five-minute cache.

    It holds for calls of up to `most_input` tokens of input, None: of any length.
    """

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    most_input: int | None = None

    def charge(self, tokens: Tokens) -> Decimal:
        """Return what the tokens cost in dollars, not rounded."""
        return (
            self.input * tokens.input
            + self.output * tokens.output
            + self.cache_read * tokens.cache_read
            + self.cache_write * tokens.cache_write
        ) / _MILLION

    def in_batch(self) -> "Price":
        """Return what the same costs in a batch."""
        return Price(
            self.input * BATCH_SHARE,
            self.output * BATCH_SHARE,
            self.cache_read * BATCH_SHARE,
            self.cache_write * BATCH_SHARE,
            self.most_input,
        )


def _price(
    input_: str, output: str, cache_read: str, cache_write: str, most_input: int | None = None
) -> Price:
    return Price(Decimal(input_), Decimal(output), Decimal(cache_read), Decimal(cache_write), most_input)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by the model's name; `as_of` is the date of the table."""

    as_of: str
    prices: Mapping[str, Price]

    def find(self, model: str) -> Price:
        """Return the price of the model, of the longest known name that it begins with, or the dearest."""
        known = [name for name in self.prices if model == name or model.startswith(f"{name}-2")]
        return self.prices[max(known, key=len)] if known else self.find_dearest()

    def find_dearest(self) -> Price:
        """Return the price of whatever model the table does not name."""
        return max(self.prices.values(), key=lambda price: (price.output, price.input))

    def cost(self, usage: Usage) -> Decimal:
        """Return what the usage costs in dollars, rounded up to a millionth."""
        dollars = sum(
            (self.find(model).charge(tokens) for model, tokens in usage.by_model.items()), Decimal(0)
        )
        share = BATCH_SHARE if usage.is_batch else Decimal(1)
        return (dollars * share).quantize(_MICRODOLLAR, rounding=ROUND_CEILING)


BUILT_IN: Final = PriceTable(
    AS_OF,
    {
        "claude-fable-5-2": _price("10", "50", "1", "12.50"),
        "claude-fable-5-1": _price("10", "50", "1", "12.50"),
        "claude-opus-5-5": _price("4", "20", "0.20", "5"),
        "claude-opus-5": _price("5", "25", "0.50", "6.25"),
        "claude-opus-4-8": _price("5", "25", "0.50", "6.25"),
        "claude-sonnet-5-5": _price("2", "10", "0.10", "2.50"),
        "claude-sonnet-5": _price("2", "10", "0.20", "2.50"),
        "claude-haiku-5-5": _price("0.10", "0.50", "0.01", "0.125", most_input=100_000),
        "claude-haiku-4-5": _price("1", "5", "0.10", "1.25"),
    },
)


def load_prices(path: Path | None) -> PriceTable:
    """Return the built-in table, with the models of the file in place of or beside its own.

    The file is JSON: `{"as_of": "2027-01-31", "models": {"claude-…": {"input": 4, "output": 20, "cache_read": 0.2,
    "cache_write": 5}}}`, in dollars per million tokens, each from 0; `"most_input": 100000` beside them where they
    hold for no longer a question.

    Raises:
        SetupError: `price_file`, when it cannot be read or has another form.
    """
    if path is None:
        return BUILT_IN
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)
        own = {name: _read_price(fields) for name, fields in document["models"].items()}
        as_of = document["as_of"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SetupError(f"The price file {path} can't be read as prices.", code="price_file") from error
    if not isinstance(as_of, str) or not own:
        raise SetupError(f"The price file {path} has no date or no models.", code="price_file")
    return PriceTable(as_of, {**BUILT_IN.prices, **own})


def _read_price(fields: Mapping[str, Decimal]) -> Price:
    if {*fields} - {_LENGTH} != {*_FIELDS}:
        raise ValueError("a price has other fields")
    if not all(isinstance(value, Decimal) and value >= 0 for value in fields.values()):
        raise ValueError("a price is not a number from 0")
    length = fields.get(_LENGTH)
    if length is not None and not 1 <= length == int(length):
        raise ValueError("a length is not a whole number")
    input_, output, cache_read, cache_write = (fields[name] for name in _FIELDS)
    return Price(input_, output, cache_read, cache_write, None if length is None else int(length))
