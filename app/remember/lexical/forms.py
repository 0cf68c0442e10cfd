"""Every way in which English writes a predicate: its forms, with voice, number and negation.

Pure. Forms come from the verb phrase, the aliases, the label and the key. A state counts in the present
only ("was licensed under" says nothing about now); an event also in the past and the perfect.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from app.ledger.predicates.inflections import (
    MODALS,
    base_verb,
    bases_of_past,
    is_participle,
    is_past,
    past_participle,
    past_tense,
    present_participle,
    third_person,
)
from app.ledger.predicates.phrases import PAST_COPULAS, PRESENT_COPULAS, passive_phrase, split_phrase
from app.ledger.vocabulary import Predicate
from app.remember.lexical.tokens import name_tokens

Number = Literal["singular", "plural", "any"]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a predicate.

    `words` are folded tokens. `reversed`: the object stands on the left, as in "is used by". `number` is
    that of the left noun; a list of names takes no singular.
    """

    words: tuple[str, ...]
    reversed: bool
    negated: bool
    number: Number


@lru_cache(maxsize=1024)
def predicate_forms(predicate: Predicate) -> tuple[Form, ...]:
    """Return all forms of the predicate, the longest first, without repeats."""
    is_event = predicate.relationship_kind == "event"
    forms: dict[Form, None] = {}
    for phrase in _phrases(predicate):
        for text, negated, number in _finite(phrase, is_event=is_event):
            forms[Form(name_tokens(text), False, negated, number)] = None
        for other in _other_voice(phrase, is_event=is_event):
            for text, negated, number in _finite(other, is_event=is_event):
                forms[Form(name_tokens(text), True, negated, number)] = None
    return tuple(sorted((form for form in forms if form.words), key=lambda form: -len(form.words)))


def _phrases(predicate: Predicate) -> tuple[str, ...]:
    """Return the phrases to inflect: with a copula before those that begin with no finite verb ("part of")."""
    main = " ".join(predicate.verb_phrase.split())
    others = (*predicate.aliases, predicate.label, predicate.key.replace("_", " "))
    phrases = [main]
    for other in (" ".join(other.casefold().split()) for other in others):
        if not other or main.casefold().endswith(other):
            continue
        phrases.append(other if _is_finite(other) else f"is {other}")
    return tuple(dict.fromkeys(phrases))


def _is_finite(phrase: str) -> bool:
    head, _ = split_phrase(phrase)
    is_third_person = base_verb(head) != head
    return head in (*PRESENT_COPULAS, *PAST_COPULAS) or head in MODALS or is_third_person or is_past(head)


def _other_voice(phrase: str, *, is_event: bool) -> tuple[str, ...]:
    """Return the phrases with the endpoints swapped: uses → is used by, was created by → created."""
    passive = passive_phrase(phrase)
    if passive is not None:
        return (passive,)
    words = phrase.split()
    copulas = (*PRESENT_COPULAS, *PAST_COPULAS)
    if len(words) != 3 or words[0] not in copulas or words[2] != "by" or not is_participle(words[1]):
        return ()
    bases = bases_of_past(words[1])
    if is_event:
        # Every candidate base of a regular verb has the same past, which is the participle itself.
        return (past_tense(bases[0]) if past_participle(bases[0]) == words[1] else words[1],)
    return tuple(third_person(base) for base in bases)


def _finite(phrase: str, *, is_event: bool) -> list[tuple[str, bool, Number]]:
    head, rest = split_phrase(phrase)
    if head in (*PRESENT_COPULAS, *PAST_COPULAS):
        return _copula_forms(head, rest, is_event=is_event)
    if head in MODALS:
        return [
            (phrase, False, "any"),
            (f"{head} not {rest}", True, "any"),
            (f"{head}not {rest}", True, "any"),
        ]
    if head in ("has", "have"):
        return _have_forms(rest)
    if is_past(head):
        return _past_forms(head, rest, is_event=is_event)
    if base_verb(head) == head:
        return [(phrase, False, "any")]
    return _present_forms(base_verb(head), rest, is_event=is_event)


def _copula_forms(head: str, rest: str, *, is_event: bool) -> list[tuple[str, bool, Number]]:
    pairs: list[tuple[str, str, str, Number]] = []
    if is_event or head in PRESENT_COPULAS:
        pairs += [("is", "is not", "isn't", "singular"), ("are", "are not", "aren't", "plural")]
    if is_event or head in PAST_COPULAS:
        pairs += [("was", "was not", "wasn't", "singular"), ("were", "were not", "weren't", "plural")]
    if is_event:
        pairs += [
            ("has been", "has not been", "hasn't been", "singular"),
            ("have been", "have not been", "haven't been", "plural"),
        ]
    forms: list[tuple[str, bool, Number]] = []
    for positive, negative, short, number in pairs:
        forms.append((f"{positive} {rest}", False, number))
        forms += [(f"{denied} {rest}", True, number) for denied in (negative, short, f"{positive} never")]
        if positive in PRESENT_COPULAS:
            forms.append((f"{positive} no longer {rest}", True, number))
    return forms


def _have_forms(rest: str) -> list[tuple[str, bool, Number]]:
    bare = rest.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    forms: list[tuple[str, bool, Number]] = [("has no " + bare, True, "singular")]
    for tail in dict.fromkeys((rest, bare)):
        forms += [(f"has {tail}", False, "singular"), (f"have {tail}", False, "plural")]
        forms += _denied_with_do("have", tail, is_event=False)
    return forms


def _past_forms(head: str, rest: str, *, is_event: bool) -> list[tuple[str, bool, Number]]:
    bases = bases_of_past(head)
    participle = past_participle(bases[0]) if past_tense(bases[0]) == head else head
    forms: list[tuple[str, bool, Number]] = [
        (f"{head} {rest}", False, "any"),
        (f"never {head} {rest}", True, "any"),
        (f"has {participle} {rest}", False, "singular"),
        (f"have {participle} {rest}", False, "plural"),
    ]
    for denied in ("has not", "hasn't", "has never"):
        forms += [(f"{denied} {participle} {rest}", True, "singular")]
    for base in bases:
        forms += [(f"did not {base} {rest}", True, "any"), (f"didn't {base} {rest}", True, "any")]
        if is_event:
            forms.append((f"{third_person(base)} {rest}", False, "singular"))
    return forms


def _present_forms(base: str, rest: str, *, is_event: bool) -> list[tuple[str, bool, Number]]:
    singular = third_person(base)
    forms: list[tuple[str, bool, Number]] = [
        (f"{singular} {rest}", False, "singular"),
        (f"{base} {rest}", False, "plural"),
        (f"is {present_participle(base)} {rest}", False, "singular"),
        (f"are {present_participle(base)} {rest}", False, "plural"),
        *_denied_with_do(base, rest, is_event=is_event),
        *((f"{denied} {singular} {rest}", True, "singular") for denied in ("never", "no longer")),
    ]
    return forms + (_past_forms(past_tense(base), rest, is_event=False) if is_event else [])


def _denied_with_do(base: str, rest: str, *, is_event: bool) -> list[tuple[str, bool, Number]]:
    forms: list[tuple[str, bool, Number]] = [
        (f"does not {base} {rest}", True, "singular"),
        (f"doesn't {base} {rest}", True, "singular"),
        (f"do not {base} {rest}", True, "plural"),
        (f"don't {base} {rest}", True, "plural"),
    ]
    if is_event:
        forms += [(f"{denied} {base} {rest}", True, "any") for denied in ("did not", "didn't")]
    return forms
