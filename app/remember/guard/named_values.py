"""The value beside the name of a secret: how far it goes, and whether it is one. Pure."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from app.remember.guard.placeholders import (
    describes,
    is_key_like,
    is_label,
    is_odd_phrase,
    is_phrase,
    is_placeholder,
)
from app.remember.guard.secret_formats import MASK, Secret

_QUOTED: Final = re.compile(
    r"\\\"([^\"\\\n]{1,400})\\\"|[bfru]?\"((?:[^\"\\\n]|\\.){1,400})\"|[bfru]?'((?:[^'\\\n]|\\.){1,400})'"
    r"|`([^`\n]{1,400})`|«\s?([^»\s]{1,100})\s?»"
)
_BARE: Final = re.compile(r"[^\s\"'`<>]{1,1000}|<[^\s<>]{1,100}>")
_PHRASE: Final = re.compile(r"[^\n\"'`]{1,300}")
_NEXT_PAIR: Final = re.compile(r"[&;,][ ]?[\w-]{1,40}[=:]|#\w|\\n|\\r")
_SCHEME: Final = re.compile(r"(?:bearer|basic|token|digest|negotiate|apikey)[ ]{1,3}", re.IGNORECASE)
# A pair beside the name that only a connection string has, and a value of one, which may hold spaces.
_PAIR: Final = re.compile(r"\s{0,4}[A-Za-z][\w ]{0,40}=")
_NEXT_NAME: Final = re.compile(r"\w=")
_PAIR_AFTER: Final = re.compile(r"[^;=\n]{1,100};\s?[A-Za-z][\w ]{0,30}=")
_CONNECTION_VALUE: Final = re.compile(r"\{([^{}\n]{1,200})\}|([^;\n\"'{}]{1,200})")
_ENDS: Final = re.compile(r"[.!]?[\"')*]{0,2}[ \t]{0,4}(?:[\r\n]|\Z)|[.!,;)][\s\"')]")
_ODD: Final = re.compile(r"[!@#%^&*+=~?](?=.)")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NUMBER: Final = re.compile(r"\d{1,4}(?:[-./]\d{1,2}){0,2}")
_RUN: Final = re.compile(r"(?=[A-Za-z0-9+/]{0,40}\d)(?=[A-Za-z0-9+/]{0,40}[A-Za-z])[A-Za-z0-9+/]{16,}")


@dataclass(frozen=True, slots=True)
class Separator:
    """Where a value starts, and what its name and it are joined by.

    `tight` is `=` without spaces, an option or an element; `marked` any mark; `said` a verb; `loose`
    hardly anything.
    """

    end: int
    kind: Literal["tight", "marked", "said", "loose"]


def read_value(text: str, name: re.Match[str], separator: Separator) -> Secret | None:
    """Return the value that starts at the end of the separator, if it is a secret."""
    start = separator.end
    scheme = _SCHEME.match(text, start)
    if scheme is not None:
        start = scheme.end()
    is_connection = separator.kind == "tight" and _is_connection(text, name, start)
    quoted = _QUOTED.match(text, start)
    if quoted is None:
        if is_connection and (span := _read_connection_value(text, start)):
            return Secret(*span, kind_of(name))
        return _read_bare(text, start, name, separator, has_scheme=scheme is not None)
    group = quoted.lastindex or 1
    is_stated = is_connection or separator.kind == "said"
    is_named = is_secret(quoted[group], name, is_quoted=True, is_sure=scheme is not None) or (
        is_stated and name["password"] is not None and _is_short_phrase(quoted[group])
    )
    return Secret(*quoted.span(group), kind_of(name)) if is_named else None


def is_secret(value: str, name: re.Match[str], *, is_quoted: bool, is_sure: bool) -> bool:
    """Say whether the value is a secret of the name. It is surer where nothing else stands beside it."""
    if len(value.strip(MASK)) < 4 or is_placeholder(value, is_quoted=is_quoted):
        return False
    if " " in value.strip():
        return is_phrase(value) or (name["password"] is not None and is_quoted and is_odd_phrase(value))
    if name["signature"]:
        return is_key_like(value) or (len(value) >= 16 and not is_label(value))
    if name["password"]:
        if name[0] == "pin":
            return value.isdigit() and not _YEAR.fullmatch(value)
        if name[0] == "pass" and not is_quoted and _NUMBER.fullmatch(value):
            return False
        return is_quoted or is_sure or not value.isalpha()
    if name[0] in ("authorization", "set-cookie"):
        return is_sure and len(value) >= 8
    return is_key_like(value)


def kind_of(name: re.Match[str]) -> str:
    """Return the kind of secret that the name names."""
    if name["password"]:
        return "password"
    return "signature" if name["signature"] else "named_secret"


def _is_connection(text: str, name: re.Match[str], start: int) -> bool:
    if name["password"] is None:
        return False
    if _PAIR_AFTER.match(text, start):
        return True
    before = text[max(0, name.start() - 160) : name.start()].rpartition("\n")[2].rstrip(" ")
    if before.endswith(";"):
        return _PAIR.match(before[:-1].rpartition(";")[2]) is not None
    return _PAIR.match(before.rpartition(" ")[2]) is not None


def _read_connection_value(text: str, start: int) -> tuple[int, int] | None:
    found = _CONNECTION_VALUE.match(text, start)
    if found is None or found.lastindex is None:
        return None
    value = found[found.lastindex].strip()
    # Another pair in it says that values end at spaces here.
    if " " not in value or _NEXT_NAME.search(value) or is_placeholder(value, is_quoted=True):
        return None
    # Without a semicolon behind it, the text may go on as a sentence.
    if text[found.end() : found.end() + 1] not in (";", "") and len(value.split()) > 4:
        return None
    first = found.start(found.lastindex)
    return first, first + len(value)


def _is_short_phrase(value: str) -> bool:
    words = value.split()
    return len(value) >= 4 and len(words) <= 6 and not any(map(describes, words))


def _read_bare(
    text: str, start: int, name: re.Match[str], separator: Separator, *, has_scheme: bool
) -> Secret | None:
    bare = _BARE.match(text, start)
    if bare is None or is_placeholder(bare[0], is_quoted=False):
        return None
    if separator.kind in ("tight", "marked"):
        line = _PHRASE.match(text, start)
        if line is not None and is_phrase(line[0].strip()):
            return Secret(start, start + len(line[0].rstrip()), kind_of(name))
    following = _NEXT_PAIR.search(bare[0])
    # In a sentence, what follows a number sign is no comment.
    if following and following[0][0] == "#" and separator.kind in ("said", "loose"):
        following = None
    value = (bare[0][: following.start()] if following else bare[0]).rstrip(",;:.)]}\\*")
    end = start + len(value)
    if separator.kind == "said":
        is_named = _is_said(value, name, is_last=_ENDS.match(text, end) is not None)
    elif separator.kind == "loose":
        is_named = _is_strong(value, name)
    else:
        is_alone = not text[end : end + 9].partition("\n")[0].strip(" \t\r,;")
        is_sure = is_alone or separator.kind == "tight" or has_scheme
        # `API_KEY=word` in an environment file is a secret even if it is a word.
        is_environment = (
            is_sure and text[name.start() : name.end()].isupper() and len(value) >= 6 and name[0] != "pin"
        )
        is_word = value.isdigit() or is_placeholder(value, is_quoted=False)
        is_named = (is_environment and not is_word) or is_secret(
            value, name, is_quoted=False, is_sure=is_sure
        )
    return Secret(start, end, kind_of(name)) if is_named else None


def _is_said(value: str, name: re.Match[str], *, is_last: bool) -> bool:
    """Say whether a sentence such as "the password is x" tells a secret; most tell something about it."""
    if len(value) < 6:
        return False
    if _has_both(value) or (name["password"] is not None and _ODD.search(value)):
        return is_secret(value, name, is_quoted=False, is_sure=False)
    if name["password"] is None or name[0] == "pin" or not value.isascii() or not value.isalpha():
        return False
    return is_last and not describes(value)


def _is_strong(value: str, name: re.Match[str]) -> bool:
    """Say whether the value is a secret although nothing but its neighbour says so."""
    if not _has_both(value) or is_placeholder(value, is_quoted=False) or name["signature"] is not None:
        return False
    if name["password"] is not None:
        return name[0] != "pin" and len(value) > 5
    return _RUN.search(value) is not None


def _has_both(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
