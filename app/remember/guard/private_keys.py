"""Private keys as files and texts hold them: whole, cut off, quoted, indented, encoded once more. Pure."""

import base64
import re
from collections.abc import Iterator
from typing import Final

from app.remember.guard.secret_formats import Secret

_LABEL: Final = r"\s{1,4}(?:[a-z0-9]{1,20}\s{1,4}){0,4}private\s{1,4}key(?: block)?[ ]?-{2,8}"
# Without its dashes a mark is still one in capitals, and only what follows it counts.
_BEGINS: Final = re.compile(
    rf"-{{2,8}}[ ]?(?i:begin{_LABEL})|\bBEGIN (?P<bare>(?:[A-Z0-9]{{1,20}} ){{0,4}}PRIVATE KEY)(?![ ]?-)"
)
_ENDS: Final = re.compile(rf"-{{2,8}}[ ]?end{_LABEL}", re.IGNORECASE)
_HEADER: Final = r"(?:proc-type|dek-info|comment|version|hash|charset|subject): [^\n\\\"]{0,200}"
_LINE: Final = re.compile(r"[^\n]+")
_QUOTED: Final = r"(?:\\{1,2}[rn]|//\s|[\s>|+\"',;()*#\\]){0,60}"
# The lines of a key that goes on; whatever quotes, indents or joins them stands between.
_GOES_ON: Final = re.compile(rf"{_QUOTED}((?i:{_HEADER})|[A-Za-z0-9+/=]{{6,}}|MII[A-Z])")
_MIXED: Final = re.compile(r"[A-Z].*[a-z]|[a-z].*[A-Z]|[0-9+/=]")
# A last line is shorter, and no word of a sentence.
_LAST: Final = re.compile(r"[A-Za-z0-9+/=]*[0-9+/=][A-Za-z0-9+/=]*(?=\s*(?:\Z|[\n\r\"'\\-]))")
_ENCODED: Final = re.compile(rf"{_QUOTED}([A-Za-z0-9+/=]{{16,}}){_QUOTED}")
_LONG: Final = 16
_PUTTY: Final = re.compile(r"Private-(?:Lines:[ \t]{0,4}(\d{1,3})|MAC:[ \t]{0,4}([0-9a-f]{32,128}))")
# What the encoded form of a private key starts with, and no certificate or public key does.
_BODY: Final = re.compile(
    r"(?<![A-Za-z0-9+/=])(?:MII[A-Za-z0-9+/]{2,3}[AQgw]IBADANBgkqhkiG9w0|MII[A-Z][a-z][AQgw]IBAAKC|MHcCAQEE"
    r"|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/=]{8,}"
)
_BODY_SIGNS: Final = ("IBADANBgkq", "IBAAKC", "MHcCAQEE", "MC4CAQAwBQYDK2Vw", "b3BlbnNzaC1rZXktdjEA")
_ENCODED_AGAIN: Final = re.compile(r"LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{34,}={0,2}")


def find_private_keys(text: str) -> Iterator[Secret]:
    """Yield the parts of each private key, without the marks around it."""
    upper = text.upper()
    if "PRIVATE" in upper and "KEY" in upper:
        yield from _find_blocks(text)
    if any(sign in text for sign in _BODY_SIGNS):
        place = 0
        # A body within one that went on is not followed again.
        while found := _BODY.search(text, place):
            yield Secret(*found.span(), "private_key")
            place = found.end()
            for secret in _goes_on(text, place):
                yield secret
                place = secret.end
    if "Private-" in text:
        yield from _find_putty(text)
    if "LS0tLS1CRUdJTi" in text:
        for found in _ENCODED_AGAIN.finditer(text):
            if b"PRIVATE" in base64.urlsafe_b64decode(found[0][:48].replace("+", "-").replace("/", "_")):
                yield Secret(*found.span(), "private_key")


def _find_blocks(text: str) -> Iterator[Secret]:
    """Yield the lines between the marks; where one is missing, what beside the other looks like a key."""
    place = 0
    begins, ends = _BEGINS.search(text), _ENDS.search(text)
    while begins is not None or ends is not None:
        if begins is None and ends is not None:
            yield from _leads_to(text, place, ends.start())
            place = ends.end()
        elif begins is not None:
            place = begins.end()
            # Each mark is searched for once, so that many of one and none of the other take no longer.
            while ends is not None and ends.start() < place:
                ends = _ENDS.search(text, ends.end())
            if ends is None or begins["bare"]:
                yield from _goes_on(text, place)
            else:
                for line in _LINE.finditer(text, place, ends.start()):
                    if any(map(str.isalnum, line[0])):
                        yield Secret(*line.span(), "private_key")
                place = ends.end()
        begins = begins and _BEGINS.search(text, place)
        if ends is not None and ends.start() < place:
            ends = _ENDS.search(text, place)


def _goes_on(text: str, place: int) -> Iterator[Secret]:
    while found := _GOES_ON.match(text, place):
        is_header = ":" in found[1]
        is_line = len(found[1]) >= _LONG and _MIXED.search(found[1]) is not None
        if not (is_header or is_line or _LAST.match(text, found.start(1)) or found[1][:3] == "MII"):
            return
        yield Secret(*found.span(1), "private_key")
        place = found.end()


def _leads_to(text: str, start: int, end: int) -> Iterator[Secret]:
    for line in _LINE.finditer(text, start, end):
        encoded = _ENCODED.fullmatch(line[0])
        if encoded is not None:
            yield Secret(line.start() + encoded.start(1), line.start() + encoded.end(1), "private_key")


def _find_putty(text: str) -> Iterator[Secret]:
    for found in _PUTTY.finditer(text):
        if found[2] is not None:
            yield Secret(*found.span(2), "private_key")
            continue
        place = found.end()
        for _ in range(int(found[1])):
            line = _GOES_ON.match(text, place)
            if line is None:
                break
            yield Secret(*line.span(1), "private_key")
            place = line.end()
