"""What a model's own words must be before they are kept: plain prose about names, without secrets. Pure.

What is kept of them is shown to whoever reads it later, and that may be an agent. What nobody sees, markup,
addresses and orders have no place in it. Names are the team's own and may hold it all: a fault is none where the
whole of it stands inside a name, and nowhere else, because what stands beside a name can make a tag of it.

What prose does hold is kept: files, modules and versions with dots, footnotes, the joiners of scripts and emoji.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from app.kernel.unseen import UNSEEN
from app.kernel.unspaced import UNSPACED

_CATEGORIES: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
# The pattern of Braille without a dot is drawn as nothing, though it counts as a symbol.
_UNSEEN: Final = re.compile(rf"[{UNSEEN}\u2800]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_MARKUP: Final = re.compile(
    r"<[/!?|%a-z]|%3c|\\(?:x3c|u003c)|&(?:[a-z][a-z0-9]+|\#[0-9]+|\#x[0-9a-f]+);|&(?:lt|gt|\#)"
    r"|\]\(|\]:|!\[|```|~~~|\{[{%]",
    re.IGNORECASE,
)
# Between Latin letters a browser reads the ideographic full stop as a dot.
_DOT: Final = r"(?:\.|(?<=[a-z0-9-])。(?=[a-z0-9-]))"
_HOST: Final = rf"(?<![\w-])(?<![\w-]\.)(?:[\w-]++{_DOT})+(?:xn--[\w-]++|[^\W\d_][\w-]++)\.?"
# A dotted word alone is a file, a module or a product, and four numbers are a version: what follows makes a host
# of them. Each as far as it goes, so that a name at its beginning does not excuse the rest; a full stop after
# it is the sentence's.
_ADDRESS: Final = re.compile(
    r"//\S*\w/?|//|\bwww\.\S*|\b(?:mailto|javascript|vbscript):|\b(?:data|tel|sms|file|blob|ftp|https?):(?=\S)"
    # A version is written behind an @ as well, but a host may begin with a number: 163.com.
    r"|(?<![\w.+-])[\w.+-]*\w@(?:(?!v\d)[^\W\d]|v?\d[\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,}(?![\w-]))[\w.-]*"
    rf"|(?:{_HOST}|(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?:/(?:\S*\w/?)?|[?\#\\@]\S*\w|:\d(?:\S*\w)?)"
    r"|\blocalhost(?::\d|/)(?:\S*\w)?|(?<![\w.-])[^\W\d_][\w-]*+:\d{2,5}/(?!\d)(?:\S*\w)?",
    re.IGNORECASE,
)
# Arabic letters and those of India, which a joiner or its opposite shapes.
_SHAPED: Final = re.compile(r"[\u0600-\u06FF\u0750-\u077F\u0870-\u08FF\u0900-\u0DFF]")
_JOINER, _NON_JOINER, _PICTURE, _KEYCAP = "\u200d", "\u200c", "\ufe0f", "\u20e3"


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
    if any(
        is_unseen(one) and reach[place] <= place and not _is_in_its_place(text, place)
        for place, one in enumerate(text)
    ):
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


def _is_in_its_place(text: str, place: int) -> bool:
    """Say whether a character without width belongs there: between letters that it shapes, or in emoji."""
    one, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if one in (_JOINER, _NON_JOINER) and _is_shaped(before) and _is_shaped(after):
        return True
    if one == _PICTURE:
        return _is_picture(before) or (after == _KEYCAP and before in tuple("0123456789#*"))
    if before == _PICTURE:
        before = text[max(place - 2, 0) : place - 1]
    is_toned = "\U0001f3fb" <= before <= "\U0001f3ff"
    return one == _JOINER and (_is_picture(before) or is_toned) and _is_picture(after)


def _is_shaped(character: str) -> bool:
    return _SHAPED.match(character) is not None and unicodedata.category(character)[0] in "LM"


def _is_picture(character: str) -> bool:
    """Say whether it is a symbol that may be drawn as a picture: none of ASCII, and none without ink."""
    is_symbol = character > "~" and unicodedata.category(character) in ("So", "Sm")
    return is_symbol and not is_unseen(character)


def _reach_of_names(text: str, names: Iterable[str]) -> list[int]:
    """Return, for each place in the text, how far the names reach that begin there or before.

    Within a longer word or address one is no name.
    """
    reach = [0] * (len(text) + 1)
    for name in names:
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            if _is_whole(text, start, end) and not text.startswith("://", end):
                reach[start] = max(reach[start], end)
            start = text.find(name, start + 1)
    return [*accumulate(reach, max)]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Say whether the piece is no part of a longer word; in scripts without spaces nothing is."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if _is_letter(before) and not _UNSPACED.search(before + text[start]):
        return False
    return not _is_letter(after) or _UNSPACED.search(text[end - 1] + after) is not None


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
