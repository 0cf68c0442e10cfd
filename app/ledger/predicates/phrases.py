"""English sentences around a predicate's verb phrase: as stated, hedged, denied, passive.

Pure. Recall states Relationships ("FastAPI depends on Starlette."), dreaming hedges them ("FastAPI may
depend on Starlette."). A verb phrase is third person singular; a phrase in another language passes through
unchanged, so that a sentence is always made, if not always good English. `inflections.py` knows the single
verbs.
"""

import re

from app.ledger.predicates.inflections import (
    MODALS,
    base_of_past,
    base_verb,
    is_past,
    participle_of_past,
    past_participle,
)

_HEDGE_WORDS = re.compile(
    # The first three are hedges in lower case only: "May" is also a month and a name.
    r"(?<![\w'-])(?:may|might|could|(?i:possibly|perhaps|maybe|potentially|conceivably))(?![\w'-])"
)
PRESENT_COPULAS = ("is", "are")
PAST_COPULAS = ("was", "were")


def statement(subject: str, verb_phrase: str, object_name: str) -> str:
    """Return the plain sentence: "FastAPI depends on Starlette."."""
    return _sentence(subject, verb_phrase, object_name)


def hedged_statement(subject: str, verb_phrase: str, object_name: str) -> str:
    """Return the sentence as a possibility: "FastAPI may depend on Starlette.".

    `is_hedged` holds for every result.
    """
    return _sentence(subject, hedged_phrase(verb_phrase), object_name)


def negated_statement(subject: str, verb_phrase: str, object_name: str) -> str:
    """Return the sentence denied: "FastAPI does not depend on Starlette."."""
    return _sentence(subject, negated_phrase(verb_phrase), object_name)


def is_hedged(statement: str) -> bool:
    """Whether the statement says of itself that it is only possible (may, might, could, possibly, perhaps…)."""
    return _HEDGE_WORDS.search(statement) is not None


def base_form(verb_phrase: str) -> str:
    """Return what follows "may".

    depends on → depend on, is licensed under → be licensed under, was founded by → have been founded by,
    created → have created. A modal or an unknown form stays as it is.
    """
    head, rest = split_phrase(verb_phrase)
    if head in PRESENT_COPULAS:
        base = "be"
    elif head in PAST_COPULAS:
        base = "have been"
    elif is_past(head):
        base = f"have {participle_of_past(head)}"
    else:
        base = base_verb(head)
    return f"{base} {rest}".strip()


def hedged_phrase(verb_phrase: str) -> str:
    """Return the phrase with its hedge: "may depend on"; a modal phrase gets "possibly" instead."""
    head, _ = split_phrase(verb_phrase)
    return f"possibly {verb_phrase.strip()}" if head in MODALS else f"may {base_form(verb_phrase)}"


def negated_phrase(verb_phrase: str) -> str:
    """Return the phrase denied: does not depend on, is not licensed under, did not create, cannot run.

    A past whose base its spelling leaves open is denied by its participle: has not vetted.
    """
    head, rest = split_phrase(verb_phrase)
    base = base_of_past(head)
    if head == "can":
        denied = "cannot"
    elif head in (*PRESENT_COPULAS, *PAST_COPULAS) or head in MODALS:
        denied = f"{head} not"
    elif base is not None:
        denied = f"did not {base}"
    elif is_past(head):
        denied = f"has not {participle_of_past(head)}"
    else:
        denied = f"does not {base_verb(head)}"
    return f"{denied} {rest}".strip()


def passive_phrase(verb_phrase: str) -> str | None:
    """Return the passive of an active phrase, or None where there is none.

    uses → is used by, depends on → is depended on by, created → was created by. Copulas, "has", modals,
    phrases of more than a verb and one word, and those that end in a name ("requires Python") have none here.
    """
    head, rest = split_phrase(verb_phrase)
    if head in (*PRESENT_COPULAS, *PAST_COPULAS, "has", "had") or head in MODALS:
        return None
    if " " in rest or (rest and not rest.islower()):
        return None
    if is_past(head):
        return " ".join(f"was {participle_of_past(head)} {rest} by".split())
    base = base_verb(head)
    return None if base == head else " ".join(f"is {past_participle(base)} {rest} by".split())


def split_phrase(verb_phrase: str) -> tuple[str, str]:
    """Return the finite verb and the rest ('' if none)."""
    head, _, rest = verb_phrase.strip().partition(" ")
    return head, rest.strip()


def _sentence(subject: str, phrase: str, object_name: str) -> str:
    text = f"{subject} {phrase} {object_name}"
    return text if text.endswith((".", "。")) else f"{text}."
