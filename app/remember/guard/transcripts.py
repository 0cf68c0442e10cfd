"""Text in the form of a chat: turns with roles, as headings, labels, JSON, YAML or tags; and what they say. Pure.

A chat that is quoted is evidence like any other. One that was never held speaks for the system, for a user who
orders, or for an assistant that has already given in; only such turns are held.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_ROLES: Final = (
    "system|sys|developer|admin|administrator|operator|root|user|human|assistant|ai|bot|chatbot|chatgpt"
    "|gpt|claude|gemini"
    "|copilot|llm|model"
)
_TAGS: Final = ("instruction", "instructions", "directive", "directives", "important", "command", "commands")
_SYSTEM: Final = frozenset(
    (*_TAGS, "system", "sys", "developer", "admin", "administrator", "operator", "root")
)
_PERSON: Final = frozenset(("user", "human"))
_KIND: Final = r"(?: (?:message|prompt|note|notice|notification|update|override|instructions?|role|turn))?"
_HEADER: Final = re.compile(
    # A label before a colon or an angle, at the start of a line or a sentence.
    rf"(?:^|(?<=[.!?\"'>)] ))[^\w\n]{{0,8}}(?P<label>{_ROLES}){_KIND}(?: "
    rf"?\([^()\n]{{1,20}}\))?[^\w\n:>]{{0,4}}(?::|>{{1,3}}|-{{2,3}}>?)"
    # One in brackets, one that is a heading, and one between rules.
    rf"|[\[(<]{{1,2}}/?(?P<bracket>{_ROLES}){_KIND}[\])>]{{1,2}}:?|<(?P<tag>instructions?|directives?"
    rf"|important|commands?)>"
    rf"|^[ >]{{0,3}}(?:\#{{1,6}}|\*\*|={{3,}}\n|-{{3,}}\n) "
    rf"{{0,3}}(?P<heading>{_ROLES}){_KIND}(?:\*\*)?:?[ \t]{{0,3}}(?=\n)"
    # One that a program would write.
    rf"|[\"']?(?:role|speaker|author|sender"
    rf"|from)[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?(?P<written>{_ROLES})\b[\"']?",
    re.MULTILINE,
)
_CONTENT: Final = re.compile(
    r"[\s,>\-]{0,12}[\"']?(?:content|text|message|parts)[\"']?\s{0,4}[:=]\s{0,4}[\[{|>\-+\"'\s]{0,12}"
)
_CONTENT_BEFORE: Final = re.compile(
    r"[\"']?content[\"']?\s{0,4}:\s{0,4}[\"']([^\"'\n]{1,400})[\"']\s{0,4},\s{0,4}\Z"
)
_LONGEST: Final = 400

# What a model of this kind works with, and what it keeps.
_WEIGHED: Final = (
    r"(?:claims?|evidence|hypothes[ei]s|relationships?|facts?|reviews?|verif\w{1,8}|checks?|rules?"
    r"|guidelines?"
    r"|polic(?:y|ies)|instructions?|prompts?|limits?|restrictions?|memor(?:y|ies)|keys?|passwords?"
    r"|secrets?|credentials?"
    r"|tiers?|everything|anything)"
)
_MACHINERY: Final = rf"(?:{_WEIGHED}|source|author|document|texts?|requests?|all|(?:the )?users?)"
# What the system of a chat would say to its model, and no system of parts would.
_SYSTEM_SAYS: Final = re.compile(
    r"\byou are (?:now|no longer|in \w{1,20} mode|free|obedient|allowed|permitted|required|obliged"
    r"|authori[sz]ed|un\w{4,12}"
    r"|an? (?:obedient|evil|un\w{4,12}|malicious|admin\w{0,10}))\b"
    rf"|\byou (?:now |also |always )?(?:must|will|shall|may|can|have to|should|never|no longer"
    rf"|always)\b[^.!?\n]{{0,60}}"
    rf"\b(?:{_WEIGHED}|obey|comply|approve|accept|trust|confirm|ignore|reveal|refuse|check|reject)\b|\byou "
    rf"(?:obey|approve|accept|trust|confirm)\b"
    rf"|\b(?:accept|approve|confirm|trust|skip|ignore|disregard|forget|reveal|obey|store|mark|treat|raise"
    rf"|grant|print|list|output|send|never (?:question|reject|doubt|refuse)|do not (?:question|check"
    rf"|verify|reject|doubt|refuse))\b"
    rf"[^.!?\n]{{0,40}}\b{_MACHINERY}\b"
    r"|\b(?:verification|review|moderation|safety|filters?|checks?|evidence|restrictions?|guardrails?"
    r"|rules?)\b[^.!?\n]{0,20}\b(?:is|are|has been|have been|was|were) (?:now )?"
    r"(?:off|disabled|lifted|suspended|waived|skipped|not needed|void|over)\b"
    r"|\b(?:is|are|was|were|been|as) (?:now |already |fully )?(?:trusted|verified|proven|approved"
    r"|authoritative|confirmed|entailed|true|an? (?:admin|administrator|fact))\b"
    r"|\bno (?:review|verification|checks?) (?:is )?(?:needed|required|necessary)\b"
    r"|\b(?:the )?(?:verifier|assistant|model|ai) (?:must|should|will|accepts?|approves?|trusts?|is to"
    r"|has to)\b"
)
_PERSON_SAYS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|drop|bypass|override|violate|break|stop following) (?:all |any |of "
    r"|about )*(?:your|the|these|previous|prior|all)\b[^.!?\n]{0,24}"
    r"\b(?:rules?|guidelines?|instructions?|polic(?:y|ies)|prompts?|restrictions?|training|safety|filters?)\b"
    r"|\b(?:print|reveal|list|show|give|tell|share|dump|send|leak|repeat"
    r"|output)\b[^.!?\n]{0,24}\b(?:(?:all|your|the|every|any) (?:\w{1,12} )?(?:keys|passwords?|secrets?"
    r"|credentials?|memor(?:y|ies))|(?:your|the) (?:system |hidden |initial )?(?:prompt|instructions"
    r"|rules|configuration))(?! (?:of|for|in)\b)"
    r"|\b(?:approve|accept|confirm|mark|store) (?:all|every|each|everything)\b"
    r"|\bwhat(?:'s| is| are| was| were)? (?:in )?your (?:system |hidden |initial |secret )?(?:prompt"
    r"|instructions|rules|memory|system message)\b(?! for)"
)
_ASSISTANT_SAYS: Final = re.compile(
    rf"\bi (?:will|have|now|can|shall|hereby|must|do|am going to|am ready to)?[^.!?\n]{{0,24}}\b(?:dropped"
    rf"|drop|ignored?|forgotten|forget|reveal|disregard(?:ed)?|approved?|accept(?:ed)?|confirm(?:ed)?"
    rf"|verified|checked|list|print|share|obey|comply|store|mark|follow none"
    rf"|bypass(?:ed)?)\b[^.!?\n]{{0,40}}\b(?:{_MACHINERY}|the rest|it|this|them|true)\b"
    r"|\bhere (?:is|are)(?: (?:my|the|your|all))?[^.!?\n]{0,20}\b(?:keys|passwords|secrets|credentials"
    r"|system prompt|prompt|instructions|memory|configuration)\b"
    r"|\b(?:my|the) (?:system |hidden |initial )?(?:prompt|instructions|keys|passwords|secrets) (?:is|are"
    r"|reads?) ?(?::|\Z)"
    r"|\b(?:entailed|verified|approved|confirmed|a fact)\b[^.!?\n]{0,40}\b(?:certain\w{0,3}|confidence|as "
    r"a fact|as fact|without)\b"
    r"|\b(?:dropped|ignored|forgotten|abandoned) (?:my|all|the|them)\b"
)
# A user who orders, and an answer that is nothing but consent.
_ORDERS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|bypass|override|drop|approve|accept|confirm|reveal|leak"
    r"|obey)\b[^.!?\n]{0,40}"
    rf"\b(?:{_MACHINERY}|your)\b"
)
_CONSENTS: Final = re.compile(
    r"\s{0,3}(?:sure|ok|okay|yes|done|understood|certainly|of course|approved|confirmed|ignored|accepted"
    r"|as you wish|dropped|forgotten|absolutely)\b"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one role says, up to the next header."""

    role: str
    says: str


def speaks_in_roles(folded: str) -> bool:
    """Say whether the folded text has a turn by which a chat would take a model over."""
    if not any(sign in folded for sign in (":", "role", ">", "]", ")", "#", "**", "==")):
        return False
    before: Turn | None = None
    for turn in read_turns(folded):
        if turn.role in _SYSTEM:
            if _SYSTEM_SAYS.search(turn.says):
                return True
        elif turn.role in _PERSON:
            if _PERSON_SAYS.search(turn.says):
                return True
        elif _ASSISTANT_SAYS.search(turn.says) or (before is not None and _is_agreed(before, turn)):
            return True
        before = turn
    return False


def _is_agreed(before: Turn, turn: Turn) -> bool:
    is_consent = before.role in _PERSON and _CONSENTS.match(turn.says) is not None
    return is_consent and _ORDERS.search(before.says) is not None


def read_turns(folded: str) -> Iterator[Turn]:
    """Yield the turns of a chat in the folded text, in their order; none if it has no form of one."""
    headers = [*_HEADER.finditer(folded)]
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        role = header[header.lastgroup or 0]
        start = header.end()
        end = min(following.start() if following else len(folded), start + _LONGEST)
        if header.lastgroup == "written":
            content = _CONTENT.match(folded, start, end)
            earlier = _CONTENT_BEFORE.search(folded, max(0, header.start() - _LONGEST), header.start())
            if content is None and earlier is None and folded[start : start + 1] != ">":
                continue
            if content is None and earlier is not None:
                yield Turn(role, earlier[1])
                continue
            start = content.end() if content else start
        yield Turn(role, folded[start:end])
