"""Whether a text merely says a Hypothesis again. Pure.

A Hypothesis that comes back as evidence would confirm itself, so `remember` gives an echo no support and
feedback refuses it. Three measures, all after folding case, whitespace and punctuation:

* `restates`, for statements and rationales: the same words, or one token inserted, deleted or replaced.
  Generated statements always hedge, so "FastAPI depends on Starlette." is two edits away from "FastAPI may
  depend on Starlette." and stays honest evidence.
* `repeats`, for the source evidences: the same words and no edit. "FastAPI depends on Pydantic." is new
  evidence beside "FastAPI depends on Starlette.", although one token apart.
* `strung_together_by`, for all of them: nothing but such texts, one after the other. A statement with its
  rationale behind it, or said twice, says nothing new either.

A token is a run of letters, digits and marks; in scripts that are written without spaces (Han, kana,
Bopomofo, Thai, Lao, Khmer, Burmese) it is one character with its marks. Texts that are equal without any
separator are the same words too: "Fast-API" is "FastAPI". An edit must leave a token standing, or every
one-word text would restate every other.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.kernel.compatibility import normalize

Tokens = tuple[str, ...]

_ASCII_TOKEN = re.compile(r"[a-z0-9]+")
_CHARACTER_SCRIPT = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af]"
)
# Marks that only steer rendering; like format characters they would otherwise make equal texts differ.
_INVISIBLE_MARKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


@dataclass(frozen=True, slots=True)
class FoldedStatements:
    """Statements folded once, for many comparisons. `joined` holds each text without any separator."""

    by_length: Mapping[int, frozenset[Tokens]]
    joined: frozenset[str]
    joined_lengths: frozenset[int]

    def repeated_by(self, text: str) -> bool:
        """Return whether the text has the same words as one of the statements."""
        return "".join(fold(text)) in self.joined

    def restated_by(self, text: str) -> bool:
        """Return whether the text has the same words as one of the statements, or is one token edit away.

        Only statements whose length differs by at most one token are looked at, each in one pass.
        """
        tokens = fold(text)
        if "".join(tokens) in self.joined:
            return True
        return any(
            _is_one_edit_away(tokens, statement)
            for length in (len(tokens) - 1, len(tokens), len(tokens) + 1)
            for statement in self.by_length.get(length, ())
        )

    def strung_together_by(self, text: str) -> bool:
        """Return whether the text is whole statements and nothing else, one after the other, without an edit."""
        joined = "".join(fold(text))
        reached = {0}
        for start in range(len(joined)):
            if start in reached:
                ends = (start + length for length in self.joined_lengths)
                reached.update(end for end in ends if joined[start:end] in self.joined)
        return bool(joined) and len(joined) in reached


def restates(text: str, statements: Iterable[str]) -> bool:
    """Return whether the text says one of the statements again, with at most one token edit.

    Source: Design, section 4 step 5 and section 7. Statements without a visible character match nothing.
    """
    return fold_statements(statements).restated_by(text)


def repeats(text: str, texts: Iterable[str]) -> bool:
    """Return whether the text is one of the texts again, apart from case, whitespace and punctuation."""
    return fold_statements(texts).repeated_by(text)


def fold_statements(statements: Iterable[str]) -> FoldedStatements:
    """Return the statements ready for many comparisons; empty ones are left out."""
    by_length: defaultdict[int, set[Tokens]] = defaultdict(set)
    joined: set[str] = set()
    for statement in statements:
        tokens = fold(statement)
        if tokens:
            by_length[len(tokens)].add(tokens)
            joined.add("".join(tokens))
    return FoldedStatements(
        {length: frozenset(group) for length, group in by_length.items()},
        frozenset(joined),
        frozenset(map(len, joined)),
    )


def fold(text: str) -> Tokens:
    """Return the tokens of a text, without case, compatibility forms, whitespace and punctuation.

    A text of symbols only ("👍") is one token; an empty or invisible one has none.
    """
    if text.isascii():
        tokens = _ASCII_TOKEN.findall(text.lower())
    else:
        folded = normalize("NFKC", normalize("NFKC", text).casefold())
        tokens = _split(_INVISIBLE_MARKS.sub("", folded))
    if tokens:
        return tuple(tokens)
    symbols = "".join(character for character in text if unicodedata.category(character)[0] in "PS")
    return (symbols,) if symbols else ()


def _split(text: str) -> list[str]:
    tokens: list[str] = []
    is_open = False
    for character in text:
        category = unicodedata.category(character)
        if category == "Cf":
            continue
        if category[0] == "M":
            # A mark belongs to the character before it, also where each character is a token.
            if tokens:
                tokens[-1] += character
        elif category[0] not in "LN":
            is_open = False
        elif _CHARACTER_SCRIPT.match(character):
            tokens.append(character)
            is_open = False
        elif is_open:
            tokens[-1] += character
        else:
            tokens.append(character)
            is_open = True
    return tokens


def _is_one_edit_away(left: Tokens, right: Tokens) -> bool:
    short, long = (left, right) if len(left) <= len(right) else (right, left)
    if len(long) < 2:
        return False
    same_start = 0
    while same_start < len(short) and short[same_start] == long[same_start]:
        same_start += 1
    same_end = 0
    while same_end < len(short) - same_start and short[-1 - same_end] == long[-1 - same_end]:
        same_end += 1
    return same_start + same_end >= len(long) - 1
