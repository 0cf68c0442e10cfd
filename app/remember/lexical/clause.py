"""What stands before the predicate: the start of the clause, and the gap between its left name and the
predicate.

Pure. All functions work on the tokens of one sentence; positions are indexes into them, ranges half-open.
Each answers only for shapes and words that it knows.
"""

from collections.abc import Sequence
from typing import Final, Literal

from app.remember.lexical import words
from app.remember.lexical.forms import Number
from app.remember.lexical.frames import is_assertive_frame, is_denial_frame, is_lead_in
from app.remember.lexical.plain_clause import (
    is_item,
    is_plain_clause,
    is_plain_predicate,
    split_at,
    split_list,
)
from app.remember.lexical.tokens import Token

MAX_KIND_MODIFIERS: Final = 3

MARKUP: Final = frozenset("`*")
_CLAUSE_JOINTS = frozenset({"and", "while", "whereas"})

Opening = Literal["affirmed", "denied"]


def read_clause_start(tokens: Sequence[Token], left: int, *, number: Number) -> Opening | None:
    """Return how the clause opens whose first name begins at `left`, or None where that is not recognised.

    `denied`: by a frame such as "It is not true that". `number` is that of the predicate's form: a list of
    names before the last one takes no singular.
    """
    start = _skip_noun_phrase_opening(tokens, left)
    opening = _read_opening(tokens, start)
    if opening is not None or number == "singular":
        return opening
    return "affirmed" if _is_list_before(tokens[:start]) else None


def is_harmless_gap(
    tokens: Sequence[Token],
    left_start: int,
    left_end: int,
    predicate: int,
    *,
    number: Number,
    negated: bool,
) -> bool:
    """Whether what stands between the left name and the predicate keeps the name as its subject.

    Adverbs, ", which", a first plain predicate before "and", and, for a plural form, further listed names. A
    denied form takes adverbs only. No parenthesis and no apposition: both can call the name an invention.
    """
    start = left_end + count_markup(tokens, left_start, left_end)
    if start < predicate and tokens[start].folded in words.KIND_NOUNS_AFTER:
        start += 1 if left_start > 0 and tokens[left_start - 1].folded == "the" else 0
    end = predicate
    adverbs = words.NEGATION_ADVERBS if negated else words.ADVERBS
    while end > start and predicate - end < 2 and tokens[end - 1].folded in adverbs:
        end -= 1
    if start == end:
        return True
    if negated:
        return False
    gap = tokens[start:end]
    folded = [token.folded for token in gap]
    if folded in ([",", "which"], [",", "who"]):
        return True
    if folded[-1] == "and" and "," not in folded and folded.count("and") == 1:
        return is_plain_predicate(gap[:-1])
    return number != "singular" and _is_list_after(gap)


def count_markup(tokens: Sequence[Token], start: int, end: int) -> int:
    """Return how many marks after the name close those right before it: `fastapi`, **bold**.

    A mark that closes none may refer to a note, or close a listing that the whole sentence stands in.
    """
    count = 0
    while (
        start - 1 - count >= 0
        and end + count < len(tokens)
        and tokens[start - 1 - count].folded in MARKUP
        and tokens[start - 1 - count].folded == tokens[end + count].folded
    ):
        count += 1
    return count


def _skip_noun_phrase_opening(tokens: Sequence[Token], left: int) -> int:
    """Return where the noun phrase of the name begins: "The web framework FastAPI" begins at "The"."""
    start = left
    while start > 0 and tokens[start - 1].folded in MARKUP:
        start -= 1
    if start == 0:
        return start
    if tokens[start - 1].folded in words.KIND_NOUNS:
        first = start - 1
        while (
            first > 0
            and start - 1 - first < MAX_KIND_MODIFIERS
            and tokens[first - 1].folded in words.MODIFIERS
        ):
            first -= 1
        return first - 1 if first > 0 and tokens[first - 1].folded == "the" else start
    # "A FastAPI" would be one of several.
    return start - 1 if tokens[start - 1].folded == "the" else start


def _read_opening(tokens: Sequence[Token], start: int) -> Opening | None:
    first = 0
    while first < min(start, 2) and tokens[first].folded in words.BULLETS:
        first += 1
    before = [token.folded for token in tokens[first:start]]
    if not before or is_lead_in(before) or is_assertive_frame(before):
        return "affirmed"
    if is_denial_frame(before):
        return "denied"
    # Other statements may stand before this one; they must be plain, each of them.
    if before[-1] == ";":
        parts = split_at(tokens[first : start - 1], ";")
    elif first > 0 and before[-1] == tokens[first - 1].folded:
        parts = split_at(tokens[first : start - 1], before[-1])
    elif before[-1] in _CLAUSE_JOINTS:
        end = start - 2 if len(before) > 1 and before[-2] == "," else start - 1
        parts = [list(tokens[first:end])]
    else:
        return None
    return "affirmed" if all(is_plain_clause(part) for part in parts) else None


def _is_list_before(before: Sequence[Token]) -> bool:
    """Whether "FastAPI and" or "FastAPI, Flask," stands before the name, from the very start of the sentence.

    The plural form after the name says that a list ends there.
    """
    if len(before) < 2 or before[-1].folded not in words.LIST_SEPARATORS:
        return False
    parts = split_list(before)
    return not parts[-1] and all(is_item(part, may_be_lower=True) for part in parts[:-1])


def _is_list_after(gap: Sequence[Token]) -> bool:
    """Whether further listed names follow the left one: "and Starlette" in "FastAPI and Starlette depend on"."""
    if gap[0].folded not in words.LIST_SEPARATORS or not any(t.folded == "and" for t in gap):
        return False
    parts = split_list(gap)
    return not parts[0] and len(parts) > 1 and all(is_item(part, may_be_lower=True) for part in parts[1:])
