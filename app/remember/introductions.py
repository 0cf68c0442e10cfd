"""How a text sets another name of a thing beside the first: "JavaScript (JS)". Pure data.

What backs an alias and what the lexical verifier takes for one mention of its thing are the same forms.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Introduction:
    """What stands between the two names, and what closes the second; whichever of them is the alias."""

    joint: str
    close: str = ""


INTRODUCTIONS: Final = (
    Introduction(" (", ")"),
    Introduction(" (also known as ", ")"),
    Introduction(" (short for ", ")"),
    Introduction(", also known as "),
    Introduction(", short for "),
)
