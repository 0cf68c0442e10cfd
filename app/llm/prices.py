"""What tokens cost: a dated table that a file can override. Pure but for reading that file.

Dollars per million tokens, as published by the provider on `AS_OF`. A batch costs half of each price. A model that
the table does not know is charged at the highest of each price, so that a budget is never outrun by a new name.

One price a model: where long questions have a higher one, the table says up to what length its own holds
(`most_input`), and no longer question is asked of that model.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.kernel.errors import SetupError
from app.llm.reading import read_document
from app.llm.reported import MODEL_NAME
from app.llm.usage import Tokens, Usage

AS_OF: Final = "2026-11-29"
BATCH_SHARE: Final = Decimal("0.5")
_MILLION: Final = Decimal(1_000_000)
_MICRODOLLAR: Final = Decimal("0.000001")
OTHER_MODEL: Final = "other"
# What may follow a model's name and mean the same model: a date, in either way of writing it, or the newest.
_SAME: Final = re.compile(r"[-@](20[0-9]{6})|-latest")
_FARTHEST_EAST: Final = timedelta(hours=14)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EARLIEST: Final = date(2020, 1, 1)


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

    def raise_to(self, least: "Price") -> "Price":
        """Return the higher one of each kind of token."""
        return Price(
            max(self.input, least.input),
            max(self.output, least.output),
            max(self.cache_read, least.cache_read),
            max(self.cache_write, least.cache_write),
            self.most_input,
        )

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
        """Return the price of the model, of the known name that it gives a date to, or the dearest."""
        known = [name for name in self.prices if is_same_model(model, name)]
        return self.prices[max(known, key=len)] if known else self.find_dearest()

    def name_model(self, model: str, *, asked: str) -> str:
        """Return the model's name where it is the one that was asked or in the table, else OTHER_MODEL.

        An answer may name anything, and what is kept of it is shown.
        """
        is_known = any(is_same_model(model, name) for name in (asked, *self.prices))
        return model if is_known else OTHER_MODEL

    def find_dearest(self) -> Price:
        """Return the price of whatever model the table does not name: the highest of each kind of token."""
        known = self.prices.values()
        return Price(
            max(price.input for price in known),
            max(price.output for price in known),
            max(price.cache_read for price in known),
            max(price.cache_write for price in known),
        )

    def cost(self, usage: Usage, *, asked: str) -> Decimal:
        """Return what the usage costs in dollars, rounded up to a millionth.

        No token is cheaper than one of the model that was `asked`: an answer may name any other.
        """
        least = self.find(asked)
        dollars = sum(
            (self.find(model).raise_to(least).charge(tokens) for model, tokens in usage.by_model.items()),
            Decimal(0),
        )
        share = BATCH_SHARE if usage.is_batch else Decimal(1)
        return round_up(dollars * share)


def is_same_model(model: str, name: str) -> bool:
    """Say whether the model is the one of that name, or one of its dates."""
    if not model.startswith(name) or model == name:
        return model == name
    same = _SAME.fullmatch(model, len(name))
    return same is not None and (same[1] is None or _is_date(same[1]))


def _is_date(digits: str) -> bool:
    try:
        date.fromisoformat(digits)
    except ValueError:
        return False
    return True


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


def round_up(dollars: Decimal) -> Decimal:
    """Return the amount in whole millionths of a dollar, as ledgers keep it, never less."""
    return dollars.quantize(_MICRODOLLAR, rounding=ROUND_CEILING)


def load_prices(path: Path | None, *, now: datetime | None = None) -> PriceTable:
    """Return the built-in table, with the models of the file in place of or beside its own.

    The file is JSON: `{"as_of": "2026-11-29", "models": {"claude-…": {"input": 4, "output": 20, "cache_read": 0.2,
    "cache_write": 5}}}`, in dollars per million tokens, each from 0 to a million; `"most_input":
    100000` beside them where they hold for no longer a question. Its day is one from 2020 on that has
    begun somewhere at `now` (default: the clock's).

    Raises:
        SetupError: `price_file`, when it cannot be read or has another form.
    """
    if path is None:
        return BUILT_IN
    try:
        # An object that repeats a key is none to this reader: which price counts would be a guess.
        file = _PriceFile.model_validate(read_document(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise SetupError(f"The price file {path} can't be read as prices.", code="price_file") from error
    latest = ((now or datetime.now(UTC)).astimezone(UTC) + _FARTHEST_EAST).date()
    if not _EARLIEST <= file.as_of <= latest:
        raise SetupError(f"The price file {path} is of no day from 2020 to today.", code="price_file")
    own = {name: entry.as_price() for name, entry in file.models.items()}
    return PriceTable(file.as_of.isoformat(), {**BUILT_IN.prices, **own})


_Dollars = Annotated[float, Field(strict=True, ge=0, le=1_000_000, allow_inf_nan=False)]


class _PriceEntry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    input: _Dollars
    output: _Dollars
    cache_read: _Dollars
    cache_write: _Dollars
    most_input: Annotated[int, Field(strict=True, ge=1)] | None = None

    def as_price(self) -> Price:
        # A float's shortest form is what the file says.
        input_, output, cache_read, cache_write = (
            Decimal(repr(one)) for one in (self.input, self.output, self.cache_read, self.cache_write)
        )
        return Price(input_, output, cache_read, cache_write, self.most_input)


def _read_day(text: object) -> date:
    # A number or a time would be read as a day as well, and nobody knows whose.
    if not isinstance(text, str) or _DAY.fullmatch(text) is None:
        raise ValueError("no day")
    return date.fromisoformat(text)


_ModelName = Annotated[str, Field(pattern=f"^{MODEL_NAME}$")]


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    as_of: Annotated[date, BeforeValidator(_read_day)]
    models: Annotated[dict[_ModelName, _PriceEntry], Field(min_length=1)]
