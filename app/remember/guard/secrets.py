"""Where a text holds secrets: by their form, by a name beside them or by their place. Pure."""

from itertools import chain
from typing import Final

from app.remember.guard.private_keys import find_private_keys
from app.remember.guard.reading import read
from app.remember.guard.secret_commands import find_in_commands
from app.remember.guard.secret_formats import Secret, find_formats
from app.remember.guard.secret_names import find_assignments
from app.remember.guard.secret_places import find_placed
from app.remember.guard.secret_shapes import find_continued, find_shaped

__all__ = ["Secret", "find_secrets"]

_FINDERS: Final = (
    find_formats,
    find_private_keys,
    find_assignments,
    find_placed,
    find_in_commands,
    find_shaped,
)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets of the text in their order, without overlaps: of two that overlap one whole is made.

    What is masked already is found no more. Looked for is what is read (see `reading`), found where it is written.
    """
    as_read = read(text)
    found_here = [secret for find in _FINDERS for secret in find(as_read.text)]
    found = sorted(
        (
            Secret(*as_read.written(secret.start, secret.end), secret.kind)
            for secret in chain(found_here, find_continued(as_read.text, found_here))
        ),
        key=lambda secret: (secret.start, -secret.end),
    )
    merged: list[Secret] = []
    for secret in found:
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        else:
            merged.append(secret)
    return tuple(merged)
