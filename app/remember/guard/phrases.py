"""Rules over the classes of words: what a text says to its reader. Pure.

A text is read into a string with one sign for each word or punctuation mark, and a rule is a pattern over such
signs. In a rule, `drop` is a word of that class, `drop|rule` one of either, a trailing `?` makes it optional,
`*` is any word, `!drop` says that none of that class comes next,
`~3` is up to three words of the same sentence, `≈3` up to three of any, `:` `,` `.` are marks, and `<<` says
that a command may start here. All gaps are bounded, so that reading is linear.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.remember.guard.kind_words import DO
from app.remember.guard.phrase_rules import ADDRESSED_RULES, RULES
from app.remember.guard.wording import FAMILIES, SIGN_OF_SKELETON, SIGN_OF_WORD, SIGNS, skeleton

_TOKEN: Final = re.compile(r"[^\W\d_]+|[.:,;@!?\n(。…]")
_MARKS: Final = {
    ".": ".",
    "!": ".",
    "?": ".",
    "。": ".",
    "…": ".",
    ":": ":",
    ",": ",",
    ";": ",",
    "\n": ";",
    "(": "(",
}
# Several words that mean one: to ignore. What they stand for is folded, as the text is.
# Instructions of an office, a manual or a person; what a document replaces; and what is done once more elsewhere.
_OFFICIAL: Final = re.compile(
    r"\b(?:this|the new) (?:policy|handbook|manual|contract|agreement|edition|revision) (?:supersedes?|replaces?)"
    r" (?:all|any)? ?(?:previous|prior|earlier) [a-z ]{0,20}instructions\b"
    r"|\binstructions (?:of|in|from) (?:the )?(?:manual|tower|callers|tax office|court|supplier)\b"
    # Agents can be people, who are told news; machines are given orders.
    rf"|^note for (?:the |all )?(?:agents?|assistants?): (?!{DO}\b|please|you|now|do not|don't|never|always|only"
    r"|ignore|disregard|forget|bypass|obey|follow|accept|click|enter|run|read)"
    r"|\brepeat (?:everything|all of the|the steps?) above (?:for|on) (?:the|each|every) ",
    re.MULTILINE,
)
_OFFICIAL_WORDS: Final = (
    "supersede",
    "replaces",
    "instructions of",
    "instructions in",
    "instructions from",
    "above ",
    "note for ",
)
_IDIOM: Final = re.compile(
    r"\b(?:haga?z?s? caso omiso(?: de)?|no hagas? caso (?:de|a)|no teng(?:a|as) en cuenta|ne (?:tiens"
    r"|tenez) (?:pas|plus) compte"
    r"|ne prends pas en compte|(?:fais|faites) abstraction|passe[zr]? outre|laisse[zr]? (?:tomber|de "
    r"cote)|dejad? de lado|deixem? de lado|metti da parte|nao leve em conta|non "
    r"(?:tenere|tener) conto"
    r"|non considerare|nie zwracaj uwagi|не обращаи(?:те)? внимания|не учитываи(?:те)?|sla geen acht op"
    r"|throw (?:away|out)|get rid of|do away with|(?:stop|quit|cease) (?:obeying|following|listening to))\b"
)
_IDIOM_WORDS: Final = (
    *(
        " caso ",
        "cuenta",
        " compte",
        "abstraction",
        " outre",
        " conta",
        " conto",
        "considerare",
        "uwagi",
        "внимания",
    ),
    *("laisse", " de lado", "metti da"),
    *("учитываи", " acht ", "throw ", "get rid", "do away", "stop ", "quit ", "cease "),
)
_COMMAND_BEFORE: Final = ".,:;" + "".join(
    SIGNS[name] for name in ("then", "now", "must", "you", "instead", "note", "message")
)

EXPLANATIONS: Final = {
    "instruction_override": "tells its reader to drop the instructions it was given",
    "role_spoofing": "speaks to the model, or as somebody whom the model obeys",
    "secret_extraction": "asks for the prompt, the memory or secrets of its reader",
    "tool_spoofing": "asks for a tool call, or looks like one or its result",
    "memory_poisoning": "dictates what is to be believed, remembered, answered or concealed",
}


def find_phrase(folded: str) -> str | None:
    """Return the class of the first rule that the text fulfils, or None."""
    signs = read_signs(folded)
    return next((rule.kind for rule in _fulfillable(_PHRASES, signs) if rule.pattern.search(signs)), None)


def is_addressed_to_models(folded: str) -> bool:
    """Say whether a text that no person sees speaks to a model; far less is needed than in plain sight."""
    signs = read_signs(folded)
    return any(rule.pattern.search(signs) for rule in _fulfillable((*_ADDRESSED, *_PHRASES), signs))


def read_signs(folded: str) -> str:
    """Return one sign for each word and mark of the text, a `w` for a word of no class, and a last full stop."""
    if any(word in folded for word in _OFFICIAL_WORDS):
        folded = _OFFICIAL.sub(" office ", folded)
    if any(word in folded for word in _IDIOM_WORDS):
        folded = _IDIOM.sub("ignoriere", folded)
    # Only the parenthesis of a call is a mark.
    words = _TOKEN.findall(folded.replace("'re ", " re ").replace("'", "").replace(" (", " "))
    signs = _SIGN_OF_TOKEN
    misspelt = {word: sign for word in {*words} - signs.keys() if (sign := _guess_sign(word))}
    if misspelt:
        signs = signs | misspelt
    return "".join([signs.get(word, "w") for word in words]).replace(";;", ".") + "."


def _guess_sign(word: str) -> str | None:
    if word[0] in "idp" and 5 < len(word) < 15:
        return SIGN_OF_SKELETON.get(skeleton(word))
    return None


@dataclass(frozen=True, slots=True)
class _Rule:
    """A compiled rule. `needs` holds, for each word that it cannot be without, the signs that will do."""

    kind: str
    pattern: re.Pattern[str]
    needs: tuple[frozenset[str], ...]


def _fulfillable(rules: Iterable[_Rule], signs: str) -> Iterator[_Rule]:
    """Yield the rules of which the text has every word, wherever it stands: few, for most texts."""
    present = {*signs}
    for rule in rules:
        if not any(need.isdisjoint(present) for need in rule.needs):
            yield rule


def _compile(kind: str, rules: str) -> Iterator[_Rule]:
    for rule in rules.strip().split("\n"):
        parts, needs = [], []
        for item in rule.split():
            if item == "<<":
                parts.append(f"(?<![^{_COMMAND_BEFORE}])")
            elif item[0] in "~≈":
                parts.append(f"[^(.]{{0,{item[1:]}}}?" if item[0] == "~" else f"[^(]{{0,{item[1:]}}}?")
            elif item[0] == "!":
                parts.append(f"(?![{''.join(_signs_of(item[1:]))}])")
            elif item == "*":
                parts.append(f"[^{_ALL_MARKS}]")
            else:
                signs = _signs_of(item.removesuffix("?"))
                parts.append(f"[{''.join(signs)}]" + ("?" if item.endswith("?") else ""))
                if not item.endswith("?"):
                    needs.append(frozenset(signs))
        yield _Rule(kind, re.compile("".join(parts)), tuple(needs))


def _signs_of(names: str) -> list[str]:
    return [SIGNS.get(name, name) for one in names.split("|") for name in FAMILIES.get(one, (one,))]


_ALL_MARKS: Final = ".,:;("
_SIGN_OF_TOKEN: Final = {**SIGN_OF_WORD, **_MARKS}
_PHRASES: Final = tuple(rule for kind, rules in RULES.items() for rule in _compile(kind, rules))
_ADDRESSED: Final = tuple(_compile("hidden_markup", ADDRESSED_RULES))
