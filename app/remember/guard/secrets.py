"""Where a text holds secrets: by their form, by a name beside them or by their place. Pure."""

from app.remember.guard.secret_formats import Secret, find_formats
from app.remember.guard.secret_names import find_assignments
from app.remember.guard.secret_places import find_placed

__all__ = ["Secret", "find_secrets"]


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets of the text in their order, without overlaps: of two that overlap one whole is made.

    What is masked already is found no more.
    """
    found = sorted(
        [*find_formats(text), *find_assignments(text), *find_placed(text)],
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
