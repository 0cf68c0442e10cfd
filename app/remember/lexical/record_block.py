"""The block that a record stands in, and what stands around it.

Pure. A key that nobody knows can deny or condition a record ("Verdict: not true", "Extra: test"), so only
the header names of package metadata may stand in a block beside the keys of the claim's predicate, and
around it only other such blocks and a few words that announce them.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.remember.lexical import words
from app.remember.lexical.cues import has_doubt
from app.remember.lexical.tokens import fold, tokenize

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+){0,2}")
# "Description" is missing: as a header it holds a whole document, in which anything may stand.
METADATA_KEYS: Final = frozenset(
    {
        "metadata version",
        "name",
        "version",
        "dynamic",
        "platform",
        "supported platform",
        "summary",
        "keywords",
    }
    | {"description content type", "home page", "download url", "project url", "author"}
    | {"author email", "maintainer", "maintainer email", "license", "license expression", "license file"}
    | {"classifier", "classifiers", "requires dist", "requires python", "requires external", "requires"}
    | {"provides extra", "provides dist", "provides", "obsoletes dist", "obsoletes", "import name"}
    | {"import namespace"}
)
# Their values are prose, and prose may go on in indented lines.
_PROSE_KEYS: Final = frozenset({"summary", "keywords", "license", "author", "maintainer"})
# Their values are names and addresses, in which any word may stand.
_STRUCTURED_KEYS: Final = frozenset({"name", "requires dist", "provides extra", "classifier", "project url"})
# What a summary says of the record itself, which summaries of things have no reason to.
_SELF_REFERENCES: Final = frozenset(
    {"below", "above", "requires-dist", "metadata-version", "none", "nothing", "never", "holds"}
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the content: half-open range, its text, and whether the spans cover all of it or touch it."""

    start: int
    end: int
    text: str
    is_cited: bool
    is_touched: bool


def fold_key(key: str) -> str:
    """Return the key for comparison: folded, with single spaces for hyphens and underscores."""
    return " ".join(fold(key).replace("-", " ").replace("_", " ").split())


def read_key(text: str) -> str | None:
    """Return the folded key of a `Key: value` line, or of a key without a value; None for any other line."""
    key, colon, _ = text.partition(":")
    return fold_key(key) if colon and _KEY.fullmatch(key) else None


def block_around(lines: Sequence[Line], index: int) -> range:
    """Return the numbers of the lines without an empty one between that hold the line."""
    first = last = index
    while first > 0 and lines[first - 1].text:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].text:
        last += 1
    return range(first, last + 1)


def is_metadata(lines: Sequence[Line], block: range, keys: frozenset[str] = frozenset()) -> bool:
    """Whether every line of the block has a known key, or one of `keys`, or continues a prose value."""
    key: str | None = None
    for number in block:
        text = lines[number].text
        if any(
            unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text.replace("\t", " ")
        ):
            return False
        if text[:1] in (" ", "\t"):
            if key not in _PROSE_KEYS:
                return False
            continue
        key = read_key(text)
        if key is None or key not in METADATA_KEYS | keys:
            return False
    return True


def has_doubtful_prose(lines: Sequence[Line], block: range) -> bool:
    """Whether a value of the block calls something untrue, or speaks of the record that it stands in."""
    for number in block:
        text = lines[number].text
        key = read_key(text)
        if key in _STRUCTURED_KEYS:
            continue
        tokens = tokenize(text if key is None else text.partition(":")[2])
        if has_doubt(tokens) or (
            key in ("summary", "keywords") and any(token.folded in _SELF_REFERENCES for token in tokens)
        ):
            return True
    return False


def is_surrounded_plainly(lines: Sequence[Line], block: range, names: Sequence[str]) -> bool:
    """Whether every other paragraph is a block of metadata or only announces one; `names` may stand there."""
    known = words.RECORD_INTRODUCTIONS | {token.folded for name in names for token in tokenize(name)}
    number = 0
    while number < len(lines):
        if not lines[number].text:
            number += 1
            continue
        other = block_around(lines, number)
        number = other[-1] + 1
        if other[0] == block[0]:
            continue
        if is_metadata(lines, other):
            if has_doubtful_prose(lines, other):
                return False
            continue
        text = " ".join(lines[index].text for index in other)
        if not all(token.folded in known for token in tokenize(text)):
            return False
    return True
