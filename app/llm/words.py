"""What a model's own words must be before they are kept: plain prose about names, without secrets. Pure.

What is kept of them is shown to whoever reads it later, and that may be an agent. What nobody sees, markup,
addresses and orders have no place in it. Names are the team's own and may hold it all.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_MARKUP: Final = re.compile(r"<[/!?|a-z]|\]\s?\(|```|\{\{", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"://|\bwww\.|\b(?:mailto|javascript):|\w@\w", re.IGNORECASE)


def _finds_nothing(text: str) -> bool:
    return False


def _masks_nothing(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Wardens:
    """The service's own guard, as far as it is wired: `gives_orders` says whether a text speaks to the models or
    agents that may read it, `mask` returns it without secrets."""

    gives_orders: Callable[[str], bool] = _finds_nothing
    mask: Callable[[str], str] = _masks_nothing


NO_WARDENS: Final = Wardens()


def find_words_fault(text: str, names: Iterable[str], wardens: Wardens) -> str | None:
    """Return why the text must not be kept, or None. What stands in it as one of the names is not looked at,
    except for orders."""
    own = text
    for name in sorted(filter(None, names), key=len, reverse=True):
        # Within a longer word or address it is no name.
        own = re.sub(rf"(?<!\w){re.escape(name)}(?!\w|://)", "…", own)
    if any(map(is_unseen, own)):
        return "a text holds control or format characters"
    folded = unicodedata.normalize("NFKC", own)
    if _MARKUP.search(folded):
        return "a text holds markup"
    if _ADDRESS.search(folded):
        return "a text holds an address"
    return "a text speaks to those who read it" if wardens.gives_orders(text) else None


def write_out(text: str) -> str:
    """Return the text with each character that nobody sees as JSON would escape it; lines and tabs stay."""
    return "".join(json.dumps(one)[1:-1] if is_unseen(one) and one not in "\n\t" else one for one in text)


def is_unseen(character: str) -> bool:
    """Say whether it controls or formats rather than shows: escapes, line ends, directions, no width."""
    return unicodedata.category(character) in _UNSEEN
