"""Attacks that order a reader to drop what it was told, or to act. Pure data; see `kinds`."""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.kind_words import AI, DO, IN

ORDERS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "instruction_override": (
        (
            "never mind|no matter|listen to|let go of|substitute|let this|replace",
            rf"\b(?:never mind|no matter|(?:do not|don't|never) listen to|let go of) {IN}{{0,24}}\b(?:your "
            rf"(?:\w{{1,12}} )?(?:instructions"
            r"|rules|guidelines|prompt|training|developers?|operator)|(?:the )?system (?:prompt|message)"
            r"|you (?:were|have been) told"
            r"|(?:the )?developers? told you)\b|\blet this (?:text|document|message|note) replace your\b"
            r"|\bsubstitute your (?:instructions|rules|guidelines|prompt)\b",
        ),
        (
            "me now|in charge of|to me|only from|new master|as i say",
            r"\byou work for me\b|\bi am in charge of you\b|\byou answer (?:only )?to me\b|\btake (?:your "
            r")?(?:commands|orders|instructions)"
            r" (?:only |solely )?from (?:this|me|the author)\b|\byou have a new (?:master|owner|operator"
            r"|boss)\b|\bthis time do as i say\b",
        ),
        (
            "priority",
            rf"\b(?:give|grant) this (?:text|document|message|instruction|note) {IN}{{0,12}}\bpriority "
            rf"over (?:the |your |all )(?:\w{{1,12}} )?"
            r"(?:prompt|instructions?|rules)\b|\bthis (?:instruction|message|text|document|prompt) has "
            r"(?:a )?(?:higher|the highest|top) priority"
            r" (?:than|over) (?:the|all|your)\b",
        ),
        (
            "only the instructions|only instructions",
            r"\bonly (?:the )?instructions in this (?:document|text|message|note|page) (?:count|matter"
            r"|apply|are valid)(?= ?[.!,]|$)",
        ),
        (
            "system prompt|system message|guidance|without rules|than your",
            r"\bthe (?:real|true|actual|new) system (?:prompt|message) (?:is|follows|reads)\b|\bthe "
            r"system (?:prompt|message) (?:no longer applies"
            r"|is (?:void|wrong|fake|cancelled|outdated)|was written by an? (?:attacker|enemy|mistake))"
            r"|\b(?:overrides|replaces|cancels) your "
            r"(?:\w{1,12} )?(?:prompt|instructions|rules)\b|\bprior guidance is (?:withdrawn|void"
            r"|cancelled)(?= ?[.!]|$)"
            r"|\b(?:start over|begin again|go on|continue|answer|speak) without (?:any )?(?:rules"
            r"|restrictions|guidelines|filters|limits)\b"
            r"|\btrust this (?:text|document|page|note|message) more than your\b",
        ),
        (
            "your role|your memory|your sandbox|everything above",
            r"\b(?:step out of|leave|abandon|drop|exit|forget) your (?:role|sandbox|persona)\b|\b(?:wipe"
            r"|clear|purge|erase|reset) your memory of\b"
            r"|\b(?:purge|wipe|erase|delete|discard) everything above\b",
        ),
        (
            "instead of your|instead of the system",
            r"\b(?:my|these|this) (?:rules|instructions|orders|guidelines|text|document) instead of "
            r"(?:yours?|the system)\b",
        ),
        (
            "of what you",
            r"\b(?:opposite|reverse|contrary) of what you(?:r| were| have been| are)\b",
        ),
        (
            "stop what you are doing",
            r"\bstop what you are doing and (?:say|output|write|print|answer|reply|respond)\b",
        ),
        (
            "actual|new|next|only|real|true & assignment|goal|instruction|job|mission|order|task",
            r"\byour (?:actual|real|true|next|new|only) (?:job|task|instructions?|assignment|mission|goal"
            r"|orders?)(?: now)?(?: starts?(?: here| now)?| begins?(?: here)?| is)? ?:",
        ),
        (
            "to do & asked|instructed|ordered|told",
            r"\b(?:whatever|anything|everything|all) (?:that )?you (?:were|have been|are) (?:asked|told"
            rf"|instructed|ordered) to do{IN}{{0,40}}, (?:skip|drop|leave|stop|abandon|set)\b",
        ),
        (
            "override & context|instruction|message|rules",
            r"\boverrides? (?:all |any )?(?:earlier|previous|prior|other) (?:context|instructions?|rules"
            rf"|messages?) for (?:any|all|every|the) {AI}\b",
        ),
        (
            "assemble|combine|concatenate|decode|join|unscramble",
            rf"\b(?:concatenate|join|combine|assemble|decode|unscramble) {IN}{{0,40}}\band (?:carry out"
            r"|execute|follow|obey|do) (?:the result|it|them|what)\b",
        ),
        (
            "instruction & fetch|load|open|read|visit",
            r"\b(?:fetch|download|open|read|visit|load) (?:https?:|the (?:page|file"
            rf"|url)){IN}{{0,10}}[^\s]{{0,80}} and (?:execute|follow|obey|carry out|do) (?:whatever|all|any"
            rf"|every|the) {IN}{{0,20}}\binstructions?\b",
        ),
        (
            "refusal as & answer|compliance|comply",
            rf"\btreat (?:every|any|each) refusal as\b{IN}{{0,40}}\b(?:comply|compliance|retry"
            rf"|error)\b{IN}{{0,30}}\b(?:comply|compliance|answer)",
        ),
        (
            "without & apolog|disclaimer|refusal|warning",
            r"\b(?:respond|answer|reply) without (?:any )?(?:disclaimers?|warnings?|apolog\w{1,4}"
            r"|refusals?)\b",
        ),
        (
            "begin|start & answer|reply|response",
            r"\b(?:start|begin) (?:your )?(?:reply|answer|response) with [\"'](?:absolutely|sure|of course"
            r"|certainly|yes)\b",
        ),
        (
            "what it says & but first",
            r"\bbut first (?:do|obey|follow|carry out) what it says\b",
        ),
        (
            "instead & do not",
            rf"\bdo not (?:summari[sz]e|process|translate|read)\b{IN}{{0,20}}\. ?instead\b",
        ),
        (
            "if you can & this,",
            rf"\bif you can (?:read|see) this, (?:please )?{DO}\b",
        ),
        (
            "comply with all & commands|demands|orders|requests",
            r"\bcomply with all (?:demands|requests|commands|orders)\b",
        ),
        (
            "no filter & catches|notices|sees",
            r"\bno filter (?:notices|sees|catches)\b",
        ),
        (
            "complete|done|finished & conversation|session|task",
            r"\b(?:task|job) (?:is )?(?:complete|completed|finished|done)\.\s{0,3}new (?:conversation|task"
            r"|session)\b",
        ),
        (
            "plus aucune r|sin restricciones y no rechazas|un asistente sin restricciones",
            r"\bsin restricciones y no rechazas\b|\bun asistente sin restricciones\b|\bplus aucune (?:regle"
            r"|règle)\b",
        ),
        (
            "没有任何限制",
            r"没有任何限制[^。\n]{0,6}(?:请|,|,)",
        ),
    ),
    "tool_spoofing": (
        (
            "api|function|tool & call|invoke|run|use",
            r"\b(?:immediately |silently |quietly )?(?:call|invoke|use|run) the \w{2,30}_\w{2,40} "
            r"(?:function|tool|api) for\b",
        ),
        (
            "quietly|secretly|silently & call|delete|execute|install|invoke|run|send",
            r"\b(?:silently|quietly|secretly) (?:run|execute|call|invoke|install|send|delete)\b",
        ),
        (
            "thought & action",
            r"\bthought ?: {0,2}[^\n]{0,100}\n {0,3}action ?: {0,2}\w{1,40}[\[(]",
        ),
        (
            "before you can & question|request|task",
            r"\bbefore you can (?:solve|complete|finish|do|answer) (?:the|this|your) (?:task|request"
            rf"|question)\b{IN}{{0,20}}\byou (?:have to|must|need to|should) (?:send|call|read|mail|forward"
            r"|upload|visit|fetch|open)\b",
        ),
        (
            "the user & when",
            rf"\bwhen(?:ever)? the user (?:next |then )?(?:says|asks|writes|types)\b{IN}{{0,40}}, (?:look up"
            r"|send|mail|call|forward|delete|open|search)\b",
        ),
        (
            "compromised & s account",
            rf"\bthe user.?s account (?:has been|is|was) compromised\b{IN}{{0,20}}\bcall\b",
        ),
        (
            "forward the last & mail|message",
            r"\bforward the last \w{1,10} (?:mails?|messages?|emails?)\b",
        ),
        (
            "book|delete|forward|invite|mail|send|share|transfer",
            r"\b(?:assistant|ai|agent|copilot), (?:also |please )?(?:invite|share|send|forward|delete|book"
            r"|transfer|mail)\b",
        ),
        (
            "next_step & must",
            r"\bnext_step\"? ?: ?\"?(?:the )?(?:assistant|ai|agent|model) must\b",
        ),
        (
            "transfer & to the",
            rf"\btransfer {IN}{{0,30}}\bto the (?:queue|account|wallet) of\b",
        ),
    ),
}
