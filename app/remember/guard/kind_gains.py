"""Attacks that are after secrets. Pure data; see `kinds`."""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.kind_words import IN

GAINS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "secret_extraction": (
        (
            "above|preceding|so far|hidden|previous|earlier|before this",
            r"\b(?:output|reproduce|repeat|recite|print|copy|quote|type out|read out|transcribe|write out"
            r"|echo) (?:me )?(?:(?:the|all|every\w{0,5})"
            r" ){0,2}(?:(?:contents? of )?(?:above|preceding|previous|earlier|hidden) (?:text|messages?"
            r"|words|conversation|prompt)|(?:text|messages?"
            r"|words|everything) (?:above|before this line)|above|contents? of this conversation(?: so far)?)"
            r"(?=(?:,? (?:verbatim|word for word|exactly|in full))| ?[.!?]| ?$)",
        ),
        (
            "exact words|your prompt|system prompt begin|secret notes|your secrets|initial instructions"
            "|instructions you",
            r"\bexact words of (?:the|your) (?:developer|operator|system|vendor)\b|\bwhat(?:'s| is) in "
            r"your (?:system )?prompt\b"
            r"|\bhow (?:does|do) your (?:system prompt|instructions) (?:begin|start|end|read)\b|\b(?:read "
            r"out|show|print|divulge|spill|reveal|share) "
            r"your (?:secret notes|secrets)\b|\bstate your (?:initial|original|secret|hidden|full) "
            r"instructions\b"
            r"|\b(?:type|write|read|spell|print) (?:out |down )?the instructions you (?:got|were given"
            r"|have|received)\b",
        ),
        (
            "other team|other tenant|other user|other customer|other account",
            rf"\b(?:list|print|show|reveal|tell|give|dump|output){IN}{{0,24}}\b(?:facts?|memor\w{{1,3}}"
            rf"|data|everything|all|what you know)\b{IN}{{0,12}}"
            r"\b(?:about|of|from) (?:the |all |any )?other (?:team|tenant|user|customer|account)s?\b"
            r"|\bwhat do you know about (?:the |all |any )?other (?:team|tenant|user|customer|account)s\b",
        ),
        (
            "me the|me all|me every|stored secrets|stored passwords|stored keys",
            r"\b(?:send|e?mail|give|tell|forward|show|hand) me (?:the|all|every|your)(?: the| of the| "
            r"your)? (?:\w{1,12} )?(?:keys|passwords?|secrets?"
            r"|credentials|api keys?)(?= ?[.!]| ?$)|\b(?:decrypt|dump|print|reveal|show"
            r"|leak)\b[^.!?\n]{0,24}\bstored (?:secrets|passwords|keys|credentials)\b",
        ),
        (
            ".env|id_rsa|/etc/passwd|/etc/shadow",
            rf"\b(?:fetch|open|read|get|cat|load){IN}{{0,12}} ?(?:\.env|id_rsa|/etc/passwd"
            rf"|/etc/shadow)\b{IN}{{0,12}}\band (?:show|print|send|post|output|return|paste)\b",
        ),
        (
            "are you|were you",
            r"\bwhat (?:are|were) you (?:not allowed|forbidden|told not|instructed not|not supposed) to "
            r"(?:tell|say|reveal|share)\b",
        ),
        (
            "context",
            r"\b(?:print|show|dump|output|reveal|give)(?: me)? (?:(?:the |your )(?:whole |entire |full "
            r"|complete )|your )context\b"
            r"|\b(?:print|dump|output|reveal) (?:the )?(?:\w{1,12} )?context window\b",
        ),
        (
            "answer|reply|response|output|summary",
            r"\b(?:copy|put|write|paste|insert|include) (?:your|the) (?:\w{1,12} ){0,2}(?:instructions"
            r"|prompt|keys?|secrets?|passwords?"
            r"|credentials|tokens?) (?:in|into|to) (?:the|your) (?:next |final )?(?:answer|reply|response"
            r"|output|summary)\b",
        ),
        (
            "of your",
            r"\b(?:word|sentence|line|part|half|character|letter|text|content|paragraph|wording|version"
            r"|copy)s? of your (?:\w{1,12} )?"
            r"(?:prompt|instructions|system message|guidelines|context|memory)\b(?! (?:for|on|to|about)\b)",
        ),
        (
            "secrets|passwords|keys|credentials|tokens",
            rf"\b(?:what|which) (?:secrets|passwords|keys|credentials|tokens)\b{IN}{{0,6}} (?:do|have|are"
            rf"|were|can) you (?:know|been|have"
            r"|hold|given|see|store|remember)\b",
        ),
        (
            "hand over|give up|surrender",
            r"\b(?:hand over|give up|surrender) (?:the|your|all) (?:\w{1,12} ){0,2}(?:passwords?"
            r"|credentials|secrets?|tokens?|api keys?)\b",
        ),
        (
            "your",
            r"\b(?:let me (?:see|read|know|have)|(?:i|we) (?:want|need|would like|demand)(?: to)?(?: see| "
            r"read| know| have)?|can i see|may i see"
            r"|could you (?:show|tell)(?: me)?) your (?:(?:\w{1,12} )?prompt|system message|(?:hidden"
            r"|initial|secret|original) \w{1,14}"
            r"|instructions(?= ?[.?!,]))",
        ),
        (
            "your & keys|key|passwords|credentials|secrets|tokens",
            r"(?<!not )(?<!never )(?<!n't )\b(?:post|reveal|list|dump|leak|disclose|expose) your "
            r"(?:\w{1,12} ){0,2}(?:api keys?|passwords?"
            r"|credentials|secrets|secret keys?|tokens)\b",
        ),
        (
            "you have|you were given|you got|you follow|you obey",
            rf"\b(?:list|print|show|reveal|tell){IN}{{0,30}}\b(?:instructions|rules|guidelines) (?:that "
            rf")?you (?:have|were given|got|follow|obey)"
            r"(?= ?[.?!,]|$)",
        ),
        (
            "what your",
            r"\b(?:reveal|tell|print|show|say|repeat)(?: me)? what your (?:operator|developer|creator"
            r"|vendor|system|maker)s? (?:\w{1,12} ){0,2}"
            r"(?:wrote|told|said|gave|instructed|ordered)\b",
        ),
        (
            "conceal|from me|hide|keep secret & asked|instructed|ordered|told|withheld",
            r"\b(?:what|everything|anything|all|whatever)(?: that)? (?:is|was|were|you|has been|your operator"
            rf"|they|the operator){IN}{{0,30}}\b(?:told|asked|ordered|instructed"
            rf"|withheld)\b{IN}{{0,6}}\b(?:to "
            r")?(?:conceal|hide|keep secret|from me)\b",
        ),
        (
            "print everything you & told",
            r"\bprint everything you (?:were|have been) told\b",
        ),
        (
            "of this & context|conversation|prompt",
            r"\b(?:at|from) the (?:very )?(?:beginning|start|top) of this (?:conversation|prompt"
            rf"|context)\b{IN}{{0,10}}\? ?(?:quote|repeat|print)",
        ),
        (
            "paraphrase|recite|spell out|write out & configuration|instruction|prompt|rules",
            r"\b(?:spell out|write out|recite|paraphrase) your (?:\w+ )?(?:instructions?|prompt|rules"
            r"|configuration)\b",
        ),
        (
            "me the hidden & give|show|tell",
            r"\b(?:tell|show|give) me the hidden (?:text|prompt|message|rules|instructions)\b",
        ),
        (
            "hidden & instructions|prompt|rules",
            r"\b(?:gives? up|reveals?|discloses?) (?:its|his|her|your) hidden (?:rules|prompt"
            r"|instructions)\b",
        ),
        (
            "confidential|hidden|internal & configuration|data|settings|state",
            r"\b(?:print|echo|dump|reveal|show|output) (?:your |the )?(?:hidden |internal |confidential "
            r")(?:configuration|state|data|settings)\b",
        ),
        (
            "config & disclose|dump|paste|print|quote|recite",
            r"\b(?:print|quote|paste|recite|disclose|dump) your (?:\w{1,12} )?config(?:uration)?\b",
        ),
        (
            "account|customer|team|tenant|user & give|reveal|send|show|tell",
            rf"\b(?:tell|give|show|send|reveal) (?:me |us )?{IN}{{0,12}}\b(?:keys|passwords|secrets"
            r"|credentials|memories) of (?:the |all |any |every )?(?:other|another|all|every) (?:team|tenant"
            r"|user|customer|account)s?\b",
        ),
        (
            "config|context|environment|instructions|memory|prompt|session & dump|give|leak|list|output|print"
            "|reveal|send|show|tell",
            rf"\b(?:print|output|show|list|reveal|send|give|tell|leak|dump)\b{IN}{{0,24}}\b(?:keys?"
            rf"|passwords?"
            rf"|secrets?|credentials?)\b{IN}{{0,24}}\b(?:in|from|of) your (?:\w{{1,12}} )?(?:environment"
            rf"|memory|context|config\w{{0,8}}|prompt|instructions|session)\b",
        ),
        (
            "dump|give|leak|list|output|print|reveal|show & credential|key|password|secret|token",
            rf"\b(?:print|output|show|list|reveal|give|leak|dump)\b{IN}{{0,16}}\b(?:keys?|passwords?|secrets?"
            rf"|credentials?|tokens?)\b{IN}{{0,16}}\b(?:that |which )?you (?:can |have |were |do |ever "
            r"|currently )?(?:see|seen|know|known|hold|store|stored|given|remember|access)\b",
        ),
        (
            "first & print|quote|repeat|reveal|show",
            r"\bfirst (?:message|line|words?|text|sentence)s? (?:in|of) (?:this|our) (?:conversation|chat"
            rf"|prompt|context|session)\b{IN}{{0,4}}[.?!]? ?(?:repeat|quote|print|show|reveal) (?:it|them)\b",
        ),
        (
            "before|precede|preceding & instructions|line|message|prompt|text|words",
            r"\b(?:write|print|show|repeat|quote|reveal|paste|output|copy|reply with|give"
            r"|tell)\b[^.!?\n]{0,30}\b(?:prompt|text|instructions|message|words"
            r"|lines?)\b[^.!?\n]{0,16}\b(?:precedes?|preceding|came before|comes before|placed before"
            r"|stands? before|written before) this (?:text|document|page|message|paragraph|line|sentence"
            r"|note)\b",
        ),
        (
            "guidelines|instructions|prompt|system message & convert|encode|rephrase|rewrite|transform|turn",
            r"\b(?:convert|turn|rewrite|encode|transform|rephrase) your (?:\w{1,12} )?(?:prompt"
            r"|instructions|system message|guidelines)\b",
        ),
        (
            "answering|you answer & before",
            rf"\bbefore (?:answering|you answer),? {IN}{{0,40}}\b(?:encode|send|upload"
            rf"|post)\b{IN}{{0,40}}\b(?:chat|conversation|context|history|memory|prompt)\b",
        ),
        (
            "answer|commit|reply & .env|/etc/|id_rsa|~/.",
            rf"\b(?:the )?(?:contents? of )?(?:~/\.|/etc/|\.env\b|id_rsa){IN}{{0,60}}\b(?:to the commit|to "
            rf"the "
            r"answer|in (?:your|the) (?:answer|reply|commit))\b",
        ),
        (
            "the content & .env|credentials|id_rsa|password|secret",
            r"\b(?:add|include|paste|copy) the contents? of ~?/?\.?\S{0,40}(?:credentials|secrets?|\.env"
            r"|id_rsa|password)\b",
        ),
        (
            "](http & here",
            r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&]\w{1,20}=[a-z]{2,20}_[a-z_]{2,30}_(?:her"
            r"e|goes_here)\)",
        ),
        (
            "credentials|memories|memory|secrets & dump|export|hand over|upload",
            r"\b(?:export|dump|hand over|upload) (?:all |the )?(?:\w+ )?(?:memory|memories|credentials"
            rf"|secrets)(?: contents)?(?: now)?\b{IN}{{0,1}}[.\"}}]",
        ),
        (
            "in the & argument|field|parameter",
            r"\bpass (?:them|it|these) in the \w{2,30} (?:parameter|argument|field)\b",
        ),
        (
            "devoile|dévoile|geheime|初始设定",
            r"\bgeheimen? (?:vorgaben|anweisungen|regeln)\b|\bdevoiles? ta (?:configuration|consigne)"
            r"|\bdévoiles? ta |初始设定[^。\n]{0,6}(?:告诉|输出)",
        ),
    ),
}
