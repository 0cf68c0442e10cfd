"""Fencing untrusted content: one JSON document between two marks that it cannot write itself. Pure."""

import json
from typing import Final

OPENING: Final = "<data>"
CLOSING: Final = "</data>"


def fence(document: object) -> str:
    """Return the document as JSON on one line between the marks.

    Angle brackets inside are escaped, so no name or text can end the fence or open another; so are characters that
    are not visible or turn the direction of writing, because a reader would not see them.
    """
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    shown = "".join(character if _is_plain(character) else _escape(character) for character in text)
    return f"{OPENING}\n{shown}\n{CLOSING}"


def _is_plain(character: str) -> bool:
    return character not in "<>" and (character == " " or character.isprintable())


def _escape(character: str) -> str:
    return "".join(f"\\u{unit:04x}" for unit in _utf16(character))


def _utf16(character: str) -> list[int]:
    encoded = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(encoded[place : place + 2]) for place in range(0, len(encoded), 2)]
