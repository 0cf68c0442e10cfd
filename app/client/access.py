"""Key and address, looked at before anything is sent. Pure."""

import re
from typing import Final

import httpx2

from app.client.errors import Unusable
from app.kernel.addresses import find_address_fault

_WRITABLE: Final = re.compile(r"[!-~]+")


def require_access(url: str, key: str) -> None:
    """Return if requests can be sent to this address with this key; neither is repeated in what is raised.

    Raises:
        Unusable: `address_unusable`, or `key_unusable`, for one that no header can hold as it stands.
    """
    if fault := find_address_fault(url) or _find_host_fault(url):
        raise Unusable(
            f"The server's address (DENSEMEM_URL for commands) {fault}. One is http://127.0.0.1:8420.",
            code="address_unusable",
        )
    if fault := _find_key_fault(key):
        raise Unusable(
            f"The API key (DENSEMEM_KEY for commands) {fault}; nothing was sent.", code="key_unusable"
        )


def _find_host_fault(url: str) -> str | None:
    # What a request would first be refused for when it is made: numbers above 255, letters of no name.
    try:
        httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        return "has a host that is none"
    return None


def _find_key_fault(key: str) -> str | None:
    if not key:
        return "is empty"
    if _WRITABLE.fullmatch(key):
        return None
    if any(one.isspace() for one in key):
        return "holds a space or a line end, perhaps copied along with it"
    return "holds a character that no key has, such as the … of a shortened one"
