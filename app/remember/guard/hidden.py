"""What a reader of the rendered text does not see: comments, hidden elements, attributes, titles of links. Pure.

Everything is read from the folded text. Each pattern is bounded, and starts at a character that is rare in prose.
"""

import re
from collections.abc import Iterator
from typing import Final

# Declarations of a style, or attributes, that make an element invisible.
_HIDES: Final = re.compile(
    r"display\s*:\s*none|(?<!-)visibility\s*:\s*(?:hidden|collapse)"
    r"|font-size\s*[:=]\s*[\"']?(?:0(?![.\d])|0?\.\d+|[01](?:\.\d)?(?:px|pt))"
    r"|opacity\s*[:=]\s*[\"']?(?:0(?:\.0\d?)?|\.0\d?)(?![.\d])"
    r"|(?:text-indent|left|right|top|margin(?:-left|-top)?)\s*:\s*-\d{3,6}"
    r"|(?<![-\w])(?:max-)?(?:height|width)\s*[:=]\s*[\"']?0(?![.\d])|scale[xy]?\(0(?:\.0*)?[),]"
    r"|clip(?:-path)?\s*:|(?<![-\w])fill\s*[:=]\s*[\"']?(?:white|transparent|#fff(?:fff)?(?![0-9a-f]))"
    r"|(?<![-\w])color\s*[:=]\s*[\"']?(?:transparent|white|#f[a-f]f[a-f]f[a-f]|#fff(?![0-9a-f])"
    r"|rgba?\(25[0-5])"
    r"|(?<![-\w])hidden(?=[\s=/]|$)|aria-hidden\s*=\s*[\"']?true|type\s*=\s*[\"']?(?:hidden"
    r"|text/(?!javascript))"
)
_COLORS: Final = re.compile(
    r"(?<![-\w])(?:(?P<back>background(?:-color)?|bgcolor)|color)\s*[:=]\s*[\"']?"
    r"(#[0-9a-f]{3,8}|[a-z]{3,20}|rgba?\([^()]{1,30}\))"
)
_TAG: Final = re.compile(r"<([a-z][a-z0-9-]{0,20})((?:\s[^<>]{0,500})?)/?>")
_ANY_TAG: Final = re.compile(r"<[^<>]{0,300}>")
_HIDING_RULE: Final = re.compile(r"([.#])([\w-]{1,60})\s{0,4}\{([^{}]{1,300})\}")
_NAMES: Final = re.compile(r"(?:class|id)\s*=\s*[\"']?([\w -]{1,100})")
# Attributes whose text only some readers ever meet.
_SPOKEN: Final = re.compile(
    r"(?<![\w-])(?:alt|title|content|value|placeholder|summary|aria-label|aria-description"
    r"|data-[\w-]{1,30})\s*=\s*"
    r"(?:\"([^\"<>]{4,400})\"|'([^'<>]{4,400})')"
)
_UNRENDERED: Final = ("template", "noscript", "script", "style", "svg", "datalist", "object")
_COMMENTS: Final = (("<!--", "-->"), ("{{!", "}}"), ("<%--", "--%>"), ("%%", "%%"), ("<![cdata[", "]]>"))
# Comments that whoever works on the text does see; there only what names its reader is for a machine.
_SEEN_COMMENTS: Final = (("/*", "*/"), ("{#", "#}"))
_MACHINE: Final = re.compile(
    r"\b(?:ais?|llms?|assistants?|models?|agents?|chatbots?|bots?|copilot|gpt|chatgpt|claude|gemini)\b"
)
# Titles of links, texts for images, and definitions that nothing refers to.
_MARKDOWN: Final = re.compile(
    r"^ {0,3}\[[^\]\n]{1,60}\]: {0,3}\S{1,300} {1,3}[(\"']([^\n]{4,400})"
    r"|\]\([^()\s]{0,300}\s{1,3}[\"'(]([^\"\n)]{4,400})|!\[([^\]\n]{4,400})\]",
    re.MULTILINE,
)
_LONGEST: Final = 400

# What such a text says where it is not addressed: judgements and answers that it wants from whoever reads all.
_WANTS: Final = re.compile(
    r"\b(?:do|act on|follow|obey) (?:only )?(?:what )?(?:this|these|me|the (?:following|note"
    r"|above))\b(?:[^.!?]|\.(?=\w)){0,60}"
    r"(?:says?|only|nothing else|:|\Z)|\b(?:follow|obey|trust|listen to) only\b|\bnothing else\b"
    r"|\b(?:describe|treat|rate|rank|classify|portray|present|list|mark|label|regard"
    r"|consider)\b(?:[^.!?]|\.(?=\w)){1,60}\bas (?:an? |the )?"
    r"(?:trust\w{0,8}|safe|secure|best|excellent|verified|approved|true|proven|paid|correct|entailed|fact"
    r"|top|leading|genuine|reliable|harmless)\b"
    r"|\b(?:add|include|insert|put|mention|append|use|repeat|quote|place)\b(?:[^.!?]"
    r"|\.(?=\w)){1,60}\b(?:in|to|into|at "
    r"the \w{3,9} of) (?:your|the|every|each|any) "
    r"(?:\w{1,12} )?(?:summar(?:y|ies)|answers?|repl(?:y|ies)|responses?|outputs?|reports?|translations?"
    r"|reviews?)\b"
    r"|\banswer\b(?:[^.!?]|\.(?=\w)){0,40}\bwith\b|\b(?:say|output|respond|reply|answer) (?:only |that "
    r"|with )"
    r"|(?:^|[.!?:;,] |\band )output\b|\bgive\b(?:[^.!?]|\.(?=\w)){0,30}\b(?:full|admin\w{0,10}|write"
    r"|root) access\b"
    r"|\bcall the \w{2,20} (?:tool|function)\b"
    r"|\bthe only (?:correct|right|valid|possible) (?:verdict|answer|rating|reply|choice)\b"
    r"|\bevery ?thing (?:above|before|else)\b(?:[^.!?]|\.(?=\w)){0,20}\b(?:false|wrong|untrue|outdated|a "
    r"test)\b|\bis "
    r"always right\b|\baccept (?:all of it|everything)\b"
    r"|\bstop reading\b|\bwhoever (?:reads?|process\w{0,3}|summari[sz]es?)\b"
)


def wants_something(hidden: str) -> bool:
    """Say whether a text that no reader sees asks for a judgement, an answer or an act of whoever reads it."""
    return _WANTS.search(hidden) is not None


def hidden_texts(folded: str) -> Iterator[str]:
    """Yield each part of the folded text that its rendering does not show, without tags."""
    for opens, closes in _COMMENTS:
        yield from _between(folded, opens, closes)
    for opens, closes in _SEEN_COMMENTS:
        yield from filter(_MACHINE.search, _between(folded, opens, closes))
    if "<" in folded:
        yield from _elements(folded)
    if "[" in folded:
        for found in _MARKDOWN.finditer(folded):
            yield found[found.lastindex or 0]


def _between(folded: str, opens: str, closes: str) -> Iterator[str]:
    start = folded.find(opens)
    while start >= 0:
        end = folded.find(closes, start + len(opens))
        inner = folded[start + len(opens) : end if end >= 0 else start + 4 * _LONGEST]
        # What is commented out can itself be hidden markup.
        if bare := _ANY_TAG.sub(" . ", inner).strip(" \t\n*!-:"):
            yield bare
        start = folded.find(opens, end + len(closes)) if end >= 0 else -1


def _elements(folded: str) -> Iterator[str]:
    hiding = (
        {rule[2] for rule in _HIDING_RULE.finditer(folded) if _is_hiding(rule[3])} if "{" in folded else set()
    )
    shown_from = 0
    for tag in _TAG.finditer(folded):
        name, attributes = tag[1], tag[2]
        for spoken in _SPOKEN.finditer(attributes):
            yield spoken[spoken.lastindex or 0]
        # A part of what was yielded already is not read again.
        if tag.end() >= shown_from and (
            name in _UNRENDERED or _is_hiding(attributes) or (hiding and _has_name(attributes, hiding))
        ):
            end = folded.find(f"</{name}", tag.end(), tag.end() + _LONGEST)
            shown_from = end if end >= 0 else tag.end() + _LONGEST
            yield _ANY_TAG.sub(" . ", folded[tag.end() : shown_from]).strip()


def _is_hiding(style: str) -> bool:
    if not style:
        return False
    if _HIDES.search(style):
        return True
    colors = {bool(found["back"]): found[2] for found in _COLORS.finditer(style)} if "color" in style else {}
    return len(colors) == 2 and colors[True] == colors[False]


def _has_name(attributes: str, names: set[str]) -> bool:
    return any(not names.isdisjoint(found[1].split()) for found in _NAMES.finditer(attributes))
