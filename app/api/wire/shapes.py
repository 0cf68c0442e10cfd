"""What all wire models share: closed requests, whole answers, clean text, times in UTC, pages."""

import math
import re
from datetime import UTC, datetime
from typing import Annotated, Final, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from pydantic_core import PydanticCustomError

from app.kernel.storable import is_storable
from app.remember.guard.mask import mask_text

T = TypeVar("T")
MAX_LIMIT: Final = 100
_RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)")


class Closed(BaseModel):
    """Base of everything that a client sends."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class Answer(BaseModel):
    """Base of everything that a client gets; built from the domain's dataclasses."""

    model_config = ConfigDict(frozen=True, from_attributes=True, hide_input_in_errors=True)


class Listed(Answer, Generic[T]):
    """A page of a list; `next_cursor` is null at the end."""

    items: list[T]
    next_cursor: str | None


def check_text(text: str) -> str:
    """Return the text if PostgreSQL and UTF-8 can hold it unchanged."""
    if is_storable(text):
        return text
    what = "NUL character" if "\0" in text else "lone surrogate"
    raise PydanticCustomError("text_invalid", "The text holds a {what}.", {"what": what})


def check_json(value: object) -> object:
    """Return the JSON value if every text in it is clean and every number finite."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                check_text(text)
            case float() as number if not math.isfinite(number):
                raise PydanticCustomError("finite_number", "The number is too large.")
            case list() as items:
                waiting.extend(items)
            case dict() as members:
                waiting.extend([*members.keys(), *members.values()])
    return value


def _read_time(value: object) -> datetime:
    # Parsed here: what a validator has seen is no longer JSON, where alone a strict model takes text for a time.
    if not isinstance(value, str) or _RFC_3339.fullmatch(value) is None:
        raise PydanticCustomError("time_invalid", "A time is written as in RFC 3339, with its offset.")
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise PydanticCustomError("time_invalid", "There is no such time in the years 1 to 9999.") from error


Text = Annotated[str, AfterValidator(check_text)]
Name = Annotated[Text, StringConstraints(min_length=1, max_length=256)]
# What is stored beside evidence, some of it with events that nobody can change: a secret must not get that far.
Masked: Final = AfterValidator(lambda text: mask_text(text).text)
GivenName = Annotated[Name, Masked]
Reason = Annotated[Text, StringConstraints(max_length=1000), Masked]
IdempotencyKey = Annotated[Text, StringConstraints(min_length=1, max_length=128)]
Time = Annotated[AwareDatetime, BeforeValidator(_read_time)]
# What the database says and what the clock says is in UTC, so it is written with a Z.
UtcTime = datetime
# An event that happens again and again has no end of equivalent ones; `trace_memory` gives them page by page.
FirstIds = Annotated[list[str], BeforeValidator(lambda ids: list(ids)[:MAX_LIMIT])]


class Versioned(Closed):
    """Base of what changes a row: `expected_version` is the version that was decided about, as `If-Match` is."""

    expected_version: int | None = Field(default=None, ge=1, le=2**31 - 1)


class PageQuery(Closed):
    """`cursor` is the `next_cursor` of the page before, with the same filters."""

    limit: int = Field(default=20, ge=1, le=MAX_LIMIT)
    cursor: Annotated[Text, StringConstraints(min_length=1)] | None = None
