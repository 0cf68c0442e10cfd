"""Prefixed, time-ordered ids: `rel_01J…` is a prefix, an underscore and a ULID."""

import re
from typing import Final

from ulid import ULID

# The 26 characters of a ULID: Crockford's base 32 in upper case; the first digit keeps it within 128 bits.
ULID_PATTERN: Final = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
PREFIXES: Final = (
    *("team", "prof", "key", "ent", "val", "src", "evd", "cit", "rel"),
    *("ing", "ver", "rev", "con", "pos", "hyp", "run", "rec", "rfb", "mrg", "aud", "pmt", "xch", "btc"),
)
_ID: Final = re.compile(rf"({'|'.join(PREFIXES)})_{ULID_PATTERN}")
ID_ANYWHERE: Final = re.compile(rf"(?:{'|'.join(PREFIXES)})_{ULID_PATTERN}")


def new_id(prefix: str) -> str:
    """Return a fresh id that sorts after those made in earlier milliseconds."""
    return f"{prefix}_{ULID()}"


def is_id(text: str, prefix: str) -> bool:
    """Say whether `text` has the exact shape of an id with this prefix; other case or length is not one."""
    match = _ID.fullmatch(text)
    return match is not None and match[1] == prefix
