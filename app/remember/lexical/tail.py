"""What follows the predicate: the gap before the right name, and what may come after it.

Pure. As in `clause`, only known shapes pass. A name's meaning hangs on its neighbours: "Starlette
plugins", "South Korea" and "a fork of Starlette" are not Starlette, Korea and Starlette.
"""

from collections.abc import Sequence
from typing import Final, Literal

from app.remember.lexical import words
from app.remember.lexical.clause import is_item, looks_like_name, split_list
from app.remember.lexical.tokens import Token

MAX_MODIFIERS: Final = 2

GapKind = Literal["adjacent", "modified", "listed"]
_CLOSERS = frozenset(")]`*")
_OPENERS = frozenset("`*")
_ENDS = frozenset((".", "!", "。", "！", "…"))


def read_right_gap(
    tokens: Sequence[Token], end: int, right: int, *, last_word: str, is_value: bool, denied: bool
) -> GapKind | None:
    """Return how the right name hangs on the predicate that ends at `end`, or None where that is not recognised.

    `last_word` is the predicate's last, which a list may repeat ("on Starlette and on Pydantic"). A denied
    predicate takes no modifiers: who lacks explicit freshness may have another.
    """
    gap = [token for token in tokens[end:right] if token.folded not in _OPENERS]
    if not gap:
        return "adjacent"
    if is_value:
        return "adjacent" if [token.folded for token in gap] == ["version"] else None
    if len(gap) == 1 and gap[0].folded in words.DETERMINERS:
        return "adjacent"
    if denied:
        return None
    if any(token.folded in words.LIST_SEPARATORS for token in gap):
        return "listed" if _is_list_before(gap, last_word) else None
    modifiers = gap[1:] if gap[0].folded in words.DETERMINERS else gap
    return "modified" if 1 <= len(modifiers) <= MAX_MODIFIERS and all(map(is_modifier, modifiers)) else None


def is_modifier(token: Token) -> bool:
    """Whether the word is a plain adjective or noun that narrows the name after it without changing what it is."""
    word = token.folded
    if len(word) < 3 or not word.isascii() or not word.replace("-", "").isalpha() or token.text[0].isupper():
        return False
    if word in words.FUNCTION_WORDS or word in words.REVERSING_MODIFIERS:
        return False
    if word.endswith(words.MODIFIER_SUFFIXES_REFUSED) or word.startswith(words.MODIFIER_PREFIXES_REFUSED):
        return False
    # A word in -s is a plural or a verb, one in -ed may be a clause of its own ("code called Starlette").
    if word.endswith("s") and not word.endswith("ous"):
        return False
    return not word.endswith("ed") or word in words.PLAIN_ED_MODIFIERS


def is_harmless_tail(
    tokens: Sequence[Token],
    right_start: int,
    right_end: int,
    *,
    denied: bool,
    relative: bool,
    is_event: bool,
    verbs: frozenset[str],
) -> bool:
    """Whether what follows the right name leaves it the whole object of the predicate.

    `relative`: the predicate stands in a clause of its own ("FastAPI, which depends on Starlette, is
    fast"), which a comma may close.
    """
    position = right_end
    if position < len(tokens) and tokens[position].folded in words.LICENSE_NOUNS:
        position += 1
    elif position < len(tokens) and tokens[position].folded in words.KIND_NOUNS_AFTER:
        position += 1 if tokens[right_start - 1].folded == "the" else 0
    position = _skip_constraint(tokens, position)
    while position < len(tokens) and tokens[position].folded in _CLOSERS:
        position += 1
    rest = tokens[position:]
    if not rest or all(token.folded in _ENDS or token.folded in _CLOSERS for token in rest):
        return True
    first = rest[0].folded
    if denied:
        return _is_denied_tail(rest)
    if first == ";" or (relative and first == ","):
        return True
    if first in words.ADVERBS:
        return len(rest) == 1 or rest[1].folded in _ENDS
    if first in words.BULLETS and first != "*":
        return len(rest) > 1
    if first in (",", "and", "&"):
        return _is_continued(rest, verbs)
    return _is_adjunct(rest, is_event=is_event)


def _skip_constraint(tokens: Sequence[Token], position: int) -> int:
    """Step over a version constraint: ">=0.40", "(>=0.40)"."""
    start = position
    if start < len(tokens) and tokens[start].folded == "(":
        start += 1
    if start >= len(tokens) or not tokens[start].folded.startswith((">=", "==", "~=", "<", ">")):
        return position
    return start + 1


def _is_denied_tail(rest: Sequence[Token]) -> bool:
    folded = tuple(token.folded for token in rest)
    for phrase in words.DENIED_TAIL:
        if folded[: len(phrase)] == phrase:
            return all(word in _ENDS for word in folded[len(phrase) :])
    return folded[0] == ";"


def _is_list_before(gap: Sequence[Token], last_word: str) -> bool:
    """Whether the right name closes or continues a list: "Starlette and", "Starlette, Pydantic, and"."""
    parts = split_list(gap)
    last = [token.folded for token in parts[-1]]
    has_and = any(token.folded in ("and", "&") for token in gap)
    repeats = len(last) == 1 and last[0] in words.PREPOSITIONS and last[0] == last_word
    if last and not repeats and not (len(last) == 1 and last[0] in words.DETERMINERS):
        return False
    return has_and and all(is_item(part) for part in parts[:-1])


def _is_continued(rest: Sequence[Token], verbs: frozenset[str]) -> bool:
    """Whether a comma or "and" after the name starts another clause, another predicate or a further list item."""
    skip = 2 if rest[0].folded == "," and len(rest) > 1 and rest[1].folded in ("and", "&") else 1
    after = rest[skip:]
    if not after:
        return False
    has_and = rest[skip - 1].folded != ","
    first = after[0].folded
    finite = words.FINITE_VERBS | verbs
    if first in finite or first in words.ADVERBS or first in words.PREPOSITIONS:
        return has_and
    if not has_and and first in words.TAIL_STARTERS:
        return True
    return _begins_item(after, finite, needs_and=not has_and)


def _begins_item(after: Sequence[Token], finite: frozenset[str], *, needs_and: bool) -> bool:
    """Whether a whole list item comes next and the list, if it has only commas so far, reaches an "and"."""
    length = 1 if after[0].folded in words.DETERMINERS else 0
    while (
        length < len(after)
        and after[length].is_word
        and after[length].folded not in words.FUNCTION_WORDS | finite
    ):
        length += 1
    item, following = after[:length], after[length:]
    if not is_item(item):
        return False
    if not following or following[0].folded in _ENDS:
        return not needs_and
    first = following[0].folded
    if first in (",", "and", "&"):
        return not needs_and or _is_continued(following, finite)
    if needs_and:
        return False
    # A lower-case word with a further verb would be a clause of unknown shape; a name may start one.
    return first in words.TAIL_PREPOSITIONS or first == ";" or (first in finite and looks_like_name(item[-1]))


def _is_adjunct(rest: Sequence[Token], *, is_event: bool) -> bool:
    """Whether a known kind of addition follows: a purpose, a reason, a date or a place of an event."""
    first = rest[0].folded
    if len(rest) < 2:
        return False
    second = rest[1]
    if first == "for":
        return second.text[:1].islower() and second.folded not in ("now", "two", "years", "example")
    if first == "to":
        # "depends on Starlette to be fixed" depends on the fixing, not on Starlette.
        return second.text[:1].islower() and second.folded not in words.FUNCTION_WORDS
    if first in ("because", "while", "whereas", "but", "via"):
        return second.text[:1].islower() or first == "while"
    if first == "since":
        return True
    if first == "as":
        return second.folded in ("of", "its", "their", "well")
    if first in ("in", "on", "at") and is_event:
        # When or where something happened takes nothing away from its having happened.
        return second.text[:1].isdigit() or second.text[:1].isupper()
    return False
