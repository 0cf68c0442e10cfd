"""Whether a text says anything that other texts do not say already. Pure.

Evidence for a Hypothesis must not be what the Hypothesis was made from, and neither a piece of it nor the same
with a word behind it is anything else. A text adds nothing if it

* stands in a source, word for word;
* is a piece of one source, or holds every sentence of one, with fewer than three other words;
* is whole known texts in a row, statement and rationale among them, with fewer than three other words.

Words are tokens as in `independence`, and separators do not count. Other words that bring in a name which the
repeated part lacks are never too few: "FastAPI uses Starlette and AnyIO." says more than "FastAPI uses Starlette."
Pieces of several sources do not add up, because lines of a record say something only together: "Name: fastapi"
from one and "Requires-Dist: anyio" from another make a new claim. Nor do fewer than three repeated words count,
which say nothing by themselves.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Final

from app.hypotheses.independence import Tokens, fold
from app.kernel.compatibility import normalize

FEW_TOKENS: Final = 3

_SENTENCE_END: Final = re.compile(r"[.!?;]+[\"'”’)\]*_`]*(?=\s|$)|[。！？；]|[\n\r\u2028\u2029]+")

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text's tokens; `edges` are the offsets in `joined` between which they stand, so one more than tokens."""

    sentences: tuple[Tokens, ...]
    tokens: Tokens
    joined: str
    edges: tuple[int, ...]
    edge_set: frozenset[int]

    def stretches(self, piece: str) -> Iterator[Stretch]:
        """Yield where the joined piece stands as whole tokens, without overlaps; nowhere if it is empty."""
        start = self.joined.find(piece) if piece else -1
        while start >= 0:
            end = start + len(piece)
            is_whole = start in self.edge_set and end in self.edge_set
            if is_whole:
                yield start, end
            start = self.joined.find(piece, end if is_whole else start + 1)

    def holds(self, piece: str) -> bool:
        return any(True for _ in self.stretches(piece))


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """What the Hypothesis says of itself, and the evidence that it was made from, ready for comparisons."""

    said: tuple[_Folded, ...]
    sources: tuple[_Folded, ...]

    def cover(self, text: str, *, named: Iterable[str] = ()) -> bool:
        """Return whether the text says nothing new; `named` are the names and values that it is cited for."""
        folded = _fold_text(text)
        if not folded.tokens:
            return False
        if any(source.holds(folded.joined) for source in self.sources):
            return True
        names = frozenset(token for name in named for token in fold(name))
        wholes = {known.joined for known in (*self.said, *self.sources)}
        repeated = chain(
            [[stretch for whole in wholes for stretch in folded.stretches(whole)]],
            ([stretch] for source in self.sources for stretch in _pieces(folded, source)),
            (_every_sentence(folded, source) for source in self.sources),
        )
        return any(_is_nearly_all(folded, stretches, names) for stretches in repeated)


def know_texts(said: Iterable[str], sources: Iterable[str]) -> KnownTexts:
    """Return the texts ready for comparisons; those without a visible token match nothing."""
    return KnownTexts(tuple(map(_fold_text, said)), tuple(map(_fold_text, sources)))


def _pieces(text: _Folded, source: _Folded) -> Iterator[Stretch]:
    """Yield each run of the text's sentences that stands in the source and leaves only a few tokens over."""
    ends = [0, *accumulate(map(len, text.sentences))]
    for first in ends:
        if first >= FEW_TOKENS:
            break
        for last in reversed(ends):
            if first + len(text.tokens) - last >= FEW_TOKENS or last <= first:
                break
            start, end = text.edges[first], text.edges[last]
            if source.holds(text.joined[start:end]):
                yield start, end


def _every_sentence(text: _Folded, source: _Folded) -> Sequence[Stretch]:
    """Return where the source's sentences stand in the text, nothing if one of them is missing."""
    found: list[Stretch] = []
    for sentence in dict.fromkeys(source.sentences):
        stretches = list(text.stretches("".join(sentence)))
        if not stretches:
            return ()
        found += stretches
    return found


def _is_nearly_all(text: _Folded, stretches: Sequence[Stretch], names: frozenset[str]) -> bool:
    repeated: set[str] = set()
    others: list[str] = []
    in_order, reached = deque(sorted(stretches)), 0
    for token, start, end in zip(text.tokens, text.edges, text.edges[1:], strict=False):
        # The farthest end of a stretch that has begun: one stretch holds the whole token, or none does.
        while in_order and in_order[0][0] <= start:
            reached = max(reached, in_order.popleft()[1])
        if end <= reached:
            repeated.add(token)
        else:
            others.append(token)
    if not others:
        return True
    is_claim = len(text.tokens) - len(others) >= FEW_TOKENS
    return is_claim and len(others) < FEW_TOKENS and not names & set(others) - repeated


def _fold_text(text: str) -> _Folded:
    normal = normalize("NFKC", text)
    visible = "".join(character for character in normal if unicodedata.category(character) != "Cf")
    parts = (fold(part) for part in _SENTENCE_END.split(visible))
    # Between two sentence ends there may be nothing but punctuation, which is no sentence.
    sentences = tuple(part for part in parts if any(map(str.isalnum, "".join(part))))
    tokens = tuple(chain.from_iterable(sentences))
    edges = (0, *accumulate(map(len, tokens)))
    return _Folded(sentences, tokens, "".join(tokens), edges, frozenset(edges))
