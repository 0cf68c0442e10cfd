"""Cutting evidence into sentences, in doubt too long rather than too short.

Pure. A sentence that is cut too early could lose the words that take it back, so a full stop ends one only
before white space and something that is no lower-case letter, and never after an abbreviation or an
initial. One line break ends nothing; a blank line does.
"""

import re
from dataclasses import dataclass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BREAK = re.compile(
    r"(?P<blank>(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])[^\S\n\r]*(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])\s*)"
    r"|(?P<wide>[。！？]+[」』”’）]*)"
    r"|(?P<stop>(?<![.!?…])[.!?…]++[\"'”’»)\]`*]*+)(?=\s)"
)
_LAST_WORD = re.compile(r"([^\s(\[\"'“‘]+)$")
_ABBREVIATIONS = _words(
    "mr mrs ms dr prof st sr jr inc ltd co corp llc plc gmbh vs etc approx ca cf al no nos vol fig figs "
    "sec ch pp ed eds dept est gov gen col lt sgt rev hon rep sen e.g i.e eg ie jan feb mar apr jun jul "
    "aug sep sept oct nov dec a.k.a viz resp incl excl min max avg univ assn bros mt ft"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as a half-open range of the content, with its number."""

    number: int
    start: int
    end: int


def split_sentences(content: str) -> tuple[Sentence, ...]:
    """Return the sentences in order; they cover everything but white space between them."""
    sentences: list[Sentence] = []
    start = 0
    for found in _BREAK.finditer(content):
        if found.lastgroup != "blank" and not _ends_sentence(content, found.start(), found.end()):
            continue
        end = found.start() if found.lastgroup == "blank" else found.end()
        start = _append(content, start, end, sentences, found.end())
    _append(content, start, len(content), sentences, len(content))
    return tuple(sentences)


def _append(content: str, start: int, end: int, sentences: list[Sentence], following: int) -> int:
    while start < end and content[start].isspace():
        start += 1
    while end > start and content[end - 1].isspace():
        end -= 1
    if start < end:
        sentences.append(Sentence(len(sentences), start, end))
    return following


def _ends_sentence(content: str, stop: int, end: int) -> bool:
    """Whether the punctuation at `stop` ends a sentence, given what stands before and after it."""
    following = content[end : end + 40].lstrip()
    if following[:1].islower():
        return False
    if content[stop] != "." or end - stop > 1:
        return True
    before = _LAST_WORD.search(content, max(0, stop - 40), stop)
    if before is None:
        return True
    word = before.group(1).casefold()
    is_initial = len(word) == 1 and word.isalpha() and before.group(1).isupper()
    return not (is_initial or word.rstrip(".") in _ABBREVIATIONS)
