"""How much a piece of evidence may claim to weigh; a key's `max_authority` caps it. Pure."""

from typing import Literal, get_args

Authority = Literal["unknown", "inferred", "secondary", "primary", "authoritative"]

# From weakest to strongest, as the Literal lists them.
AUTHORITY_ORDER: tuple[Authority, ...] = get_args(Authority)


def cap_authority(claimed: Authority, ceiling: Authority) -> Authority:
    """Return the weaker of the two."""
    return min(claimed, ceiling, key=AUTHORITY_ORDER.index)
