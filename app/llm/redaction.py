"""Taking secrets out of what is kept of a conversation. Pure."""

import re
from collections.abc import Sequence
from typing import Final

REDACTED: Final = "[redacted]"
_KEYS: Final = re.compile(
    r"sk-[A-Za-z0-9_-]{12,}|dm_[A-Za-z0-9_-]{12,}|(?i:bearer)\s+[A-Za-z0-9._~+/-]{12,}=*|gh[pousr]_[A-Za-z0-9]{20,}"
    # No look-ahead past the next beginning: many of them without an end would take the square of their number.
    r"|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----BEGIN )[\s\S])*?"
    r"-----END [A-Z ]{0,40}PRIVATE KEY-----"
)

# JSON may write any letter of a key as an escape.
_ESCAPED: Final = re.compile(r"\\u00([2-7][0-9a-fA-F])")


def redact_json(text: str, secrets: Sequence[str] = ()) -> str:
    """Return a JSON text, or what was meant as one, redacted as its strings would be read."""
    return redact(_ESCAPED.sub(_resolve, text), secrets)


def _resolve(escape: re.Match[str]) -> str:
    letter = chr(int(escape[1], 16))
    return escape[0] if letter in '"\\' else letter


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """Return the text without the given secrets and without anything in the form of a key, and storable."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, REDACTED)
    text = _KEYS.sub(REDACTED, text)
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def cap(text: str, most: int) -> str:
    """Return the text, cut to `most` characters with a mark that says how many are left out."""
    if len(text) <= most:
        return text
    mark = f"… [{len(text) - most} more characters left out]"
    return text[:most] + mark
