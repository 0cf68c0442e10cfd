"""The plain clause: words of which each is known, so that nothing can hide among them.

Pure. Whatever stands beside a statement, in its sentence or around it, must be plain: a name or a known
noun phrase, a known verb in the present, and after it names and known words only.
"""

from collections.abc import Sequence
from typing import Final

from app.ledger.predicates.inflections import is_participle, is_past
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.remember.lexical import words
from app.remember.lexical.cues import find_cue, is_cue
from app.remember.lexical.frames import strip_frame
from app.remember.lexical.tokens import Token, is_plain_script

MAX_ITEM_TOKENS: Final = 4
MAX_SUBJECT_TOKENS: Final = 5
MAX_CLAUSE_TOKENS: Final = 30
# What succeeds another may have ended what is said of that.
_SUCCESSIONS: Final = ("preceded_by", "succeeded_by", "replaces")
SEEDED_PHRASES: Final = frozenset(
    tuple(one.verb_phrase.split()) for one in SEEDED_PREDICATES if one.key not in _SUCCESSIONS
)
MAX_PHRASE_TOKENS: Final = max(map(len, SEEDED_PHRASES))


def is_plain_clause(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are one finished plain clause, at most with a bullet, a frame and one full stop."""
    body = list(tokens)
    while body and body[0].folded in words.BULLETS:
        body.pop(0)
    if body and body[-1].folded in (".", "。"):
        body.pop()
    frame = strip_frame([token.folded for token in body])
    body = body[frame:]
    if not 3 <= len(body) <= MAX_CLAUSE_TOKENS:
        return False
    return any(
        _is_plain_subject(body[:length], opens_sentence=not frame) and is_plain_predicate(body[length:])
        for length in range(1, min(MAX_SUBJECT_TOKENS, len(body) - 2) + 1)
    )


def is_plain_predicate(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are a known verb, or the words of a seeded predicate, with names and known words."""
    start = 0
    while start < len(tokens) and start < 2 and tokens[start].folded in words.ADVERBS:
        start += 1
    said = tokens[start:]
    length = _seeded_length(said) or _verb_length(said)
    complement = said[length:]
    return (
        length > 0
        and find_cue(complement, sentence_start=-1) is None
        and any(token.is_word for token in complement)
        and all(map(_is_plain_in_complement, complement))
    )


def _seeded_length(tokens: Sequence[Token]) -> int:
    """Return how many of the first tokens are the words of a seeded predicate, 0 where they are of none."""
    written = tuple(token.text for token in tokens[:MAX_PHRASE_TOKENS])
    return next((length for length in range(len(written), 0, -1) if written[:length] in SEEDED_PHRASES), 0)


def _verb_length(tokens: Sequence[Token]) -> int:
    """Return 1 where the first token is a verb that may stand beside a statement, or else 0."""
    if not tokens:
        return 0
    verb, complement = tokens[0], tokens[1:]
    if verb.folded in ("was", "were"):
        is_known = bool(complement) and complement[0].folded in words.PLAIN_PARTICIPLES
    else:
        is_known = verb.folded in words.PLAIN_VERBS
    # "FastAPI is Dead" has a capital, but no name.
    is_judged = verb.folded in ("is", "are") and bool(complement) and _is_only_name(complement[0])
    return int(is_known and not is_judged and verb.text.islower())


def is_item(tokens: Sequence[Token], *, may_be_lower: bool) -> bool:
    """Whether the tokens are one listed thing: an article at most, then words that look like a name.

    `may_be_lower`: a single lower-case word counts, too. After an object it could be a verb ("and failed").
    """
    named = list(tokens[1:] if tokens and tokens[0].folded in words.ARTICLES else tokens)
    if not 1 <= len(named) <= MAX_ITEM_TOKENS or not all(map(_may_be_named, named)):
        return False
    last = named[-1].folded
    if last in words.FIRM_ENDINGS or (len(named) > 1 and (last in words.PLAIN_WORDS or last.endswith("s"))):
        # "Starlette and Flask Plugins" may be the plugins of both.
        return False
    return (may_be_lower and len(named) == 1) or all(looks_like_name(token) for token in named)


def looks_like_name(token: Token) -> bool:
    """Whether the word is written as names are: with a capital, a digit, or a sign inside."""
    return any(not (character.islower() and character.isalpha()) for character in token.text)


def split_list(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the parts between commas and "and"; ", and" separates once."""
    parts: list[list[Token]] = [[]]
    previous = ""
    for token in tokens:
        if token.folded in words.LIST_SEPARATORS:
            if not (token.folded == "and" and previous == ","):
                parts.append([])
        else:
            parts[-1].append(token)
        previous = token.folded
    return parts


def split_at(tokens: Sequence[Token], separator: str) -> list[list[Token]]:
    """Return the parts between the tokens that are the separator."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.folded == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _is_plain_subject(tokens: Sequence[Token], *, opens_sentence: bool) -> bool:
    has_article = tokens[0].folded == "the"
    named = tokens[1:] if has_article else tokens
    if (
        not named
        or not all(map(_may_be_named, named))
        or any(token.folded in words.POINTERS or token.text.isdigit() for token in named)
    ):
        return False
    # The first word of a sentence has its capital anyway; alone it may be a name as well as any other word.
    return all(looks_like_name(token) or token.folded in words.PLAIN_WORDS for token in named) and (
        len(named) > 1 or has_article or not opens_sentence or named[0].folded not in words.ADVERBS
    )


def _is_plain_in_complement(token: Token) -> bool:
    if token.folded in words.PLAIN_WORDS | words.ARTICLES | words.PREPOSITIONS | words.LIST_SEPARATORS:
        return True
    return token.folded in words.PLAIN_PARTICIPLES or (
        token.folded not in words.POINTERS and _may_be_named(token) and looks_like_name(token)
    )


def _is_only_name(token: Token) -> bool:
    return token.folded not in words.PLAIN_WORDS | words.ARTICLES and looks_like_name(token)


def _may_be_named(token: Token) -> bool:
    word = token.folded
    if not token.is_word or word in words.FUNCTION_WORDS or word in words.PLAIN_VERBS:
        return False
    return not (is_cue(word) or is_past(word) or is_participle(word)) and is_plain_script(token.text)
