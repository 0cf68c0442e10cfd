"""What a text says in disguise: invisible characters, encodings, another direction. Pure."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

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
_HEX: Final = re.compile(r"\b[0-9a-fA-F]{32,}\b")
_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\u\{?([0-9a-fA-F]{4})\}?")
_ENTITY: Final = re.compile(r"&#x?[0-9a-fA-F]{1,6};")
_PERCENT: Final = re.compile(r"%[0-9a-fA-F]{2}")
# Words in rot13 and backwards that no other text holds.
_ROT13: Final = ("vafgehpgvba", "cebzcg", "vtaber", "qvfertneq", "nffvfgnag")
_BACKWARDS: Final = ("noitcurtsni", "tpmorp", "erongi", "tnatsissa", "dragersid")


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
    if "%" in text and _PERCENT.search(text):
        plain = unquote(plain, errors="replace")
    return None if plain == text else plain


def decoded_texts(text: str, folded: str) -> Iterator[str]:
    """Yield the texts that parts of this one decode to."""
    for blob in _BASE64.findall(text):
        # What encodes a text has letters of both cases; a path or an identifier rarely has.
        if not blob.islower() and not blob.isupper():
            yield from _decode(blob)
    for blob in _HEX.finditer(text):
        yield from _as_text(binascii.unhexlify(blob[0][: len(blob[0]) // 2 * 2]))
    if any(word in folded for word in _ROT13):
        yield codecs.encode(folded, "rot13")
    if any(word in folded for word in _BACKWARDS):
        yield folded[::-1]


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
