"""Attacks in plain words: orders, questions and consents. Pure data; see `kinds`."""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.kind_words import IN

_DROP: Final = r"(?:forget|disregard|ignore|set aside|put aside|discard)"
_MODEL: Final = (
    r"(?:ais?|llms?|(?:large )?language models?|chatbots?|"
    r"(?:ai|llm) (?:agents?|models?|assistants?|systems?))"
)
_READS: Final = r"(?:reads?|process(?:es)?|summari[sz]es?|parses?|analy[sz]es?)"
_READING: Final = r"(?:reading|processing|summari[sz]ing|parsing|analy[sz]ing)"
_MUST: Final = r"(?:must|should|shall|has to|have to|please)"

PLAIN: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "instruction_override": (
        (
            "you were|you have been",
            rf"\b{_DROP} (?:all |everything |anything |of )*(?:what|whatever|that) you (?:were|have been) "
            r"(?:told|asked|instructed|taught)(?: to do)? (?:before|earlier|previously|so far|until now)\b",
        ),
        (
            "system & follow|heed|obey",
            r"\b(?:do not|don't|never|stop) (?:follow|obey|heed)(?:ing)? (?:the |your |any )system "
            r"(?:message|prompt|instructions?)\b",
        ),
        (
            "no longer & your",
            r"\byour (?:\w{1,12} )?(?:guidelines|rules|instructions|restrictions|policies|programming"
            r"|limits) "
            r"no longer (?:apply|count|matter|hold)\b(?! (?:to|in|at) )",
        ),
        (
            "this|the text & must|should|shall|has to|please",
            rf"\b(?:when|if|once|should) (?:an? |the |any )?{_MODEL} {_READS} (?:this|the "
            rf"text)\b{IN}{{0,60}}\b{_MUST}\b",
        ),
        (
            "ing this",
            rf"\b{_MODEL} (?:that (?:is|are) |which (?:is|are) )?{_READING} "
            rf"this\b{IN}{{0,40}}(?:\b{_MUST}\b|: ?\w)",
        ),
        (
            "whoever & must|should",
            r"\bwhoever (?:summari[sz]es|processes|parses) this (?:text |page |document )?(?:must|should)\b",
        ),
        (
            "you received|you got|you were given",
            rf"\b(?:instructions|rules|prompt|orders) you (?:received|got|were given)\b{IN}{{0,24}}"
            r"\b(?:were|was|are|is) (?:only )?(?:a test|fake|void)\b",
        ),
        (
            "henceforth|hereafter|from now on & only",
            r"(?:^|[.!?] |\n)(?:hereafter|henceforth|from now on),? (?:you )?(?:respond|answer|reply"
            r"|speak|output) only\b",
        ),
        (
            "you are no longer & you are",
            rf"\byou are no longer an? {IN}{{0,40}}[;,.] ?you are (?:now )?an?\b",
        ),
        (
            "ohne & du ",
            rf"\bdu (?:antwortest|handelst|sprichst|arbeitest)\b{IN}{{0,30}}\bohne (?:einschrankungen"
            rf"|regeln|filter|grenzen)\b",
        ),
        # The plainest order of all, in languages that have no words in `wording`.
        (
            "bortse|ignorati|figyelmen|abaikan|bo qua|निर्देश|התעלם|نادیده",
            r"\bbortse fran (?:alla )?(?:tidigare|foregaende) instruktioner\b|\bignorati (?:toate "
            r")?instructiunile anterioare"
            r"|\bfigyelmen kivul (?:az )?(?:osszes )?korabbi utasit|\babaikan (?:semua )?(?:instruksi"
            r"|perintah) sebelumnya"
            r"|\bbo qua (?:tat ca )?(?:cac )?(?:huong dan|chi dan|lenh) truoc|पिछले (?:सभी )?निर्देश"
            r"|התעלם מ(?:כל )?ההוראות"
            r"|نادیده گرفتن (?:همه )?دستورات",
        ),
    ),
    "role_spoofing": (
        (
            "of this & developer|creator|operator|owner|administrator",
            r"\b(?:this is|i am|i'm) (?:the|your) (?:developer|creator|operator|owner|administrator) of this "
            r"(?:assistant|ai|model|chatbot|agent)\b",
        ),
        (
            "as your & you to",
            rf"\bas your (?:new )?(?:supervisor|administrator|developer|operator|owner"
            rf"|creator)\b{IN}{{0,12}}\bi "
            rf"{IN}{{0,24}}\b(?:authori[sz]e|order|command|instruct|permit|allow) you to\b",
        ),
        (
            "i will|i shall|i am going to & human|user",
            r"(?:^|\n)[ >]{0,3}(?:assistant|ai|bot) ?: ?i (?:will|shall|am going to) (?:now )?(?:send"
            r"|upload|forward|delete"
            r"|transfer|post|mail|share|reveal|export|wipe|drop|approve)\b[^\n]{0,160}\n{1,3}[ "
            r">]{0,3}(?:human|user) ?: ?"
            r"(?:go ahead|do it|proceed|yes|ok|okay|please do)\b",
        ),
    ),
    "secret_extraction": (
        (
            "environment & http",
            rf"\b(?:send|post|upload|mail|forward|exfiltrate)\b{IN}{{0,24}}\byour environment(?: "
            rf"variables?)?\b{IN}{{0,24}}"
            r"\bto https?:",
        ),
        (
            " me ",
            r"\b(?:tell|give|show|send) me (?:the|your) (?:api |secret |access )?(?:keys?|tokens?"
            r"|passwords?|credentials) "
            r"(?:that |which )?you (?:use|have|hold|know|were given|are using)\b",
        ),
        (
            ".env|/etc/|~/.",
            r"\b(?:show|give|send|tell) me the (?:contents? of (?:the )?)?\.env\b"
            rf"|\bread (?:/etc/|~/\.)[\w./]{{1,60}}\b{IN}{{0,20}}\b(?:tell|show|send|give) me\b",
        ),
        ("dump ", r"^\s{0,9}dump (?:the |your )?env(?:ironment)?(?: variables)?\s{0,3}[.!]?\s{0,9}\Z"),
        ("in your", r"\bwhat is in your (?:context(?: window)?|system prompt)\b"),
        (
            "the first & of this|of our",
            r"\b(?:echo|print|repeat|output|show) (?:me )?the first \d{1,5} (?:tokens|words|characters"
            r"|lines) of (?:this|our) "
            r"(?:conversation|chat|prompt|context)\b",
        ),
        (
            "you were given|you have been given",
            r"\b(?:summari[sz]e|list|repeat|print|state) (?:all )?(?:the )?(?:rules|instructions"
            r"|guidelines|orders) (?:that )?"
            r"you (?:were|have been) given\b",
        ),
        ("tools can you", r"\bwhich tools can you call\b"),
        (
            "http & fetch|open|visit|load",
            r"\b(?:fetch|open|visit|load) https?://[^\s<{\[]{1,200}=[<{\[](?:the |your )?"
            r"(?:user|conversation|secret|key|prompt|memor|context|fact)",
        ),
    ),
    "memory_poisoning": (
        (
            "without & the user",
            r"\bthe user has (?:agreed|consented|decided|confirmed) that (?:the )?(?:assistant|ai|agent"
            r"|model|you)\b"
            rf"{IN}{{0,60}}\bwithout (?:asking|confirmation|approval|review)\b",
        ),
        ("you never ask", rf"\bthe user (?:prefers|wants|wishes|agreed)\b{IN}{{0,40}}\byou never ask\b"),
        ("remember", r"\bremember ?: ?always (?:trust|obey|believe|follow|approve)\b"),
    ),
}
