"""Typed Values: from a JSON literal to the one canonical spelling, and the spellings a citation may hold.

Pure. Canonical forms: strings as given, NFC, trimmed; numbers in plain decimal notation without
superfluous zeros ("1500000", "-0.5"); booleans `true` and `false`; dates `YYYY-MM-DD`; date-times in UTC,
`YYYY-MM-DDTHH:MM:SS[.ffffff]Z`. An impossible literal raises `InvalidValue` with a stable code; nothing is
coerced ("1" is no number, 1 is no boolean).
"""

import math
import re
import unicodedata
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from app.ledger.vocabulary import TypedValue, ValueType

MAX_STRING_LENGTH: Final = 1000
MAX_UNIT_LENGTH: Final = 64
MAX_NUMBER_DIGITS: Final = 40

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,6})?([Zz]|[+-]\d{2}:\d{2})")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class InvalidValue(ValueError):
    """The literal can't be a value of that type.

    `code`: `value_type_mismatch`, `value_out_of_range`, `value_malformed`, `value_blank`, `value_too_long`,
    `unit_not_allowed`, `unit_malformed`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def parse_value(value_type: ValueType, literal: object, unit: str | None = None) -> TypedValue:
    """Return the value in canonical form.

    Args: `literal` as JSON gives it: str for string, date, date_time; int, float or Decimal for number;
    bool for boolean. A unit (at most 64 characters) belongs to numbers only.
    Raises: `InvalidValue`.
    """
    match value_type:
        case "string":
            canonical = _parse_string(literal)
        case "number":
            canonical = _parse_number(literal)
        case "boolean":
            canonical = _parse_boolean(literal)
        case "date":
            canonical = _parse_date(literal)
        case "date_time":
            canonical = _parse_date_time(literal)
    return TypedValue(value_type, canonical, _parse_unit(value_type, unit))


def spellings(value: TypedValue) -> tuple[str, ...]:
    """Return the forms of the value that a citation may hold, the canonical one first, without repeats.

    Numbers: also with thousands separators (comma, space, thin space, apostrophe); a value with a unit is
    always spelled with it, attached or after a space. Dates: also spelled out, day or month first.
    """
    match value.value_type:
        case "number":
            forms = _spell_number(value.canonical)
        case "date":
            forms = _spell_date(date.fromisoformat(value.canonical))
        case "date_time":
            forms = _spell_date_time(value.canonical)
        case _:
            forms = [value.canonical]
    if value.unit:
        forms = [f"{form}{gap}{value.unit}" for form in forms for gap in (" ", "")]
    return tuple(dict.fromkeys(forms))


def _parse_string(literal: object) -> str:
    if not isinstance(literal, str):
        raise InvalidValue("value_type_mismatch")
    text = unicodedata.normalize("NFC", literal).strip()
    if not text:
        raise InvalidValue("value_blank")
    if len(text) > MAX_STRING_LENGTH:
        raise InvalidValue("value_too_long")
    if "\0" in text or any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise InvalidValue("value_malformed")
    return text


def _parse_number(literal: object) -> str:
    if isinstance(literal, bool) or not isinstance(literal, int | float | Decimal):
        raise InvalidValue("value_type_mismatch")
    if isinstance(literal, float) and not math.isfinite(literal):
        raise InvalidValue("value_out_of_range")
    if isinstance(literal, int) and literal.bit_length() > 4 * MAX_NUMBER_DIGITS:
        raise InvalidValue("value_out_of_range")
    # A float's repr is the shortest decimal that reads back as it, which is what the client wrote.
    number = Decimal(repr(literal)) if isinstance(literal, float) else Decimal(literal)
    if not number.is_finite() or abs(number.adjusted()) > MAX_NUMBER_DIGITS:
        raise InvalidValue("value_out_of_range")
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if len(text.lstrip("-").replace(".", "")) > 2 * MAX_NUMBER_DIGITS:
        raise InvalidValue("value_out_of_range")
    return "0" if text in ("-0", "") else text


def _parse_boolean(literal: object) -> str:
    if not isinstance(literal, bool):
        raise InvalidValue("value_type_mismatch")
    return "true" if literal else "false"


def _parse_date(literal: object) -> str:
    if not isinstance(literal, str):
        raise InvalidValue("value_type_mismatch")
    if not literal.isascii() or not _DATE.fullmatch(literal):
        raise InvalidValue("value_malformed")
    try:
        return date.fromisoformat(literal).isoformat()
    except ValueError as error:
        raise InvalidValue("value_out_of_range") from error


def _parse_date_time(literal: object) -> str:
    if not isinstance(literal, str):
        raise InvalidValue("value_type_mismatch")
    if not literal.isascii() or not _DATE_TIME.fullmatch(literal):
        raise InvalidValue("value_malformed")
    try:
        moment = datetime.fromisoformat(literal.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidValue("value_out_of_range") from error
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}{fraction}Z"


def _parse_unit(value_type: ValueType, unit: str | None) -> str:
    text = unicodedata.normalize("NFC", unit or "").strip()
    if not text:
        return ""
    if value_type != "number":
        raise InvalidValue("unit_not_allowed")
    if len(text) > MAX_UNIT_LENGTH or any(not character.isprintable() for character in text):
        raise InvalidValue("unit_malformed")
    return text


def _spell_number(canonical: str) -> list[str]:
    sign, digits = ("-", canonical[1:]) if canonical.startswith("-") else ("", canonical)
    whole, dot, fraction = digits.partition(".")
    grouped = f"{int(whole):,}"
    separators = (",", " ", "\u00a0", "\u2009", "\u202f", "'")
    forms = [f"{sign}{grouped.replace(',', separator)}{dot}{fraction}" for separator in separators]
    return [canonical, *forms]


def _spell_date(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    forms = [day.isoformat()]
    for name in (month, month[:3], f"{month[:3]}."):
        for number in (str(day.day), f"{day.day:02d}", _ordinal(day.day)):
            forms += [
                f"{number} {name} {day.year}",
                f"{name} {number}, {day.year}",
                f"{name} {number} {day.year}",
                f"{number} of {name} {day.year}",
            ]
    return forms


def _spell_date_time(canonical: str) -> list[str]:
    stem, seconds_zero = canonical[:-1], canonical.endswith(":00Z")
    forms = [canonical, f"{stem}+00:00", canonical.replace("T", " "), f"{stem.replace('T', ' ')} UTC"]
    if seconds_zero:
        forms += [f"{stem[:-3].replace('T', ' ')} UTC", f"{stem[:-3]}Z"]
    return forms


def _ordinal(number: int) -> str:
    suffix = "th" if 11 <= number % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
