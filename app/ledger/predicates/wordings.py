"""Under which words a predicate is known: a name in any spelling or form of its verb is the same name. Pure.

"depends on", "Depends-On", "depend_on", "is depending on" and "depended on" are one. A reader of evidence takes
all of them for the predicate, so none may lead to another one. A name is kept as written and with its verb in
the -ing form, which every form of one verb shares.
"""

import re
import unicodedata
from collections.abc import Iterable

from app.ledger.predicates.inflections import (
    base_verb,
    bases_of_past,
    is_participle,
    is_past,
    present_participle,
)
from app.ledger.predicates.phrases import PAST_COPULAS, PRESENT_COPULAS, passive_phrase, split_phrase
from app.ledger.vocabulary import Predicate

COPULAS = frozenset((*PRESENT_COPULAS, *PAST_COPULAS))
_ARTICLES = frozenset(("a", "an", "the"))
_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015]+")
_EDGES = ".,;:!?()[]{}<>\"'`*“”„‘’«»…"


def fold_words(text: str) -> str:
    """Return the words of a name in lower case with single spaces; hyphens and underscores separate too."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = (word.strip(_EDGES) for word in _SEPARATORS.split(folded.replace("’", "'")))
    return " ".join(word for word in words if word)


def direct_names(predicate: Predicate) -> frozenset[str]:
    """Return all names of the predicate, subject first: of its key, label, verb phrase and aliases."""
    return _all_names(_phrases(predicate))


def reversed_names(predicate: Predicate) -> frozenset[str]:
    """Return its names with the object first: "is used by" of uses, "created" of created by."""
    return _all_names(other for phrase in _phrases(predicate) for other in _other_voices(phrase))


def _phrases(predicate: Predicate) -> list[str]:
    written = (predicate.key, predicate.label, predicate.verb_phrase, *predicate.aliases)
    return [phrase for phrase in map(fold_words, written) if phrase]


def _all_names(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(name for phrase in phrases for name in _names(phrase))


def _names(phrase: str) -> set[str]:
    words = phrase.split()
    if len(words) > 1 and words[0] in ("has", "have") and words[1] == "been":
        words = ["is", *words[2:]]
    head, rest = words[0], [word for word in words[1:] if word not in _ARTICLES]
    if head in COPULAS:
        # "is licensed under" is also written "licensed under". Its verb stays free: "is called" is not "calls".
        return {" ".join(["is", *rest]), " ".join(rest or ["is"])}
    names = {" ".join([head, *rest])} | {" ".join([form, *rest]) for form in _progressives(head)}
    if head in ("has", "have") and rest and is_participle(rest[0]):
        names |= {" ".join([form, *rest[1:]]) for form in _progressives(rest[0])}
    return names


def _progressives(verb: str) -> set[str]:
    """Return the -ing forms of a verb in any form: all bases of a past that spelling allows have the same one."""
    bases = bases_of_past(verb) if is_past(verb) or is_participle(verb) else (base_verb(verb),)
    return {present_participle(base) for base in bases}


def _other_voices(phrase: str) -> tuple[str, ...]:
    passive = passive_phrase(phrase)
    if passive is not None:
        return (passive,)
    head, rest = split_phrase(phrase)
    match rest.split():
        case [word, "by"] if head in COPULAS and is_participle(word):
            return bases_of_past(word)
    return ()
