"""What stands before the predicate: the start of the clause, and the gap between its left name and the
predicate.

Pure. All functions work on the tokens of one sentence; positions are indexes into them, ranges half-open.
Each answers only for shapes that it knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.remember.lexical import words
from app.remember.lexical.forms import Number
from app.remember.lexical.tokens import Token

MAX_PARENTHESIS_TOKENS: Final = 12
MAX_COORDINATION_TOKENS: Final = 12
MAX_ITEM_TOKENS: Final = 4
MAX_FRAME_SUBJECT_TOKENS: Final = 6

_MARKUP = frozenset("`*")
_RELATIVE = frozenset({"which", "who", "that", "whose", "whom", "what"})
_CLAUSE_JOINTS = frozenset({"and", "while", "whereas", "but"})


@dataclass(frozen=True, slots=True)
class ClauseStart:
    """How the clause opens. `is_denied`: by a frame such as "It is not true that"."""

    kind: Literal["plain", "frame", "denied", "clause", "list"]

    @property
    def is_denied(self) -> bool:
        return self.kind == "denied"


def read_clause_start(
    tokens: Sequence[Token], left: int, *, number: Number, verbs: frozenset[str]
) -> ClauseStart | None:
    """Return how the clause opens whose first name begins at `left`, or None where that is not recognised.

    `number` is that of the predicate's form: a list of names before the last one takes no singular.
    `verbs` are the first words of the predicate's forms, as further finite verbs.
    """
    start = _skip_noun_phrase_opening(tokens, left)
    opening = _read_opening(tokens, start, verbs)
    if opening is not None or number == "singular":
        return opening
    return _read_list_before(tokens, start, verbs)


def is_harmless_gap(
    tokens: Sequence[Token],
    left_start: int,
    left_end: int,
    predicate: int,
    *,
    number: Number,
    negated: bool,
    verbs: frozenset[str],
) -> bool:
    """Whether what stands between the left name and the predicate keeps the name as its subject.

    Adverbs, a parenthesis, an apposition between commas, ", which", a first predicate before "and", and,
    for a plural form, further listed names. A denied form takes adverbs only.
    """
    start = left_end
    while start < predicate and tokens[start].folded in _MARKUP:
        start += 1
    if (
        start < predicate
        and tokens[start].folded in words.KIND_NOUNS_AFTER
        and _has_article(tokens, left_start)
    ):
        start += 1
    end = predicate
    adverbs = words.NEGATION_ADVERBS if negated else words.ADVERBS
    while end > start and predicate - end < 2 and tokens[end - 1].folded in adverbs:
        end -= 1
    if start == end:
        return True
    if _is_parenthesis(tokens, start, end):
        return True
    gap = [token.folded for token in tokens[start:end]]
    if gap[0] == "," and gap[1:] in (["which"], ["who"]):
        return True
    if negated:
        return False
    if _is_coordination(gap):
        return True
    return number != "singular" and _is_list_after(tokens, start, end)


def is_item(tokens: Sequence[Token], *, verbs: frozenset[str] = frozenset()) -> bool:
    """Whether the tokens are one listed thing: an article at most, then a single word or words that look like a
    name."""
    named = list(tokens[1:] if tokens and tokens[0].folded in words.DETERMINERS else tokens)
    if not 1 <= len(named) <= MAX_ITEM_TOKENS or not all(token.is_word for token in named):
        return False
    if any(token.folded in words.FUNCTION_WORDS or token.folded in verbs for token in named):
        return False
    return len(named) == 1 or all(looks_like_name(token) for token in named)


def looks_like_name(token: Token) -> bool:
    """Whether the word is written as names are: with a capital, a digit, or a sign inside."""
    return any(not (character.islower() and character.isalpha()) for character in token.text)


def split_list(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the parts between commas, "and" and "&"; ", and" separates once."""
    parts: list[list[Token]] = [[]]
    previous = ""
    for token in tokens:
        if token.folded in words.LIST_SEPARATORS:
            if not (token.folded in ("and", "&") and previous == ","):
                parts.append([])
        else:
            parts[-1].append(token)
        previous = token.folded
    return parts


def _skip_noun_phrase_opening(tokens: Sequence[Token], left: int) -> int:
    """Return where the noun phrase of the name begins: "The web framework FastAPI" begins at "The"."""
    start = left
    while start > 0 and tokens[start - 1].folded in _MARKUP:
        start -= 1
    if start > 0 and tokens[start - 1].folded in words.KIND_NOUNS:
        for length in (1, 2, 3):
            first = start - 1 - length
            if first < 0:
                break
            if tokens[first].folded in words.DETERMINERS:
                return first
            if not tokens[first].is_word or tokens[first].folded in words.FUNCTION_WORDS:
                break
        return start
    # "A FastAPI" would be one of several.
    if (
        start > 0
        and tokens[start - 1].folded in words.DETERMINERS
        and tokens[start - 1].folded not in ("a", "an")
    ):
        return start - 1
    return start


def _read_opening(tokens: Sequence[Token], start: int, verbs: frozenset[str]) -> ClauseStart | None:
    first = 0
    while first < start and _is_bullet(tokens, first):
        first += 1
    before = [token.folded for token in tokens[first:start]]
    if not before or before == ["("]:
        return ClauseStart("plain")
    if tuple(before) in words.DENIAL_FRAMES:
        return ClauseStart("denied")
    if _is_lead_in(before):
        return ClauseStart("plain")
    if _is_frame(before):
        return ClauseStart("frame")
    if before[-1] == ";" or _begins_bullet_line(tokens, start, first):
        return ClauseStart("clause")
    if before[-1] in _CLAUSE_JOINTS and _is_whole_clause(tokens[first : start - 1], verbs):
        return ClauseStart("clause")
    return None


def _is_bullet(tokens: Sequence[Token], index: int) -> bool:
    return tokens[index].folded in words.BULLETS and index < 2


def _begins_bullet_line(tokens: Sequence[Token], start: int, first: int) -> bool:
    """Whether a list item begins here, in a sentence that is a list from its first word on."""
    if first == 0 or tokens[start - 1].folded not in words.BULLETS:
        return False
    return tokens[start - 1].folded == tokens[first - 1].folded


def _is_lead_in(before: Sequence[str]) -> bool:
    bare = tuple(before[:-1] if before[-1] == "," else before)
    if bare in words.LEAD_INS:
        return True
    if before[-1] != "," or len(bare) > 5:
        return False
    is_dated = any(character.isdigit() for character in bare[-1])
    since = bare[0] == "since" or bare[:2] == ("as", "of")
    inner = bare[1 if bare[0] == "since" else 2 : -1]
    return since and is_dated and all(word in words.MONTHS or word == "version" for word in inner)


def _is_frame(before: Sequence[str]) -> bool:
    """Whether the words are an assertive frame: "The user confirmed that", "It is documented that"."""
    body = list(before)
    if body[-1] in ("that", ":"):
        body.pop()
    if not body:
        return False
    verb, subject = body[-1], body[:-1]
    if not 1 <= len(subject) <= MAX_FRAME_SUBJECT_TOKENS:
        return False
    if any(
        (word in words.FUNCTION_WORDS and word not in words.FRAME_WORDS) or not word[:1].isalnum()
        for word in subject
    ):
        return False
    if verb in words.ASSERTIVE_PAST:
        # "confirmed" without "that" could be an adjective; then a subject of its own must stand before it.
        return before[-1] in ("that", ":") or subject[-1] not in words.DETERMINERS
    if verb in words.ASSERTIVE_PRESENT:
        return True
    is_plural = subject in (["i"], ["we"], ["they"]) or (len(subject) <= 3 and subject[-1].endswith("s"))
    return verb in words.ASSERTIVE_BASE and is_plural


def _is_whole_clause(tokens: Sequence[Token], verbs: frozenset[str]) -> bool:
    """Whether the tokens are a finished clause of their own: a short noun phrase, a finite verb, more words."""
    body = list(tokens[:-1] if tokens and tokens[-1].folded == "," else tokens)
    folded = [token.folded for token in body]
    # "The combination of A and B depends" has its own reading of "and".
    if ({"of"} | _RELATIVE) & set(folded):
        return False
    begin = 1 if folded and folded[0] in words.DETERMINERS else 0
    for length in range(1, MAX_ITEM_TOKENS + 1):
        position = begin + length
        if position >= len(folded) - 1:
            return False
        if folded[position] in words.FINITE_VERBS or folded[position] in verbs:
            return is_item(body[begin:position]) and not (set(folded[position + 1 :]) & {","})
    return False


def _read_list_before(tokens: Sequence[Token], start: int, verbs: frozenset[str]) -> ClauseStart | None:
    """Read "FastAPI and" or "FastAPI, Flask," before the name, from the very start of the sentence.

    The plural form after the name says that a list ends there.
    """
    before = tokens[:start]
    if len(before) < 2 or before[-1].folded not in words.LIST_SEPARATORS:
        return None
    parts = split_list(before)
    if parts[-1] or not all(is_item(part, verbs=verbs) for part in parts[:-1]):
        return None
    return ClauseStart("list")


def _has_article(tokens: Sequence[Token], left: int) -> bool:
    return left > 0 and tokens[left - 1].folded == "the"


def _is_parenthesis(tokens: Sequence[Token], start: int, end: int) -> bool:
    gap = [token.folded for token in tokens[start:end]]
    if not 3 <= len(gap) <= MAX_PARENTHESIS_TOKENS + 2:
        return False
    inner = gap[1:-1]
    if gap[0] == "(" and gap[-1] == ")":
        return not {"(", ")"} & set(inner)
    if gap[0] != "," or gap[-1] != ",":
        return False
    return inner[0] in words.PARENTHESIS_STARTERS and not {",", ";", "and", "or"} & set(inner)


def _is_coordination(gap: Sequence[str]) -> bool:
    """Whether the gap is a first predicate of the same subject: "uses Pydantic and"."""
    if not 3 <= len(gap) <= MAX_COORDINATION_TOKENS or gap[0] not in words.FINITE_VERBS or gap[-1] != "and":
        return False
    return not ({",", ";", "and"} | _RELATIVE) & set(gap[:-1])


def _is_list_after(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether further listed names follow the left one: "and Starlette" in "FastAPI and Starlette depend on"."""
    if tokens[start].folded not in words.LIST_SEPARATORS:
        return False
    parts = split_list(tokens[start:end])
    has_and = any(token.folded in ("and", "&") for token in tokens[start:end])
    return has_and and not parts[0] and len(parts) > 1 and all(is_item(part) for part in parts[1:])
