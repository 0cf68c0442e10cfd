"""Prompts: instructions in `prompts/<name>-v<n>.md`, with the schema of the answer beside them as JSON.

The stem is the version that records name; a change is a new file.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from app.llm.model import Message

# In a wheel the prompts lie inside the package, in a checkout beside it.
_FOLDERS: Final = (
    Path(__file__).parent.parent / "_prompts",
    Path(__file__).parent.parent.parent / "prompts",
)
_STEM: Final = re.compile(r"[a-z]+(?:-[a-z]+)*-v[1-9][0-9]*")
# English text and JSON have about so many characters a token; on the safe side for other scripts' names.
CHARACTERS_PER_TOKEN: Final = 3.0
# No text that anybody sends has more: what a provider counts cannot be less than that.
MOST_CHARACTERS_PER_TOKEN: Final = 8
# The schema and the roles of the messages are input as well.
OVERHEAD_TOKENS: Final = 600


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions and the closed schema of the answer, under the stem of their files."""

    version: str
    instructions: str
    schema: Mapping[str, object]


@cache
def load_prompt(stem: str) -> Prompt:
    """Return the prompt of the stem; a missing one is a mistake of the program."""
    assert _STEM.fullmatch(stem), "a prompt is called <name>-v<n>"
    folder = next(each for each in _FOLDERS if (each / f"{stem}.md").is_file())
    instructions = (folder / f"{stem}.md").read_text(encoding="utf-8")
    schema = json.loads((folder / f"{stem}.schema.json").read_text(encoding="utf-8"))
    return Prompt(stem, instructions.strip(), schema)


def estimate_tokens(*texts: str) -> int:
    """Return roughly, and rather too high, how many tokens the texts have together."""
    # Characters outside Latin take about a token each.
    return sum(
        int(len(text) / CHARACTERS_PER_TOKEN) + sum(1 for character in text if ord(character) > 0x24F) + 1
        for text in texts
    )


def estimate_input(prompt: Prompt, messages: Sequence[Message]) -> int:
    """Return how many tokens of input a question has, rather too many."""
    return OVERHEAD_TOKENS + estimate_tokens(prompt.instructions, *(message.text for message in messages))


def count_least_of(estimate: int) -> int:
    """Return how many tokens at the least a question has that was estimated at so many."""
    share = CHARACTERS_PER_TOKEN / MOST_CHARACTERS_PER_TOKEN
    return max(0, int((estimate - OVERHEAD_TOKENS) * share))


def count_least(*texts: str) -> int:
    """Return how many tokens the texts have together at the least."""
    return sum(map(len, texts)) // MOST_CHARACTERS_PER_TOKEN
