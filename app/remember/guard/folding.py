"""Text as the rules read it: characters that look alike are made alike, what is invisible is taken out. Pure."""

import re
from typing import Final

from app.kernel.compatibility import normalize
from app.kernel.unseen import UNSEEN

_INVISIBLE: Final = re.compile(f"[{UNSEEN}]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
# Letters of other scripts that are read as Latin ones, after compatibility folding and in lower case.
LOOKALIKES: Final[dict[int, int]] = str.maketrans(
    "абвсеёнкмортухіїјѕԁԛԝһӏьгпո"
    + "αβγεηικνορτυχωϲϳ"
    + "ıøłđħŧɡɩ"
    # Small capitals, and the Cherokee letters that look like capitals.
    + "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"
    + "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ",
    "abbceehkmoptyxiijsdqwhlbrnn"
    + "abyenikvoptuxwcj"
    + "iolohtgi"
    + "abcdefghijklmnoprstuvwyz"
    + "abcdeghijklmprstvwz",
) | {
    # Letters in a black circle or square, and those that flags are put together from.
    first + letter: ord("a") + letter
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for letter in range(26)
}
_HAS_LOOKALIKE: Final = re.compile("[" + "".join(map(chr, LOOKALIKES)) + "]")
# What is read as a letter in "1gn0r3"; i, l and what looks like them are one letter.
_PLAIN_LETTERS: Final = bytes.maketrans(b"013457@$!|l", b"oieastasiii")
_BETWEEN_LETTERS: Final = b" \t\n\r\f\v.,;:-_*/\\~'\"`#+=<>[]{}^&"
_DASHES: Final = re.compile("[·•\u2010-\u2015…]")


def fold(text: str) -> str:
    """Return the text in lower case, compatibility form, without accents and invisible characters."""
    if text.isascii():
        return text.lower()
    visible = _INVISIBLE.sub("", text)
    return _ACCENTS.sub("", normalize("NFKD", visible).casefold()).replace("’", "'")


def replace_lookalikes(folded: str) -> str | None:
    """Return the folded text with Cyrillic and Greek letters read as the Latin ones; None if it has none."""
    if folded.isascii() or _HAS_LOOKALIKE.search(folded) is None:
        return None
    return folded.translate(LOOKALIKES)


def squeeze(folded: str) -> str:
    """Return the letters alone, without what stands between them and with digits read as letters.

    The opening parenthesis of a call stays, because a function's name is not the first word of a sentence; so
    does a question mark for each letter outside ASCII.
    """
    if "(" in folded:
        folded = folded.replace(" (", " ")
    if not folded.isascii():
        folded = _DASHES.sub("", folded)
    return folded.encode("ascii", "replace").translate(_PLAIN_LETTERS, _BETWEEN_LETTERS).decode("ascii")
