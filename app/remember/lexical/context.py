"""What stands around a sentence: whether the sentences beside it leave it alone.

Pure. A sentence may be withdrawn in words that no list can hold ("Bob made that up", "It stopped in 2020"),
so a neighbour must be known to be harmless: a heading of known words, or a plain clause. Whatever separates
them, two sentences on either side of a statement are judged, headings passed over. Words that call
something untrue, and marks that strike text out, count wherever they stand.
"""

from collections.abc import Sequence
from typing import Final

from app.remember.lexical import words
from app.remember.lexical.cues import has_doubt
from app.remember.lexical.mentions import cut_introductions, find_names
from app.remember.lexical.plain_clause import is_plain_clause
from app.remember.lexical.sentence_form import Wording
from app.remember.lexical.tokens import Token

MAX_HEADING_TOKENS: Final = 4
NEIGHBOURS: Final = 2
_STRIKING_MARKS: Final = (
    "<!--",
    "~~",
    "```",
    "<del",
    "<s>",
    "<strike",
    "<blockquote",
    "<!",
    "{#",
    "{%",
    "\\iffalse",
)


def is_struck_out(content: str) -> bool:
    """Whether the content holds a mark that can turn text into a comment, a deletion or a listing."""
    return any(mark in content.casefold() for mark in _STRIKING_MARKS)


def is_left_alone(sentences: Sequence[Sequence[Token]], number: int, wording: Wording) -> bool:
    """Whether nothing around the sentence with that number withdraws, frames or doubts it.

    A neighbour that names both ends of the claim says something about the claim, and is refused.
    """
    sides = (sentences[:number][::-1], sentences[number + 1 :])
    return all(_is_harmless_side(side, wording) for side in sides) and not any(
        has_doubt(tokens) for other, tokens in enumerate(sentences) if other != number
    )


def _is_harmless_side(side: Sequence[Sequence[Token]], wording: Wording) -> bool:
    """Whether the two next sentences on one side, headings passed over, are harmless as far as there are any."""
    judged = 0
    for tokens in side:
        if _is_heading(tokens, wording):
            continue
        folded = [token.folded for token in tokens]
        is_about_claim = find_names(folded, wording.subjects) and find_names(folded, wording.objects)
        bare = cut_introductions(cut_introductions(tokens, wording.subjects), wording.objects)
        if is_about_claim or not is_plain_clause(bare):
            return False
        judged += 1
        if judged == NEIGHBOURS:
            break
    return True


def _is_heading(tokens: Sequence[Token], wording: Wording) -> bool:
    """Whether the tokens are a heading: one of the claim's names, or a few words that head any text."""
    bare = tuple(token.folded for token in tokens if token.folded.strip("#=-"))
    if len(bare) > MAX_HEADING_TOKENS:
        return False
    return bare in (*wording.subjects, *wording.objects) or all(word in words.HEADING_WORDS for word in bare)
