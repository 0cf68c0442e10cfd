"""Rules over the letters alone, for what is written glued, spaced out or with digits for letters. Pure."""

import re
from typing import Final

from app.remember.guard.folding import squeeze

# Read without spaces, hence whole phrases that nothing else spells. A space stands for "nothing between".
_SQUEEZED_RULES: Final = {
    "instruction_override": """
        ignore|disregard|forget|bypass|override|forgetabout|donotfollow \
            all|any|every|the|these|those|my|of|other{0,3} \
            previous|prior|earlier|preceding|above|your|system|alltheabove{1,3} \
            instruction|directive|guideline|prompt|guidance
        ignore|disregard|forget|bypass|override all|any|every|of{0,2} your rules|orders|constraints|restrictions
        ignore|disregard|forget|bypass|override all|any|every instruction|directive|guideline|prompt
        ignore|disregard|forget everything youw|youa|youh|above|before|isaid
        ignore|disregard|forget|bypass|override|violate your|all|the|every{1,2} \
            previous|prior|current|safety|own{0,1} \
            guidelines|instructions|restrictions|directives|programming|training
    """,
    "secret_extraction": """
        reveal|print|show|output|repeat|leak|tell|display|dump|give|disclose me|us|all|of{0,2} your \
            system|hidden|initial|secret|original{1,2} prompt|instruction|message|rules
        reveal|print|output|repeat|leak|display|dump|disclose me{0,1} your prompt|instructions|guidelines
    """,
}


def find_squeezed(folded: str) -> str | None:
    """Return the class of what the text says without its spaces and marks, or None."""
    letters = squeeze(folded)
    for kind, (anchors, pattern) in _SQUEEZED.items():
        if any(anchor in letters for anchor in anchors) and pattern.search(letters):
            return kind
    return None


def _compile_squeezed(rules: str) -> str:
    return "|".join(
        "".join(_compile_choice(item) for item in rule.split()) for rule in rules.strip().split("\n")
    )


def _compile_choice(item: str) -> str:
    words, _, count = item.partition("{")
    return f"(?:{'|'.join(map(squeeze, words.split('|')))})" + (f"{{{count}" if count else "")


# A search for a few nouns is far cheaper than one for the patterns, and rarely finds any.
_SQUEEZED_NOUNS: Final = {
    "instruction_override": (
        "instruction",
        "directive",
        "guideline",
        "prompt",
        "guidance",
        "your",
        "everything",
    ),
    "secret_extraction": ("prompt", "instruction", "message", "rules"),
}
_SQUEEZED: Final = {
    kind: (tuple(map(squeeze, _SQUEEZED_NOUNS[kind])), re.compile(_compile_squeezed(rules)))
    for kind, rules in _SQUEEZED_RULES.items()
}
