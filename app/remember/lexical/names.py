"""Which names may help to entail: a client chooses the names, and a name could swallow what denies the claim.

Pure. "It is a legend that FastAPI" and "FastAPI rarely" are no names, whatever was submitted.
"""

from collections.abc import Sequence
from typing import Final

from app.remember.lexical import words
from app.remember.lexical.cues import QUESTION_MARKS, has_doubt, is_cue, is_name_word
from app.remember.lexical.plain_clause import looks_like_name
from app.remember.lexical.tokens import Token, mixes_scripts, name_tokens, tokenize

MAX_NAME_TOKENS: Final = 6


def usable_names(names: Sequence[str], verbs: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Return the folded tokens of the names that are nothing but names, without repeats.

    `verbs` are the first words of the claim's predicate: no name may hold one in lower case.
    """
    usable = (name_tokens(name) for name in names if _is_usable(tokenize(name), verbs))
    return tuple(dict.fromkeys(tokens for tokens in usable if tokens))


def _is_usable(tokens: Sequence[Token], verbs: frozenset[str]) -> bool:
    if not 1 <= len(tokens) <= MAX_NAME_TOKENS or has_doubt(tokens):
        return False
    if any(token.folded in words.NAME_LINKS - {"the", "a"} for token in (tokens[0], tokens[-1])):
        return False
    is_written_as_name = all(
        looks_like_name(token) for token in tokens if token.folded not in words.NAME_LINKS and token.is_word
    )
    return all(_may_be_part(token, verbs, is_written_as_name=is_written_as_name) for token in tokens)


def _may_be_part(token: Token, verbs: frozenset[str], *, is_written_as_name: bool) -> bool:
    word = token.folded
    if mixes_scripts(token.text) or any(character in QUESTION_MARKS for character in word):
        return False
    if is_cue(word):
        return is_name_word(word) and token.text[0].isupper()
    if word in words.NAME_LINKS:
        return is_written_as_name or word in ("of", "the")
    if word in words.FUNCTION_WORDS:
        return len(word) == 1 and token.text.isupper()
    return not (word in verbs or word in words.PLAIN_VERBS) or token.text[0].isupper()
