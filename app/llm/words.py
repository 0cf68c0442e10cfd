"""What a model's own words must be before they are kept: plain prose about names, without secrets. Pure.

What is kept of them is shown to whoever reads it later, and that may be an agent. What nobody sees, markup,
addresses and orders have no place in it. Names are the team's own and may hold it all: a fault is none where the
whole of it stands inside a name, and nowhere else, because what stands beside a name can make a tag of it.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from app.kernel.unseen import UNSEEN

_CATEGORIES: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
# The pattern of Braille without a dot is drawn as nothing, though it counts as a symbol.
_UNSEEN: Final = re.compile(rf"[{UNSEEN}\u2800]")
_MARKUP: Final = re.compile(
    r"<[/!?|%a-z]|%3c|\\(?:x3c|u003c)|&(?:[a-z][a-z0-9]+|\#[0-9]+|\#x[0-9a-f]+);|&(?:lt|gt|\#)"
    r"|\]\s?[(\[]|\]:|!\[|```|~~~|\{[{%]",
    re.IGNORECASE,
)
# Each as far as it goes, so that a name at its beginning does not excuse the rest; a full stop after it is the
# sentence's.
_ADDRESS: Final = re.compile(
    r"//\S*\w/?|//|\bwww\.\S*|\b(?:mailto|javascript|vbscript):|\b(?:data|tel|sms|file|blob|ftp):(?=\S)"
    r"|(?<![\w.+-])[\w.+-]*\w@\w[\w.-]*"
    r"|(?<![\w-])(?<![\w-]\.)(?:[\w-]+\.)+(?:xn--[\w-]+|[^\W\d_]{2,})(?![^\W_])(?:[:/?#\\@]\S*\w)?"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])(?:[:/?#\\@]\S*\w)?",
    re.IGNORECASE,
)


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
    """Return why the text must not be kept, or None; no fault is what stands in it as one of the names, except for
    orders. The time is about that of the text's length times the number of names: callers bound both."""
    names = [name for name in names if name]
    reach = _reach_of_names(text, names)
    if any(is_unseen(one) and reach[place] <= place for place, one in enumerate(text)):
        return "a text holds control or format characters"
    folded = unicodedata.normalize("NFKC", text)
    reach = _reach_of_names(folded, [unicodedata.normalize("NFKC", name) for name in names])
    for pattern, fault in ((_MARKUP, "a text holds markup"), (_ADDRESS, "a text holds an address")):
        if any(reach[found.start()] < found.end() for found in pattern.finditer(folded)):
            return fault
    return "a text speaks to those who read it" if wardens.gives_orders(text) else None


def write_out(text: str) -> str:
    """Return the text with each character that nobody sees as JSON would escape it; lines and tabs stay."""
    return "".join(json.dumps(one)[1:-1] if is_unseen(one) and one not in "\n\t" else one for one in text)


def is_unseen(character: str) -> bool:
    """Say whether it controls or formats rather than shows: escapes, line ends, directions, no width, no ink."""
    if " " <= character <= "~":
        return False
    return unicodedata.category(character) in _CATEGORIES or _UNSEEN.match(character) is not None


def _reach_of_names(text: str, names: Iterable[str]) -> list[int]:
    """Return, for each place in the text, how far the names reach that begin there or before.

    Within a longer word or address one is no name.
    """
    reach = [0] * (len(text) + 1)
    for name in names:
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            is_word = _is_letter(text[start - 1 : start]) or _is_letter(text[end : end + 1])
            if not is_word and not text.startswith("://", end):
                reach[start] = max(reach[start], end)
            start = text.find(name, start + 1)
    return [*accumulate(reach, max)]


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
