"""Secrets that the shape of a text gives away: a column of a table, a pair in a call, a sentence, a next line.

Pure. A value counts only if nobody writes it for anything else (`placeholders.is_no_word`).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from app.remember.guard.placeholders import is_key_like, is_no_word, is_placeholder
from app.remember.guard.secret_formats import MASK, Secret

_IN_COLUMN: Final = re.compile(
    r"[\"'*` ]{0,4}(?:\w{1,20}[ _-])?(?:(?P<password>password|passwort|passwd|pwd|kennwort|pass|pw)"
    r"|secret|api[ _-]?key|token)[\"'*` ]{0,4}",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"[\w \"'*`()/-]{0,30}")
_RULE: Final = re.compile(r"[\s|:=+-]+")
_CELL: Final = re.compile(r"[\s\"'`*]{0,8}([^\s\"'`|]{4,200})[\s\"'`*]{0,8}")
# A name in capitals that ends so, with a value that is long and of one piece.
_ENVIRONMENT: Final = re.compile(
    r"(?<![A-Za-z0-9_])([A-Z][A-Z0-9_]{1,40}_(?:KEY|AUTH|ADMIN|CREDENTIALS?))[ ]?[=:][ ]?[\"']?"
    r"([A-Za-z0-9+/_-]{32,128}={0,2})(?![\w/+-])"
)
_PUBLIC: Final = re.compile(r"PUB|CACHE|SORT|PRIMARY|PARTITION|FOREIGN|OBJECT|ROW|DEDUP|IDEMPOTENCY")
_PAIR: Final = re.compile(
    r"(?:auth|credentials?|login|NetworkCredential)\s?=?\s?\(\s?[\"'][^\"'\n]{1,64}[\"']\s{0,2},\s{0,2}"
    r"[\"']([^\"'\n]{4,128})[\"']\s?\)",
    re.IGNORECASE,
)
_USED_AS: Final = re.compile(
    r"\b(?:use|take|try|set|enter|type|with) [\"'`“]?([^\s\"'`”]{6,64})[\"'`”]? as "
    r"(?:the |a |your |my |its |new )*(?:\w{1,12} )?(?:password|passphrase|passwort|token)\b",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(
    r"\b(?:pin|pin code|door code)\b[^.!?\n]{0,30}?\b(?:is|ist|lautet) (?!(?:19|20)\d\d\b)(\d{4,8})(?![\d.-]*\d)",
    re.IGNORECASE,
)
_PASSWORD_FILE: Final = re.compile(
    r"^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:(\S{4,128})$", re.MULTILINE
)
_SECURE_STRING: Final = re.compile(
    r"ConvertTo-SecureString (?:-String )?[\"']([^\"'\n]{4,128})[\"']", re.IGNORECASE
)
_ANYWHERE: Final = (
    (("auth", "redential", "ogin"), _PAIR),
    ((" as ",), _USED_AS),
    ((":",), _PASSWORD_FILE),
    (("SecureString", "securestring"), _SECURE_STRING),
)
_ISSUED: Final = re.compile(r"[A-Za-z0-9]{2,10}(?:_[a-z]{2,5}_|[-_.])[A-Za-z0-9]|eyJ|AKIA|AIza")
_NEXT_LINE: Final = re.compile(r"\\?\r?\n[ \t>]{0,8}([A-Za-z0-9_+/-]{10,200}={0,2})(?=[\s\"'`,;]|\Z)")


def find_shaped(text: str) -> Iterator[Secret]:
    """Yield each secret that the shape of its surroundings gives away; they may overlap."""
    yield from _find_in_tables(text)
    for found in _ENVIRONMENT.finditer(text):
        if not _PUBLIC.search(found[1]) and is_key_like(found[2]) and any(map(str.isdigit, found[2])):
            yield Secret(*found.span(2), "named_secret")
    for signs, pattern in _ANYWHERE:
        for found in pattern.finditer(text) if any(sign in text for sign in signs) else ():
            if (
                is_no_word(found[1])
                and MASK not in found[1]
                and not is_placeholder(found[1], is_quoted=False)
            ):
                yield Secret(*found.span(1), "password")
    for found in _DIGITS.finditer(text):
        yield Secret(*found.span(1), "password")


def find_continued(text: str, secrets: Iterable[Secret]) -> Iterator[Secret]:
    """Yield the next line of each of these secrets that starts as issued tokens do and goes on there."""
    for secret in secrets:
        found = _NEXT_LINE.match(text, secret.end)
        if found is not None and _is_mixed(found[1]) and _ISSUED.match(text, secret.start):
            yield Secret(*found.span(1), secret.kind)


def _is_mixed(value: str) -> bool:
    return all(any(map(test, value)) for test in (str.isdigit, str.isupper, str.islower))


def _find_in_tables(text: str) -> Iterator[Secret]:
    column, mark, width, place, is_password = -1, "", 0, 0, False
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        if mark and line.count(mark) == width and _RULE.fullmatch(line) is None:
            cell_at = start
            cells = line.split(mark)
            cell_at += sum(len(one) + 1 for one in cells[:column])
            cell = _CELL.fullmatch(cells[column])
            if cell is not None and _is_kept(cell[1], is_password=is_password):
                yield Secret(cell_at + cell.start(1), cell_at + cell.end(1), "password")
        elif not (mark and line.strip() and _RULE.fullmatch(line)):
            mark, column, is_password = _read_heading(line)
            width = line.count(mark) if mark else 0


def _read_heading(line: str) -> tuple[str, int, bool]:
    """Return what divides the columns, which one holds secrets, and whether they are passwords; or no mark."""
    for mark in "|\t,;" if len(line) < 400 else "":
        cells = line.split(mark)
        if len(cells) > 1 and all(map(_HEADING.fullmatch, (one.strip() for one in cells))):
            for column, cell in enumerate(cells):
                named = _IN_COLUMN.fullmatch(cell.strip())
                if named is not None:
                    return mark, column, named["password"] is not None
    return "", -1, False


def _is_kept(value: str, *, is_password: bool) -> bool:
    if MASK in value or is_placeholder(value, is_quoted=False):
        return False
    return is_no_word(value) if is_password else is_key_like(value)
