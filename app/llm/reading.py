"""Reading an answer's JSON strictly: what is not exactly right is named, and nothing is repaired. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.kernel.storable import is_storable

MAX_ANSWER_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RepeatedKeys:
    """An object in which a key stands twice: which one counts would be a guess. The key is the model's word."""

    key: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a text is no JSON document, in a few words that quote nothing."""

    fault: str


def read_json(text: str) -> object:
    """Return the document, with a RepeatedKeys for each object that repeats a key; Unreadable if it is none.

    Not readable: a code fence, text before or behind, more than a million characters, nesting without end. NaN and
    Infinity come as such floats, so that their field alone is at fault.
    """
    if len(text) > MAX_ANSWER_CHARACTERS:
        return Unreadable("the answer is too long")
    try:
        return json.loads(text, object_pairs_hook=_build_object)
    except json.JSONDecodeError as error:
        return Unreadable(f"the answer is not one JSON document (at character {error.pos})")
    except (ValueError, RecursionError):
        return Unreadable("the answer holds a number or a depth that cannot be read")


def read_document(body: bytes) -> object:
    """Return what the provider sent as one JSON document, read like any answer; Unreadable if it is none."""
    try:
        return read_json(body.decode())
    except UnicodeDecodeError:
        return Unreadable("the answer is not UTF-8")


def find_field_fault(value: object, names: Sequence[str]) -> str | None:
    """Return why the value is not an object with exactly these fields, none of them null; else None.

    No other name than one of these is said: it would be the model's own word.
    """
    if isinstance(value, RepeatedKeys):
        return f"the field {value.key} is repeated" if value.key in names else "an unknown field is repeated"
    if not isinstance(value, Mapping):
        return "it is not an object"
    for name in names:
        if name not in value:
            return f"the field {name} is missing"
        if value[name] is None:
            return f"the field {name} is null"
    return None if all(name in names for name in value) else "it has an unknown field"


def is_share(number: object) -> bool:
    """Say whether it is a number from 0 to 1; a truth value, a text and NaN are none."""
    # NaN fails both comparisons, and an integer too large for a float is never converted.
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= 1


def is_text(text: object) -> bool:
    """Say whether it is text that PostgreSQL can store: no NUL, no half of a surrogate pair."""
    return isinstance(text, str) and is_storable(text)


def _build_object(pairs: Sequence[tuple[str, object]]) -> object:
    seen: dict[str, object] = {}
    for key, value in pairs:
        if key in seen:
            return RepeatedKeys(key)
        seen[key] = value
    return seen
