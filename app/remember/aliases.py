"""Which aliases of a proposal may be believed. Pure.

An alias decides whom a sentence is about, so one that only the client vouches for could turn the evidence about
one thing into knowledge about another. It counts, for the verifier and for later look-ups, when it is another
spelling of the name, or when the evidence itself introduces it: "JavaScript (JS)". Any other is left in the
submission and has no effect.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.ledger.nodes.names import fold_name
from app.remember.introductions import INTRODUCTIONS
from app.remember.submission import EntityProposal

# What spellings differ in; "+" and "#" tell C++ and C# from C.
_SEPARATORS = re.compile(r"[-_.\s]+")


def keep_backed_aliases(
    entities: Iterable[EntityProposal], texts: Iterable[str]
) -> tuple[EntityProposal, ...]:
    """Return the proposals with only those aliases that their name's spelling or one of the texts backs."""
    folded = [fold_name(text) for text in texts]
    return tuple(_keep_backed(entity, folded) if entity.aliases else entity for entity in entities)


def _keep_backed(entity: EntityProposal, folded_texts: Sequence[str]) -> EntityProposal:
    name = fold_name(entity.name)
    of_it = [text for text in folded_texts if name in text]
    backed = tuple(
        alias
        for alias in entity.aliases
        if is_spelling_of(alias, entity.name) or is_introduced(alias, entity.name, of_it)
    )
    return replace(entity, aliases=backed)


def is_spelling_of(alias: str, name: str) -> bool:
    """Say whether the two differ in case, hyphens, underscores, dots and spaces at most."""
    letters = [_SEPARATORS.sub("", fold_name(text)) for text in (alias, name)]
    return letters[0] == letters[1] != ""


def is_introduced(alias: str, name: str, folded_texts: Sequence[str]) -> bool:
    """Say whether a text sets the alias beside the name as another name of the same thing."""
    name, alias = fold_name(name), fold_name(alias)
    # No pattern is made of a stranger's words: making one takes longer than reading all of the evidence.
    texts = [text for text in folded_texts if alias in text]
    orders = ((name, alias), (alias, name)) if texts else ()
    forms = [f"{one}{form.joint}{other}{form.close}" for form in INTRODUCTIONS for one, other in orders]
    return any(_stands_in(text, form) for form in forms for text in texts)


def _stands_in(text: str, form: str) -> bool:
    start = text.find(form)
    while start >= 0:
        beside = text[max(0, start - 1) : start] + text[start + len(form) : start + len(form) + 1]
        if not any(character.isalnum() or character == "_" for character in beside):
            return True
        start = text.find(form, start + 1)
    return False
