"""Reading what the provider says that a call has used: exactly right, or not at all. Pure.

What stands in a ledger has to be small enough for it, and no word of the provider makes a call free: whoever gets
nothing from here charges an estimate. A service tier is not read, because the caller knows whether it asked in a
batch.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from app.llm.usage import Tokens

Fields = Mapping[str, object]
# Many times the longest context; the cost of so many fits the ledger also at prices a hundred times the dearest.
MOST_TOKENS: Final = 10_000_000
_HOPS: Final = "iterations"
_NO_HOP: Final[Fields] = {}
_COUNTS: Final = frozenset(
    {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}
)
MODEL_NAME: Final = "[A-Za-z0-9._:/@-]{1,128}"
_NAME: Final = re.compile(MODEL_NAME)


def is_model_name(name: object) -> bool:
    """Say whether it is a name that a model may have: up to 128 plain characters."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def read_count(value: object) -> int | None:
    """Return the count of tokens, None for what is none: no number from 0 to `MOST_TOKENS`."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def join_reported(known: dict[str, object], reported: Fields) -> None:
    """Leave what a later event reports among what is known: counts are cumulative, so none of them falls, those of
    a hop neither, and no hop goes away.

    A count that is none stays: what was once unreadable is not made readable by the next event.
    """
    for name, value in reported.items():
        before = known.get(name)
        if value is None:
            continue
        if name == _HOPS:
            known[name] = _join_hops(before, value)
            continue
        if name not in _COUNTS or before is None:
            known[name] = value
            continue
        first, second = read_count(before), read_count(value)
        if first is not None:
            known[name] = value if second is None else max(first, second)


def _join_hops(before: object, value: object) -> list[Fields]:
    """Return the hops, each with the higher one of both counts, in the order in which they began."""
    joined: list[Fields] = []
    for first, second in zip_longest(list_mappings(before), list_mappings(value), fillvalue=_NO_HOP):
        hop = dict(first)
        join_reported(hop, second)
        joined.append(hop)
    return joined


def read_reported(reported: Fields, model: str) -> dict[str, Tokens] | None:
    """Return the tokens of each model, None where any of them cannot be known.

    With server-side fallbacks each hop reports its own; together they are never less than the whole.
    """
    whole = _read_tokens(reported)
    if whole is None:
        return None
    hops = [
        hop
        for hop in list_mappings(reported.get(_HOPS))
        if hop.get("type") in ("message", "fallback_message")
    ]
    if not any(hop.get("type") == "fallback_message" for hop in hops):
        return {model: whole}
    sums: dict[str, Tokens] = {}
    for hop in hops:
        name, tokens = hop.get("model", model), _read_tokens(hop)
        if tokens is None or not isinstance(name, str) or not is_model_name(name):
            return None
        sums[name] = sums.get(name, Tokens()) + tokens
    together = sum(sums.values(), Tokens())
    is_whole = all(
        least <= count <= MOST_TOKENS
        for least, count in zip(_counts_of(whole), _counts_of(together), strict=True)
    )
    return sums if is_whole else None


def is_free(reported: Fields) -> bool:
    """Say whether nothing is counted, the last time that anything is said of it."""
    tokens = _read_tokens(reported)
    return tokens is not None and not (tokens.all_input or tokens.output)


def counts_input(reported: Fields) -> bool:
    """Say whether any input is counted."""
    tokens = _read_tokens(reported)
    return tokens is None or tokens.all_input > 0


def list_mappings(values: object) -> Iterator[Fields]:
    """Yield the mappings in a list, none where it is no list."""
    if isinstance(values, Sequence) and not isinstance(values, str):
        yield from (value for value in values if isinstance(value, Mapping))


def _read_tokens(fields: Fields) -> Tokens | None:
    input_, output = read_count(fields.get("input_tokens")), read_count(fields.get("output_tokens"))
    cache_read = _read_optional(fields.get("cache_read_input_tokens"))
    cache_write = _read_optional(fields.get("cache_creation_input_tokens"))
    if input_ is None or output is None or cache_read is None or cache_write is None:
        return None
    return Tokens(input=input_, output=output, cache_read=cache_read, cache_write=cache_write)


def _read_optional(value: object) -> int | None:
    return 0 if value is None else read_count(value)


def _counts_of(tokens: Tokens) -> tuple[int, int, int, int]:
    return tokens.input, tokens.output, tokens.cache_read, tokens.cache_write
