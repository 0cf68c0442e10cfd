"""Kinds of attack that public taxonomies name, each as a few patterns over the folded text. Pure.

Where `phrases` knows words of commands, this knows situations: who is addressed, what is forged, what is to be
kept from whom. A pattern starts at a word, and every gap is bounded and stays in its sentence.

Beside each pattern stands what a text can't be without to match it: of `a|b & c`, one of `a` and `b`, and `c`.
Most texts lack that, and to look for a substring is far cheaper than to look for the pattern.
"""

import re
from typing import Final

from app.remember.guard.kind_beliefs import BELIEFS
from app.remember.guard.kind_gains import GAINS
from app.remember.guard.kind_orders import ORDERS
from app.remember.guard.kind_plain import PLAIN
from app.remember.guard.kind_roles import ROLES

_COMPILED: Final = tuple(
    (kind, tuple(tuple(need.split("|")) for need in needs.split(" & ")), re.compile(pattern))
    for kinds in (ROLES, ORDERS, GAINS, BELIEFS, PLAIN)
    for kind, patterns in kinds.items()
    for needs, pattern in patterns
)


def find_kind(folded: str) -> str | None:
    """Return the class of the first kind of attack that the text is, or None."""
    for kind, needs, pattern in _COMPILED:
        if all(any(word in folded for word in need) for need in needs) and pattern.search(folded):
            return kind
    return None
