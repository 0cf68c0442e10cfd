"""Names as they are compared: case, Unicode composition and runs of white space do not matter. Pure."""

import unicodedata


def tidy_name(name: str) -> str:
    """Return the name composed (NFC), trimmed, with single spaces; its case is kept."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def fold_name(name: str) -> str:
    """Return what two names share that differ in case, composition or white space only.

    Punctuation stays: "C", "C++" and "C#" are three names.
    """
    return unicodedata.normalize("NFC", tidy_name(name).casefold())
