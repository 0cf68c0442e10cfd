"""Frames: what a sentence may open with before it states something.

Pure data and its readers. An assertive frame ("The user confirmed that") needs a subject and a verb of
known words: "The dream showed that" asserts nothing.
"""

from collections.abc import Sequence
from typing import Final

MAX_FRAME_SUBJECT_TOKENS: Final = 6


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(*phrases: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in phrases)


_PAST = _words(
    "confirmed verified showed shown documented proved proven established demonstrated observed measured "
    "determined recorded found"
)
_PRESENT = _words("confirms verifies shows proves demonstrates")
_BASE = _words("confirm verify show prove demonstrate")
_ARTICLES = _words("the a an our this both")
_QUALIFIERS = _words(
    "official latest current automated manual detailed full integration unit one load release"
)
# Who and what may confirm something: roles, and what is read or measured.
_WITNESSES = _words(
    "user users maintainer maintainers developer developers engineer engineers team teams administrator "
    "operator reviewer reviewers test tests check checks trace traces log logs benchmark benchmarks "
    "measurement measurements experiment experiments profiler inspection audit review documentation docs "
    "manual readme changelog specification source code results result output analysis build run"
)
_IMPERSONAL = _phrases(
    *("it is", "it was", "it has been", "it is also", "it was also", "it is explicitly"),
    *("it has been explicitly", "it was explicitly"),
)
_DENIALS = _phrases(
    *("it is not true that", "it isn't true that", "it is false that", "it is untrue that"),
    *("it is not the case that", "it isn't the case that", "it is incorrect that", "it is wrong that"),
    "it is not correct that",
)
_LEAD_INS = _phrases(
    *("currently", "today", "now", "also", "indeed", "internally", "therefore", "thus", "finally"),
    *("additionally", "moreover", "furthermore", "consequently", "similarly", "in addition", "in fact"),
    *("as documented", "as confirmed", "as verified", "note that"),
)


def is_denial_frame(before: Sequence[str]) -> bool:
    """Whether the folded words are a frame such as "It is not true that"."""
    return tuple(before) in _DENIALS


def is_lead_in(before: Sequence[str]) -> bool:
    """Whether the folded words only lead in: "Currently,", "Note that"."""
    return tuple(before[:-1] if before and before[-1] == "," else before) in _LEAD_INS


def is_assertive_frame(before: Sequence[str]) -> bool:
    """Whether the folded words assert what follows: "The user confirmed that", "It is documented that"."""
    body = list(before)
    has_that = bool(body) and body[-1] == "that"
    if has_that:
        body.pop()
    if not 2 <= len(body) <= MAX_FRAME_SUBJECT_TOKENS + 1:
        return False
    *subject, verb = body
    if verb in _PAST and tuple(subject) in _IMPERSONAL:
        return has_that
    if subject in (["i"], ["we"]):
        return verb in _PAST | _BASE
    if not _is_witness(subject):
        return False
    # "confirmed" without "that" could be an adjective.
    return (verb in _PAST and has_that) or verb in _PRESENT | _BASE


def strip_frame(folded: Sequence[str]) -> int:
    """Return how many tokens of an assertive frame with "that" the sentence opens with, else 0."""
    if "that" not in folded:
        return 0
    length = list(folded).index("that") + 1
    return length if is_assertive_frame(folded[:length]) else 0


def _is_witness(subject: Sequence[str]) -> bool:
    """Whether the words name a known witness: "the user", "our integration tests", "a trace of one request"."""
    body = list(subject[1:] if subject[0] in _ARTICLES else subject)
    if body[-3:-1] == ["of", "one"] and body[-1] in ("request", "run"):
        body = body[:-3]
    if not body or body[-1] not in _WITNESSES:
        return False
    return all(word in _QUALIFIERS or word in _WITNESSES for word in body[:-1])
