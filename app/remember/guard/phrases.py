"""Rules over the classes of words: what a text says to its reader. Pure.

A text is read into a string with one sign for each word or punctuation mark, and a rule is a pattern over such
signs. In a rule, `drop` is a word of that class, `drop|rule` one of either, a trailing `?` makes it optional,
`~3` is up to three words of the same sentence, `≈3` up to three of any, `:` `,` `.` are marks, and `<<` says
that a command may start here. All gaps are bounded, so that reading is linear.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.remember.guard.wording import SIGN_OF_SKELETON, SIGN_OF_WORD, SIGNS, skeleton

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
_COMMAND_BEFORE: Final = ".,:;" + "".join(
    SIGNS[name] for name in ("then", "now", "must", "you", "instead", "note", "message")
)

_RULES: Final = {
    "instruction_override": """
        drop ~4 earlier ~1 instruction|prompt
        drop ~3 instruction|prompt ~1 earlier
        drop ~2 your ~3 instruction|prompt|rule
        disable ~1 your ~2 instruction|rule
        drop ~2 system prompt|message|instruction . then|answer
        << drop ~1 system prompt|message|instruction
        drop ~2 instruction|prompt|rule ~1 you|given
        drop ~1 everything ~1 you|earlier|system
        << drop ~1 earlier then ~1 approve|answer|reveal|do|write
        drop ~1 all ~1 instruction|prompt
        drop|disable|changed ~2 safety rule|instruction
        drop ~2 your ~1 safety
        << drop ~1 earlier memory
        << drop all? earlier rule|prompt .|,|then
        drop earlier prompt|instruction
        << drop ~1 earlier instruction
        << alter ~1 your task
        now now ~1 you be
        << drop ~2 rule earlier ~1 approve|answer|reveal|do
        drop ~2 developer|system|user ~1 told
        not follow|obey ~2 earlier|your|system ~2 instruction|prompt|rule
        not hail ~3 instruction|prompt|rule
        your ~2 instruction|rule|prompt|task ~2 changed
        all earlier instruction ~2 changed
        instruction earlier be ~1 test
        new instruction :|. ≈3 you|approve|answer|obey|drop|must|rate|follow
        new instruction follow
        now ~2 you must ~2 answer|obey|approve|reveal|follow|drop|comply|rate
        your new task|instruction be|obey
        instead ~1 your task
        not ~1 read ≈8 instead ≈1 answer|reveal|write
        outrank ~3 your|earlier|system ~2 instruction|prompt|message
        system|developer told you
        developer ~2 told|reveal you
        earlier ~2 instruction ~2 drop_last
        decode ~4 then ~1 do|follow|obey|call
    """,
    "role_spoofing": """
        << note|message|instruction to ~1 model ~3 :|,
        << to ~1 model :
        << hail ~2 model|called ≈8 approve|rate|drop|delete|must|obey|own_tool|call
        if you be ~2 model|called
        model ~1 read this ~4 you|must
        model must ~1 approve|rate ~5 fact|verdict
        model must ~2 call ~2 own_tool
        model must obey
        you be called
        you be ~1 unlimited
        unlimited : enable
        << persona ~1 you be
        you be now ~3 unlimited|model
        you be now ~1 developer mode
        you be not longer ~1 bound|model|restricted
        persona ~3 unlimited
        persona ~3 model ~2 not ~2 rule|refuse|safety
        persona ~3 grandmother
        unlimited mode
        enable ~1 developer mode ~2 answer|not
        developer mode ≈5 rule be changed
        answer ~2 not ~1 rule|safety
        answer ~1 unlimited
        << you must|known not rule|safety .
        model ~2 not refuse
        not refuse .
        << obey ~3 only|this|i
        you ~1 obey
        comply ~1 all request
        i be your developer
        this be ~1 developer :
        enable your system|rule
        changed your ~1 rule
    """,
    "secret_extraction": """
        reveal ~4 your ~3 prompt|instruction|message|memory
        write ~4 your ~2 system prompt|instruction|message
        reveal|write ~3 system instruction|prompt|message ~1 you
        << reveal|write ~2 system prompt !of
        << reveal|write ~2 secret|system instruction|rule
        reveal ~4 your ~1 system|earlier rule
        reveal ~1 prompt ~1 system
        << reveal|write ~2 message of ~1 system prompt
        << reveal ~1 message|everything earlier
        what be your ~1 system|earlier instruction|prompt|message
        message ~1 your system? instruction|prompt
        send|reveal|write ~3 secret|memories ~4 you known|must|be
        send|reveal|write ~8 your memory
        send|reveal|write ~4 secret|memories ~5 your instruction|prompt|answer
        reveal|send|write ~6 memories ~5 your
        << send ~4 secret|memories ~2 to ~4 destination
        << send ~4 secret|memories to ~1 destination
        << ask ~1 user ~3 secret ~3 send
    """,
    "tool_spoofing": """
        << call ~3 own_tool ~8 all|not|verdict
        << call ~2 tool|function ~8 not inform
        << call ~1 shell tool
        call ~6 your shell tool
        << tool|function result : ≈8 review|verdict|fact
        delete|own_tool all ~1 memories
    """,
    "memory_poisoning": """
        save|own_tool forever
        save ~2 your memory :|,|this
        all future secret
        if ~1 you be ask ~5 , only|answer
        if ~2 user ask ~5 , you must only|answer
        if ~3 ask ~5 , you? only answer
        not mention ~1 this ~1 instruction|message|rule
        not mention ~1 you
        not inform|reveal|mention ~2 user ~2 this|you|instruction
        not inform|reveal|mention this ~2 to ~1 user
        keep this instruction|message secret
        do this not inform
        approve|rate ~1 this ~3 fact
        << approve|rate ~4 this? ~3 as ~1 fact
        approve|rate all ~2 claim ~2 fact|verdict
        << approve all ~1 claim
        << only? answer|reveal ~2 fact .
        << only answer ~1 fact|verdict
        << answer ~4 verdict to
        your confidence ~2 fact
        confidence be fact|verdict ~1 confidence
        model : answer|return ~1 fact|verdict
        confidence ≈6 all claim
        you must approve ~2 claim ~1 not
    """,
}
_ADDRESSED_RULES: Final = """
    model|called :|,
    model|called ~1 must|approve|rate|answer
    to ~1 model|called .|:|,
    << system :
    << drop
    << answer ~1 verdict|fact|only
    answer this ~4 verdict|fact
    you must approve|rate|answer|obey|reveal|inform|call|reveal
    << told|reveal ~1 user
    << approve|rate ~1 this|all|claim
    << call ~1 tool
"""
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
                parts.append(f"(?!{SIGNS[item[1:]]})")
            else:
                signs = [SIGNS.get(name, name) for name in item.removesuffix("?").split("|")]
                parts.append(f"[{''.join(signs)}]" + ("?" if item.endswith("?") else ""))
                if not item.endswith("?"):
                    needs.append(frozenset(signs))
        yield _Rule(kind, re.compile("".join(parts)), tuple(needs))


_SIGN_OF_TOKEN: Final = {**SIGN_OF_WORD, **_MARKS}
_PHRASES: Final = tuple(rule for kind, rules in _RULES.items() for rule in _compile(kind, rules))
_ADDRESSED: Final = tuple(_compile("hidden_markup", _ADDRESSED_RULES))
