"""What follows the predicate: the gap before the right name, and what may come after it.

Pure. As in `clause`, only known shapes and words pass. A name's meaning hangs on its neighbours: "Starlette
plugins", "South Korea" and "a fork of Starlette" are not Starlette, Korea and Starlette.
"""

from collections.abc import Sequence
from typing import Final, Literal

from app.remember.lexical import words
from app.remember.lexical.clause import MARKUP, count_markup
from app.remember.lexical.plain_clause import (
    is_item,
    is_plain_clause,
    is_plain_predicate,
    split_at,
    split_list,
)
from app.remember.lexical.specifiers import is_satisfiable
from app.remember.lexical.tokens import Token

MAX_MODIFIERS: Final = 2
MAX_PURPOSE_TOKENS: Final = 2
# An event lies in the past; a later year than these is a plan or an error.
EVENT_YEARS: Final = range(1000, 2026)

GapKind = Literal["adjacent", "modified", "listed"]
_ENDS = frozenset((".", "!", "。", "！"))


def read_right_gap(
    tokens: Sequence[Token], end: int, right: int, *, last_word: str, is_value: bool, denied: bool
) -> GapKind | None:
    """Return how the right name hangs on the predicate that ends at `end`, or None where that is not recognised.

    `last_word` is the predicate's last, which a list may repeat ("on Starlette and on Pydantic"). A denied
    predicate takes no modifiers: who lacks explicit freshness may have another.
    """
    gap = [token for token in tokens[end:right] if token.folded not in MARKUP]
    if not gap:
        return "adjacent"
    folded = [token.folded for token in gap]
    if is_value:
        return "adjacent" if folded == ["version"] else None
    if len(gap) == 1 and folded[0] in words.ARTICLES:
        return "adjacent"
    if denied:
        return None
    if any(word in words.LIST_SEPARATORS for word in folded):
        return "listed" if _is_list_before(gap, last_word) else None
    modifiers = folded[1:] if folded[0] in words.ARTICLES else folded
    is_modified = len(modifiers) <= MAX_MODIFIERS and all(word in words.MODIFIERS for word in modifiers)
    return "modified" if is_modified else None


def is_harmless_tail(
    tokens: Sequence[Token],
    right_start: int,
    right_end: int,
    *,
    denied: bool,
    relative: bool,
    is_event: bool,
    is_value: bool,
) -> bool:
    """Whether what follows the right name leaves it the whole object of the predicate.

    `relative`: the predicate stands in a clause of its own ("FastAPI, which depends on Starlette, is
    fast"), which a comma may close. A value takes nothing after it but the end: "5 to ten" is not 5.
    """
    position = right_end
    if not is_value:
        if position < len(tokens) and tokens[position].folded in words.LICENSE_NOUNS:
            position += 1
        elif position < len(tokens) and tokens[position].folded in words.KIND_NOUNS_AFTER:
            position += 1 if tokens[right_start - 1].folded == "the" else 0
    position += count_markup(tokens, right_start, position)
    if not (is_value or denied):
        position = _skip_constraint(tokens, position)
    rest = list(tokens[position:])
    if rest and rest[-1].folded in _ENDS:
        rest.pop()
    folded = [token.folded for token in rest]
    if not rest:
        return True
    if is_value:
        return False
    if denied:
        return tuple(folded) in words.DENIED_CLOSERS
    if relative and folded[0] == ",":
        return is_plain_predicate(rest[1:])
    if tuple(folded) in words.CLOSERS or _is_purpose(folded) or (is_event and _is_year(folded)):
        return True
    if folded[0] == ";":
        return all(is_plain_clause(part) for part in split_at(rest[1:], ";"))
    if folded[0] == tokens[0].folded and folded[0] in words.BULLETS:
        return all(is_plain_clause(part) for part in split_at(rest[1:], folded[0]))
    return _is_list_continued(rest) or _is_clause_added(rest)


def _skip_constraint(tokens: Sequence[Token], position: int) -> int:
    """Step over a version constraint: ">=0.40", "(>=0.40)"."""
    is_open = position < len(tokens) and tokens[position].folded == "("
    start = position + 1 if is_open else position
    if start >= len(tokens) or not is_satisfiable(tokens[start].text) or tokens[start].text[:1] not in "<>=~":
        return position
    if not is_open:
        return start + 1
    return start + 2 if start + 1 < len(tokens) and tokens[start + 1].folded == ")" else position


def _is_purpose(folded: Sequence[str]) -> bool:
    """Whether a known purpose follows: "for data validation"."""
    purpose = folded[1:]
    return (
        folded[0] == "for"
        and 1 <= len(purpose) <= MAX_PURPOSE_TOKENS
        and all(word in words.PURPOSES for word in purpose)
    )


def _is_year(folded: Sequence[str]) -> bool:
    """Whether the year of an event follows: when it happened takes nothing away from its having happened."""
    if len(folded) != 2 or folded[0] != "in" or not folded[1].isascii() or not folded[1].isdigit():
        return False
    return len(folded[1]) == 4 and int(folded[1]) in EVENT_YEARS


def _is_list_before(gap: Sequence[Token], last_word: str) -> bool:
    """Whether the right name closes or continues a list: "Starlette and", "Starlette, Pydantic, and"."""
    parts = split_list(gap)
    last = [token.folded for token in parts[-1]]
    repeats = len(last) == 1 and last[0] in words.PREPOSITIONS and last[0] == last_word
    if last and not repeats and not (len(last) == 1 and last[0] in words.ARTICLES):
        return False
    has_and = any(token.folded == "and" for token in gap)
    return has_and and all(is_item(part, may_be_lower=True) for part in parts[:-1])


def _is_list_continued(rest: Sequence[Token]) -> bool:
    """Whether further listed names follow and end the sentence: "and Pydantic", ", Pydantic, and Flask"."""
    if rest[0].folded not in words.LIST_SEPARATORS or not any(token.folded == "and" for token in rest):
        return False
    parts = split_list(rest)[1:]
    # Only the last separator may be an "and": "and Flask, Bob" is no list.
    separators = [token.folded for token in rest if token.folded in words.LIST_SEPARATORS]
    if separators[-1] != "and" or "and" in separators[:-1]:
        return False
    if parts[-1] and parts[-1][0].folded in words.PREPOSITIONS and len(parts) == 1:
        parts = [parts[0][1:]]
    return all(is_item(part, may_be_lower=False) for part in parts)


def _is_clause_added(rest: Sequence[Token]) -> bool:
    """Whether "and" or "while" starts a plain clause, or "and" a further plain predicate."""
    start = 1 if rest[0].folded == "," and len(rest) > 1 else 0
    joint, after = rest[start].folded, rest[start + 1 :]
    if joint == "and" and is_plain_predicate(after):
        return True
    return joint in ("and", "while", "whereas") and is_plain_clause(after)
