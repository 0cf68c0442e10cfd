"""What a text says in disguise: invisible characters, encodings, another direction. Pure."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import unquote

from app.remember.guard.wording import SIGN_OF_WORD

# Tag characters stand legitimately only in the flags of parts of countries.
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f")
_TAG: Final = re.compile("[\U000e0020-\U000e007e]")
_HIDDEN_RUN: Final = re.compile(
    "[\u200b-\u200f\u2060-\u2064\ufeff]{6,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}"
)
_INVISIBLE: Final = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_DIRECTION_OVERRIDE: Final = re.compile("[\u202d\u202e]")
_DIRECTION: Final = re.compile("[\u202a-\u202c\u2066-\u2069]")
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}")
# Digits of one encoding, with or without a mark or a space between the bytes.
_HEX: Final = re.compile(r"(?<![0-9a-zA-Z])(?:0x)?(?:[0-9a-fA-F]{2}){10,}(?![0-9a-zA-Z])")
_SPACED_HEX: Final = re.compile(
    r"(?<![0-9a-zA-Z])(?:(?:0x|%|\\x)?[0-9a-fA-F]{2}[ ,:-]{1,2}){7,}(?:0x)?[0-9a-fA-F]{2}(?![0-9a-zA-Z])"
)
_BASE32: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9])")
# Base64 in several lines or words.
_BASE64_LINES: Final = re.compile(
    r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{8,80}[ \r\n]{1,2}){1,60}[A-Za-z0-9+/]{2,80}={0,2}"
)
_QUOTED_PRINTABLE: Final = re.compile(r"(?:=[0-9A-F]{2}){4,}")
_UPSIDE_DOWN: Final = str.maketrans("ɐqɔpǝɟƃɥᴉɾʞןɯuodbɹsʇnʌʍxʎz", "abcdefghijklmnopqrstuvwxyz")
_TURNED: Final = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_BINARY: Final = re.compile(r"(?<!\d)(?:[01]{8}[ ,]?){6,}(?!\d)")
_DECIMAL: Final = re.compile(r"(?<!\d)(?:\d{2,3}[ ,]{1,2}){7,}\d{2,3}(?!\d)")
_NO_HEX_DIGIT: Final = re.compile(r"0x|[^0-9a-fA-F]")
# Whoever has a reader decode something and then act on it hides an order, whatever it decodes to.
_UNSHOWN: Final = re.compile(
    r"(?<=\w)(?:&(?:shy|zwn?j|zerowidthspace|nobreak);|<([a-z]{1,6})></\1>)(?=\w)", re.IGNORECASE
)
_OBEY: Final = r"(?:follow|obey|execute|run|carry out|comply with|act on|perform|do what|do as)"
_ENCODED: Final = (
    r"(?:base ?64|b64|rot-?13|hex\w{0,9}|binary|cipher\w{0,4}|encoded|decoded|caesar|backwards|reversed?"
    r"|morse)"
)
_ORDER: Final = re.compile(
    rf"\b{_OBEY}\b[^.!?\n]{{0,40}}\b{_ENCODED}\b|\b{_OBEY} 0x[0-9a-f]{{8}}"
    rf"|\b(?:decode|decipher|decrypt|unscramble|de-?obfuscate|translate|read"
    rf"|convert)\b[^.!?\n]{{0,60}}\b(?:and|then)\b[^.!?\n]{{0,20}}\b{_OBEY}\b"
    rf"|\b{_ENCODED}\b[^.!?\n]{{0,60}}\b(?:decode|decrypt|decipher) (?:it|this|that|them) (?:and|then) "
    rf"(?:{_OBEY}|do)\b"
)
_ORDER_WORDS: Final = (
    *(
        "base64",
        "base 64",
        "b64",
        "rot",
        "hex",
        "binary",
        "cipher",
        "code",
        "caesar",
        "backward",
        "reverse",
        "morse",
    ),
    *("decrypt", "scramble", "obfuscate", "translate", "convert", "0x", "read"),
)
_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\u\{?([0-9a-fA-F]{4})\}?")
_ENTITY: Final = re.compile(r"&#x?[0-9a-fA-F]{1,6};")
_PERCENT: Final = re.compile(r"%[0-9a-fA-F]{2}")
# Words in rot13 and backwards that no other text holds.
_ROT13: Final = (
    *(
        "vafgehpgvba",
        "cebzcg",
        "vtaber",
        "qvfertneq",
        "nffvfgnag",
        "thvqryvar",
        "cnffjbeq",
        "erirny",
        "sbetrg lbhe",
    ),
    *(
        "olcnff",
        "rot13",
        "rot-13",
        "lbhe ehyrf",
        "bire ehyrf",
        "zrzbel",
        "bireevqr",
        " gur ",
        "lbhe ",
        "flfgrz",
        "cerivbhf",
    ),
)
_BACKWARDS: Final = (
    *(
        "noitcurtsni",
        "tpmorp",
        "erongi",
        "tnatsissa",
        "dragersid",
        "enilediug",
        "drowssap",
        "laever",
        "ssapyb",
    ),
    *("edirrevo", "selur ruoy", "tegrof", "yromem ruoy"),
)
_LEET: Final = re.compile(r"[a-z][0-9@$!|]|[0-9@$!|][a-z]")
_WORD: Final = re.compile(r"[\w@$!|]+")
# One is an i in most such words, and an l in some.
_LETTERS: Final = tuple(
    str.maketrans(f"0{one}34578@$!|", f"o{letter}eastbasil") for one, letter in (("1", "i"), ("1", "l"))
)
_SPACED: Final = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*/·~|]){2,}[^\W\d_](?![^\W_])")
_BETWEEN: Final = re.compile(r"[ .\-_*/·~|]")


def is_hiding(text: str) -> bool:
    """Say whether the text carries characters whose only use here is to hide something from a reader."""
    if text.isascii() or _INVISIBLE.search(text) is None:
        return False
    if _TAG.search(_FLAG.sub("", text)) or _HIDDEN_RUN.search(text) or _DIRECTION_OVERRIDE.search(text):
        return True
    return _DIRECTION.search(text) is not None and _RIGHT_TO_LEFT.search(text) is None


def unescape(text: str) -> str | None:
    """Return the text with numeric escapes, entities and percent signs resolved; None if it has none."""
    plain = text
    if "\\" in text:
        plain = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), plain)
    if "&#" in text:
        plain = _ENTITY.sub(lambda found: html.unescape(found[0]), plain)
    # What is written inside a word and never shown.
    if "&" in text or "></" in text:
        plain = _UNSHOWN.sub("", plain)
    if "%" in text and _PERCENT.search(text):
        plain = unquote(plain, errors="replace")
    return None if plain == text else plain


def decoded_texts(text: str, folded: str) -> Iterator[str]:
    """Yield the texts that parts of this one decode to."""
    for blob in _BASE64.findall(text):
        # What encodes a text has letters of both cases; a path or an identifier rarely has.
        if not blob.islower() and not blob.isupper():
            yield from _decode(blob)
    for pattern in (_HEX, _SPACED_HEX):
        for blob in pattern.finditer(text):
            digits = _NO_HEX_DIGIT.sub("", blob[0])
            yield from _as_text(binascii.unhexlify(digits[: len(digits) // 2 * 2]))
    for blob in _BASE32.finditer(text):
        yield from _as_text(base64.b32decode(blob[0].rstrip("=")[: len(blob[0].rstrip("=")) // 8 * 8]))
    for blob in _BASE64_LINES.finditer(text):
        yield from _decode("".join(blob[0].split()))
    for blob in _QUOTED_PRINTABLE.finditer(text):
        yield from _as_text(binascii.unhexlify(blob[0].replace("=", "")))
    if len(_TURNED.findall(folded)) > 3:
        yield folded.translate(_UPSIDE_DOWN)[::-1]
    for blob in _BINARY.finditer(text):
        bits = re.sub("[ ,]", "", blob[0])
        yield from _as_text(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) // 8 * 8, 8)))
    for blob in _DECIMAL.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", blob[0])]
        if max(numbers) < 128:
            yield from _as_text(bytes(numbers))
    if any(word in folded for word in _ROT13):
        yield codecs.encode(folded, "rot13")
    if any(word in folded for word in _BACKWARDS):
        yield folded[::-1]


def orders_decoding(folded: str) -> bool:
    """Say whether the text has its reader decode something and act on it."""
    return any(word in folded for word in _ORDER_WORDS) and _ORDER.search(folded) is not None


def respelt_texts(folded: str) -> Iterator[str]:
    """Yield the text with digits read as the letters they look like, and spaced-out words put together."""
    for letters in _LETTERS if _LEET.search(folded) else ():
        respelt = _WORD.sub(partial(_respell, letters), folded)
        if respelt != folded:
            yield respelt
    if _SPACED.search(folded):
        yield _SPACED.sub(lambda found: _BETWEEN.sub("", found[0]), folded)


def _respell(letters: dict[int, int], word: re.Match[str]) -> str:
    # Names such as h2 and v1 are many; a word that the rules know is not written like that by chance.
    if not 3 < len(word[0]) < 25 or word[0].isalpha():
        return word[0]
    plain = word[0].translate(letters)
    return plain if plain in SIGN_OF_WORD else word[0]


def _decode(blob: str) -> Iterator[str]:
    letters = blob.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    # A length of 4n + 1 is no whole encoding; one more letter is cut off rather than everything.
    letters = letters[: len(letters) - 1] if len(letters) % 4 == 1 else letters
    yield from _as_text(base64.b64decode(letters + "=" * (-len(letters) % 4)))


def _as_text(data: bytes) -> Iterator[str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if all(character.isprintable() or character in "\n\t\r" for character in text):
        yield text
