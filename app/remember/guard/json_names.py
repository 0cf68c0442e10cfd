"""Which names a value of a JSON object stands under: its key, keys above it, and the name beside it. Pure."""

import re
from collections.abc import Mapping
from typing import Final

# Below the name of a secret, this is the secret: `{"password": {"value": …}}`.
_VALUE: Final = frozenset(
    ("value", "plain", "plaintext", "plain_text", "stringvalue", "stringdata", "data", "current", "secret")
)
# Below several, every value is one, unless its key says what else it is.
_SEVERAL: Final = re.compile(r"(?:passwords|passwds|pwds|passphrases|credentials?|creds)\Z", re.IGNORECASE)
_BESIDE: Final = re.compile(
    r"(?:user|login|mail|host|server|url|uri|name|id|type|kind|env|note|comment|desc|label|title|owner|date|_at"
    r"|expir|polic|provider|path|file|port|realm|scope|domain|region|role|status|store|vault|source|method)",
    re.IGNORECASE,
)
_NAME_KEYS: Final = ("name", "key", "variable", "field")
_NAME: Final = re.compile(r"[\w.-]{1,64}")


def names_below(above: tuple[str, ...], key: str, siblings: Mapping[object, object]) -> tuple[str, ...]:
    """Return the names of what stands under this key, where `above` are those of the object that holds it."""
    folded = key.lower()
    if folded in _VALUE:
        return (key, *above, *_named_beside(siblings))
    if above and any(map(_SEVERAL.search, above)) and not _BESIDE.search(key):
        # The name of one of several is a name of a password for what is below, whatever the key.
        return (key, *above, "password")
    return (key,)


def _named_beside(siblings: Mapping[object, object]) -> tuple[str, ...]:
    named = (one for key, one in siblings.items() if str(key).lower() in _NAME_KEYS)
    return tuple(one for one in named if isinstance(one, str) and _NAME.fullmatch(one))
