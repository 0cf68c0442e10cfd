"""Row versions at the door: `ETag: "3"` goes out, `If-Match: "3"` or `expected_version` comes in.

A version says which row a client decided about. It doesn't cover all that an answer shows (a dream's answer tells
of its sources too), so `If-None-Match` is not looked at and nothing is ever answered with 304.
"""

import re
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Request

from app.api.problems import invalid_request
from app.api.wire.shapes import Versioned
from app.kernel.errors import FieldError

M = TypeVar("M", bound=Versioned)
# Rows begin at version 1, so this one matches none: a tag that never was ours, or a weak one.
_NEVER: Final = 0
_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_OURS: Final = re.compile(r"[1-9][0-9]{0,9}")


async def read_if_match(request: Request) -> int | None:
    """Return the version of `If-Match`; None without one, and for `*`, which any version satisfies.

    Raises:
        InvalidInput: it is no single entity tag.
    """
    tags = request.headers.getlist("If-Match")
    given = ", ".join(tags).strip()
    if not tags or given == "*":
        return None
    tag = _TAG.fullmatch(given)
    if tag is None:
        wrong = FieldError("If-Match", "tag_invalid", 'One tag in quotes as in `ETag`, such as "3", or *.')
        raise invalid_request(wrong)
    is_ours = tag[1] is None and _OURS.fullmatch(tag[2]) is not None
    return int(tag[2]) if is_ours else _NEVER


IfMatch = Annotated[int | None, Depends(read_if_match)]


def match_version(body: M, if_match: int | None) -> M:
    """Return the body with the version that the client decided about, wherever it was named.

    Do this before the request is compared with an earlier one: another version is another request.

    Raises:
        InvalidInput: the header and the field name different versions.
    """
    if if_match is None:
        return body
    if body.expected_version not in (None, if_match):
        wrong = FieldError("expected_version", "alias_differs", "The If-Match header names another version.")
        raise invalid_request(wrong)
    return body.model_copy(update={"expected_version": if_match})


def tag_version(version: int) -> dict[str, str]:
    """Return the header that tells a row's version."""
    return {"ETag": f'"{version}"'}
