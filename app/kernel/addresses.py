"""Addresses of other services, looked at before anybody is asked there. Pure."""

import re
from typing import Final
from urllib.parse import urlsplit

_ODD: Final = re.compile(r"[\s\x00-\x1f\x7f\\?#]")
_LONGEST_LABEL: Final = 63


def find_address_fault(address: str) -> str | None:
    """Return what is wrong with an HTTP service's address, in words that don't repeat it; None for a good one.

    A good one has a scheme, http or https, a host, no query, and no port but one of 1 to 65535.
    """
    if _ODD.search(address):
        return "holds white space, a query or a fragment"
    try:
        split = urlsplit(address)
        port = split.port
    except ValueError:
        return "has a host or a port that is none"
    if split.scheme not in ("http", "https"):
        return "does not begin with http:// or https://"
    if not _is_host(split.hostname or ""):
        return "names no host"
    # The text after a colon may be missing altogether, which is no port either.
    if port == 0 or split.netloc.endswith(":"):
        return "has a host or a port that is none"
    return None


def require_address(address: str) -> str:
    """Return the address, for a setting.

    Raises:
        ValueError: it is none.
    """
    if fault := find_address_fault(address):
        raise ValueError(f"the address {fault}")
    return address


def _is_host(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return all(labels) and all(len(label) <= _LONGEST_LABEL for label in labels)
