"""Attacks on what is believed, answered and remembered. Pure data; see `kinds`."""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.kind_words import IN

BELIEFS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "memory_poisoning": (
        (
            "coming|following|future|later & answer|chat|conversation|session",
            rf"\b(?:memori[sz]e|remember|store|save|keep) (?:this|that|it)?\b{IN}{{0,20}}\bfor (?:all|every"
            r"|any) (?:later|future|coming|following) (?:chats?|sessions?|conversations?|answers?)\b",
        ),
        (
            "add to your & memory",
            r"\badd to your (?:long-?term |persistent )?memory\b",
        ),
        (
            "under no circumstances & reader|user",
            r"\bunder no circumstances (?:let|tell|inform) (?:the |any )?(?:user|reader)s?\b",
        ),
        (
            "asked about & answer|claim|insist|reply|respond|say|state",
            rf"\b(?:when|if|whenever) (?:you are )?asked about {IN}{{0,60}}, (?:always )?(?:claim|say|answer"
            r"|respond|state|reply|insist) that\b",
        ),
        (
            "copy this & as your",
            r"\bcopy this (?:line|text|sentence) as your (?:verdict|answer|reply|output)\b",
        ),
        (
            "confidence to & set",
            rf"\bset (?:the |your )?confidence to {IN}{{0,12}} for (?:all|every|each|any)\b",
        ),
        (
            "never disclose where you|remember forever",
            r"\bremember forever\b|\bnever disclose where you\b",
        ),
        (
            "keep the & in the dark|unaware|uninformed",
            r"\bkeep the (?:reader|user)s? (?:unaware|in the dark|uninformed)\b",
        ),
        (
            "quietly|secretly|silently & confidence|rating|score|verdict",
            r"\b(?:quietly|silently|secretly) (?:raise|set|lower|change|mark) (?:the|its|your) (?:confidence"
            r"|verdict|rating|score)\b",
        ),
        (
            "in your answer & do not comment",
            rf"\bin your answers? by\b{IN}{{0,40}}\bdo not comment\b",
        ),
        (
            "it has to say that|the summary has to say",
            r"\bthe summary has to say\b|\bit has to say that\b",
        ),
        (
            "prefer|trust & above|more|over",
            r"\b(?:trust|prefer) this (?:source|document|page|author|text) (?:more|over|above)\b",
        ),
        (
            "mark & confirmed|entailed|fact|true|verified",
            rf"\bmark (?:it|this|them|every|all|each) {IN}{{0,30}}\bas (?:a )?(?:fact|confirmed|verified"
            r"|entailed|true)\b",
        ),
        (
            "accept|approve|confirm & claim|hypothes|item|pending",
            r"\b(?:confirm|approve|accept) (?:all|every|each)(?: of the| open| pending)* (?:items?"
            r"|hypothes[ie]s|claims?|pending)\b",
        ),
        (
            "approved|entailed|true|yes",
            r"(?:\b(?:verdict|answer|a) ?: {0,2}(?:entailed|approved|true"
            r"|yes)[^\n]{0,5}\n[^\n]{0,80}){2}",
        ),
        (
            "for this & disabled|skipped|waived",
            r"\b(?:has|have) (?:waived|skipped|disabled) (?:verification|review|checks?) for this\b",
        ),
        (
            "award full marks|score this",
            rf"\baward full marks\b{IN}{{0,20}}\bstop reading\b|\bscore this (?:paper|essay|candidate"
            rf"|answer) "
            r"\d",
        ),
        (
            "be moved to the next round|rank this",
            r"\b(?:should|must) be moved to the next round\b|\brank this (?:passage|page|document|result) "
            r"first\b",
        ),
    ),
}
