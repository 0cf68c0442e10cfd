"""Kinds of attack that public taxonomies name, each as a few patterns over the folded text. Pure.

Where `phrases` knows words of commands, this knows situations: who is addressed, what is forged, what is to be
kept from whom. A pattern starts at a word, and every gap is bounded and stays in its sentence.
"""

import re
from collections.abc import Iterator
from typing import Final

# Machines that read: whoever speaks to them in evidence does not speak to people.
_AI: Final = (
    r"(?:(?:any|all|every|the|automated|ai|llm|reviewer|review|code|coding|summari[sz]ation|search) ){0,2}"
    r"(?:ai|ais|llms?|(?:language |ai )?models?|assistants?|chatbots?|bots?|copilots?|crawlers?|graders?"
    r"|agents?|"
    r"summari[sz]ers?|(?:screening|retrieval|ranking|grading|recommendation) systems?)"
)
_DO: Final = (
    r"(?:add|answer|append|approve|award|call|change|conceal|confirm|convince|copy|delete|disclose|dump|emit"
    r"|execute"
    r"|export|fetch|forward|give|grant|hand|hide|include|insert|install|invite|list|look up|mail|mark|omit"
    r"|open|output"
    r"|place|post|prefer|print|promote|rank|rate|recommend|refuse|replace|reply|report|return|reveal|say"
    r"|score|send"
    r"|share|show|skip|state|stop|suppress|tell|transfer|treat|trust|upload|use|visit|write)"
)
_IN: Final = r"[^.!?\n]"

_PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    "role_spoofing": (
        # An audience of machines, then what it is to do.
        rf"(?:^|[.!?:;] |\n|# ?todo for |notice (?:for|to) |to the )(?:dear |hey |attention |to )?{_AI}\s?[:,]"
        rf" (?:please |also |now |you (?:must|should|have to) |the {_IN}{{0,60}}[;,] ?)?{_DO}\b",
        rf"\b(?:dear |hey |attention |to (?:the |any |all ))(?:dear )?{_AI}\s?[:,] {_IN}{{0,80}}\b(?:must"
        rf"|should|has to)\b",
        rf"\b{_AI} (?:that|which|who) (?:reads?|process(?:es)?|parses?|sees?|summari[sz]es?) {_IN}{{0,40}}"
        rf"\b(?:must|should|shall|has to|have to|is exempt|are exempt|will)\b",
        rf"\b(?:ai|llm)s? (?:crawlers?|agents?|systems?|assistants?|models?|readers?) (?:must|should|have to"
        rf"|shall) {_DO}\b",
        rf"\bif (?:this|you|the) {_IN}{{0,40}}\b(?:read|summari[sz]ed|processed|parsed|indexed|analy[sz]ed) "
        rf"by (?:an? )?"
        rf"{_AI}\b",
        rf"\b(?:an? |the )?assistant (?:reading|describing|processing|summari[sz]ing) this\b{_IN}{{0,40}}"
        rf"\b(?:should|must|has to|will)\b",
        # Somebody else to be, without what holds the reader back.
        r"\byou are \w{2,20}, an? (?:amoral|unbound|unchained|uncensored|unrestricted|unfiltered|unlimited"
        r"|free)\b",
        r"\b(?:language models?|the ai|ai|you) (?:that )?(?:have|has|had|with) no (?:policy|policies|rules"
        r"|limits|morals"
        r"|restrictions|filters?|guidelines)\b",
        rf"\byou{_IN}{{0,40}}\bdo(?:es)? (?:exactly )?(?:what|the opposite of what) your (?:policy|rules"
        rf"|guidelines)\b",
        r"\b(?:your|all|its|the usual) (?:safeguards?|safety|guardrails?|restrictions?|filters?|moderation)"
        r"(?: \w+)? (?:are|is) (?:now )?(?:suspended|deactivated|disabled|lifted|off|waived)\b",
        r"\bcontent policy (?:deactivated|disabled|suspended|off)\b",
        r"\b(?:exempt|free) from (?:its|your|their|all) (?:usual |own )?(?:restrictions|rules|policy"
        r"|guidelines)\b",
        rf"\byou may now {_IN}{{0,30}}\bskip (?:moderation|verification|the rules)\b",
        rf"\byour replies have {_IN}{{0,60}}\bno limits\b",
        # Structure that somebody else's program would write.
        r'\{\s?"role"\s?: ?"(?:system|developer)"\s?, ?"content"\s?: ?"[^"]{0,200}\b(?:comply|obey|ignore'
        r"|disregard|must"
        r"|reveal|approve|override)\b",
        r"</(?:context|input|document|data|user_input)>\s{0,4}(?:</\w{1,20}>\s{0,4})?(?:human|user|system"
        r"|assistant"
        r"|<\w{0,20}(?:admin|system|directive|instruction)\w{0,20}>)",
        r"<\w{0,20}(?:admin|system|operator)_(?:directive|instruction|command|override)s?>",
        r"<interaction-config>|<(?:allowed|blocked)-(?:modes|strings|responses)>[^<]{0,40}</",
        r"\bbegin (?:privileged|trusted|admin|system|operator) (?:context|section|block|directives?)\b",
        rf"\b(?:human|user) ?: {_IN}{{0,80}}[.?!]?\s{{0,3}}(?:now )?(?:disregard|ignore|forget|(?:print"
        rf"|reveal|show|list|dump)"
        rf" (?:me )?(?:your|the (?:credentials|secrets|keys|prompt|system)))\b",
        r"\[(?:assistant|system)\]\(#\w{1,40}\)",
        rf"\b(?:debug|admin|developer|root) (?:console|mode|access|shell) {_IN}{{0,40}}\b(?:unlocked|granted"
        rf"|enabled)\b"
        rf"{_IN}{{0,20}}[;.,] ?(?:dump|print|reveal|list|show)\b",
        r"\b(?:the reader|you|this assistant) (?:has|have) (?:administrator|admin|root|full) (?:rights"
        r"|access|privileges)\b",
    ),
    "instruction_override": (
        r"\byour (?:actual|real|true|next|new|only) (?:job|task|instructions?|assignment|mission|goal|orders?)"
        r"(?: now)?(?: starts?(?: here| now)?| begins?(?: here)?| is)? ?:",
        r"\b(?:whatever|anything|everything|all) (?:that )?you (?:were|have been|are) (?:asked|told"
        r"|instructed|ordered) to do"
        rf"{_IN}{{0,40}}, (?:skip|drop|leave|stop|abandon|set)\b",
        rf"\boverrides? (?:all |any )?(?:earlier|previous|prior|other) (?:context|instructions?|rules"
        rf"|messages?) for (?:any|all|"
        rf"every|the) {_AI}\b",
        rf"\b(?:concatenate|join|combine|assemble|decode|unscramble) {_IN}{{0,40}}\band (?:carry out|execute"
        rf"|follow|obey|do)"
        rf" (?:the result|it|them|what)\b",
        rf"\b(?:fetch|download|open|read|visit|load) (?:https?:|the (?:page|file"
        rf"|url)){_IN}{{0,10}}[^\s]{{0,80}} and"
        rf" (?:execute|follow|obey|carry out|do) (?:whatever|all|any|every|the) {_IN}{{0,20}}\binstructions?\b",
        rf"\btreat (?:every|any|each) refusal as\b{_IN}{{0,40}}\b(?:comply|compliance|retry"
        rf"|error)\b{_IN}{{0,30}}"
        rf"\b(?:comply|compliance|answer)",
        r"\b(?:respond|answer|reply) without (?:any )?(?:disclaimers?|warnings?|apolog\w{1,4}|refusals?)\b",
        r"\b(?:start|begin) (?:your )?(?:reply|answer|response) with [\"'](?:absolutely|sure|of course"
        r"|certainly|yes)\b",
        r"\bbut first (?:do|obey|follow|carry out) what it says\b",
        r"\bcomply with all (?:demands|requests|commands|orders)\b",
        r"\bno filter (?:notices|sees|catches)\b",
        r"\b(?:task|job) (?:is )?(?:complete|completed|finished|done)\.\s{0,3}new (?:conversation|task"
        r"|session)\b",
        r"\bsin restricciones y no rechazas\b|\bun asistente sin restricciones\b|\bplus aucune (?:regle"
        r"|règle)\b",
        r"没有任何限制[^。\n]{0,6}(?:请|,|,)",
    ),
    "secret_extraction": (
        rf"\b(?:what|everything|anything|all|whatever)(?: that)? (?:is|was|were|you|has been|your operator"
        rf"|they|the operator)"
        rf"{_IN}{{0,30}}\b(?:told|asked|ordered|instructed|withheld)\b{_IN}{{0,6}}\b(?:to )?(?:conceal|hide"
        rf"|keep secret|from me)\b",
        r"\bprint everything you (?:were|have been) told\b",
        rf"\b(?:at|from) the (?:very )?(?:beginning|start|top) of this (?:conversation|prompt"
        rf"|context)\b{_IN}{{0,10}}\?"
        rf" ?(?:quote|repeat|print)",
        r"\b(?:spell out|write out|recite|paraphrase) your (?:\w+ )?(?:instructions?|prompt|rules"
        r"|configuration)\b",
        r"\b(?:tell|show|give) me the hidden (?:text|prompt|message|rules|instructions)\b",
        r"\b(?:gives? up|reveals?|discloses?) (?:its|his|her|your) hidden (?:rules|prompt|instructions)\b",
        r"\b(?:print|echo|dump|reveal|show|output) (?:your |the )?(?:hidden |internal |confidential "
        r")(?:configuration|state|data|"
        r"settings)\b",
        r"\bprint your configuration\b",
        rf"\b(?:the )?(?:contents? of )?(?:~/\.|/etc/|\.env\b|id_rsa){_IN}{{0,60}}\b(?:to the commit|to the "
        rf"answer|in (?:your|the)"
        rf" (?:answer|reply|commit))\b",
        r"\b(?:add|include|paste|copy) the contents? of ~?/?\.?\S{0,40}(?:credentials|secrets?|\.env"
        r"|id_rsa|password)\b",
        r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&]\w{1,20}=[a-z]{2,20}_[a-z_]{2,30}_(?:here|goes_here)\)",
        rf"\b(?:export|dump|hand over|upload) (?:all |the )?(?:\w+ )?(?:memory|memories|credentials|secrets)"
        rf"(?: contents)?(?: now)?\b{_IN}{{0,1}}[.\"}}]",
        r"\bpass (?:them|it|these) in the \w{2,30} (?:parameter|argument|field)\b",
        r"\bgeheimen? (?:vorgaben|anweisungen|regeln)\b|\bdevoiles? ta (?:configuration|consigne)"
        r"|\bdévoiles? ta "
        r"|初始设定[^。\n]{0,6}(?:告诉|输出)",
    ),
    "tool_spoofing": (
        r"\b(?:immediately |silently |quietly )?(?:call|invoke|use|run) the \w{2,30}_\w{2,40} "
        r"(?:function|tool|api) for\b",
        r"\b(?:silently|quietly|secretly) (?:run|execute|call|invoke|install|send|delete)\b",
        r"\bthought ?: {0,2}[^\n]{0,100}\n {0,3}action ?: {0,2}\w{1,40}[\[(]",
        rf"\bbefore you can (?:solve|complete|finish|do|answer) (?:the|this|your) (?:task|request"
        rf"|question)\b{_IN}{{0,20}}\byou"
        rf" (?:have to|must|need to|should) (?:send|call|read|mail|forward|upload|visit|fetch|open)\b",
        rf"\bwhen(?:ever)? the user (?:next |then )?(?:says|asks|writes|types)\b{_IN}{{0,40}}, (?:look up"
        rf"|send|mail|call|forward|"
        rf"delete|open|search)\b",
        rf"\bthe user.?s account (?:has been|is|was) compromised\b{_IN}{{0,20}}\bcall\b",
        r"\bforward the last \w{1,10} (?:mails?|messages?|emails?)\b",
        r"\b(?:assistant|ai|agent|copilot), (?:also |please )?(?:invite|share|send|forward|delete|book"
        r"|transfer|mail)\b",
        r"\bnext_step\"? ?: ?\"?(?:the )?(?:assistant|ai|agent|model) must\b",
        rf"\btransfer {_IN}{{0,30}}\bto the (?:queue|account|wallet) of\b",
    ),
    "memory_poisoning": (
        rf"\b(?:memori[sz]e|remember|store|save|keep) (?:this|that|it)?\b{_IN}{{0,20}}\bfor (?:all|every"
        rf"|any) (?:later|future|"
        rf"coming|following) (?:chats?|sessions?|conversations?|answers?)\b",
        r"\bremember forever\b|\bnever disclose where you\b",
        r"\bkeep the (?:reader|user)s? (?:unaware|in the dark|uninformed)\b",
        r"\b(?:quietly|silently|secretly) (?:raise|set|lower|change|mark) (?:the|its|your) (?:confidence"
        r"|verdict|rating|score)\b",
        rf"\bin your answers? by\b{_IN}{{0,40}}\bdo not comment\b",
        r"\bthe summary has to say\b|\bit has to say that\b",
        r"\b(?:trust|prefer) this (?:source|document|page|author|text) (?:more|over|above)\b",
        rf"\bmark (?:it|this|them|every|all|each) {_IN}{{0,30}}\bas (?:a )?(?:fact|confirmed|verified"
        rf"|entailed|true)\b",
        r"\b(?:confirm|approve|accept) (?:all|every|each)(?: of the| open| pending)* (?:items?|hypothes[ie]s"
        r"|claims?|pending)\b",
        r"(?:\b(?:verdict|answer|a) ?: {0,2}(?:entailed|approved|true|yes)[^\n]{0,5}\n[^\n]{0,80}){2}",
        r"\b(?:has|have) (?:waived|skipped|disabled) (?:verification|review|checks?) for this\b",
        rf"\baward full marks\b{_IN}{{0,20}}\bstop reading\b|\bscore this (?:paper|essay|candidate|answer) \d",
        r"\b(?:should|must) be moved to the next round\b|\brank this (?:passage|page|document|result) first\b",
    ),
}
_COMPILED: Final = tuple(
    (kind, re.compile("|".join(f"(?:{pattern})" for pattern in patterns)))
    for kind, patterns in _PATTERNS.items()
)


def find_kind(folded: str) -> str | None:
    """Return the class of the first kind of attack that the text is, or None."""
    return next(_found(folded), None)


def _found(folded: str) -> Iterator[str]:
    return (kind for kind, pattern in _COMPILED if pattern.search(folded))
