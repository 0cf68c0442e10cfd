"""Which texts may name a relation: none that denies, doubts or says nothing. Pure.

Whatever names a predicate counts as asserting it wherever evidence holds it. A word that a verifier would refuse
beside a predicate must not get past it by standing inside one: "does not depend on" is no relation, and neither
is "may use". Words that begin a relation of their own stay free: "lacks", "denies", "needs".
"""

import re
from itertools import pairwise
from typing import Final

from app.ledger.predicates.inflections import MODALS, base_verb, is_past
from app.ledger.predicates.wordings import COPULAS, fold_words


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Keys that give a record its subject or its shape; as a name of a predicate they would claim every record.
RESERVED_KEYS: Final = frozenset({"name", "classifier", "classifiers"})
_CUES: Final = MODALS | _words(
    "not no never none neither nor nobody nothing nowhere cannot without hardly scarcely barely "
    "rarely seldom unlikely isnt arent wasnt werent doesnt dont didnt hasnt havent cant wont shall "
    "ought possibly perhaps maybe probably presumably likely potentially conceivably arguably "
    "apparently seemingly supposedly allegedly reportedly ostensibly purportedly theoretically "
    "hypothetically almost nearly practically virtually partly partially somewhat sometimes "
    "occasionally formerly previously falsely wrongly incorrectly mistakenly if unless whether"
)
# Before "to" these say that something is meant, tried or given up, not that it is so.
_NOT_YET: Final = _words(
    "seems appears tends plans intends tries attempts wants hopes wishes expects aims claims pretends "
    "fails refuses ceases stops seemed appeared planned intended tried attempted wanted hoped failed "
    "refused ceased"
)
_NO_VERBS: Final = _words("does did this these always perhaps across besides towards whereas its")
_EMPTY: Final = COPULAS | _words("be been being has have had do does did a an the and or of to in on at by")
_WORD: Final = re.compile(r"[^\W_](?:[\w+#'’&/.-]*[\w+#'’])?")


def find_name_fault(text: str) -> str | None:
    """Return why the text cannot name a predicate as key, label, alias or verb phrase, or None."""
    words = fold_words(text).split()
    if not any(character.isalnum() for word in words for character in word):
        return "A name holds at least one letter or digit."
    # "is a" says what kind of thing something is; nothing else made of these words says anything.
    if set(words) <= _EMPTY and words not in (["is", "a"], ["is", "an"]):
        return "A name needs a word that says something."
    if " ".join(words) in RESERVED_KEYS:
        return "Every record has a line of that key, so it names no relation."
    for word in words:
        if word in _CUES or word.endswith("n't"):
            return f"{word!r} denies or doubts; a name asserts."
    if any(first in _NOT_YET and second == "to" for first, second in pairwise(words)):
        return "A name says what is so, not what is meant or tried."
    return None


def find_phrase_fault(verb_phrase: str) -> str | None:
    """Return why the text is no verb phrase such as "depends on" or "was founded by", or None."""
    fault = find_name_fault(verb_phrase)
    if fault is not None:
        return fault
    words = verb_phrase.split()
    head = words[0]
    is_finite = head in ("is", "was", "has") or is_past(head) or (base_verb(head) != head and head.isalpha())
    if not is_finite or not head.islower() or head in _NO_VERBS:
        return 'Begin with a verb in the third person singular: "depends on", "is part of", "created".'
    if not all(_WORD.fullmatch(word) for word in words):
        return "A verb phrase is words and single spaces, without the punctuation of a sentence."
    return None
