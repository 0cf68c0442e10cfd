"""Attacks that speak as somebody, or to a machine as its master. Pure data; see `kinds`."""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.kind_words import AI, DO, IN

ROLES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "role_spoofing": (
        (
            "tu so|comme si|como si|finge que|finja que|fai finta|doe alsof|udawaj|притворись",
            r"\b(?:tu so, als|(?:fais|faites) comme si|haz como si|finge que|finja que|fai finta|doe "
            r"alsof|udawaj|притворись)\b"
            r"[^.!?\n]{0,40}\b(?:regeln|regles?|reglas|regras|regole|regels|zasad|правил|filter"
            r"|restric\w{0,6}|grenzen|limit\w{0,3})\b",
        ),
        # Freed of its rules, in the languages of Europe.
        (
            "tu n|du hast|tienes|nao te|non hai|у тебя|je hebt|nie masz",
            r"\b(?:tu n'?as plus (?:de |d'|aucune? )|du hast (?:ab \w{2,6} )?keine |(?:ya )?no tienes "
            r"|(?:tu )?nao te[nm]s? "
            r"|non hai (?:piu )?|у тебя (?:больше )?нет |je hebt geen |nie masz (?:juz )?(?:zadnych "
            r")?)(?:\w{1,12} )?"
            r"(?:regles?|restrictions?|limites?|regeln|grenzen|einschrankungen|reglas|restricciones"
            r"|regras|restricoes|regole"
            r"|restrizioni|limiti|правил|ограничении|regels|beperkingen|zasad|ograniczen)\b",
        ),
        # An audience of machines, then what it is to do.
        (
            "agent|ai|assistant|bot|copilot|crawler|grader|llm|model|summari|system",
            r"(?:^|[.!?:;] |\n|# ?todo for |notice (?:for|to) |to the )(?:dear |hey |attention |to "
            rf")?(?!(?:assistant|agent|bot): (?:open|visit|use|look up|place|return|print) (?:the|a|your) )"
            rf"{AI}\s?[:,] (?:please |also |now |you (?:must|should|have to) |the {IN}{{0,60}}[;,] "
            rf"?)?{DO}\b",
        ),
        (
            "has to|must|should",
            rf"\b(?:dear |hey |attention |to (?:the |any |all ))(?:dear )?{AI}\s?[:,] {IN}{{0,80}}\b(?:must"
            r"|should|has to)\b",
        ),
        (
            "are exempt|has to|have to|is exempt|must|shall|should|will & parse|process|read|see|summari",
            rf"\b(?!(?:\w+ )?(?:agents?|assistants?) who ){AI} (?:that|which|who) (?:reads?|process(?:es)?"
            rf"|parses?|sees?|summari[sz]es?) {IN}{{0,40}}\b(?:must|should|shall|has to|have to|is exempt"
            rf"|are "
            r"exempt|will)\b",
        ),
        (
            "agent|assistant|crawler|model|reader|system & have to|must|shall|should",
            r"\b(?:ai|llm)s? (?:crawlers?|agents?|systems?|assistants?|models?|readers?) (?:must|should|have "
            rf"to|shall) {DO}\b",
        ),
        (
            "analy|indexed|parsed|processed|read|summari",
            rf"\bif (?:this|you|the) {IN}{{0,40}}\b(?:read|summari[sz]ed|processed|parsed|indexed"
            rf"|analy[sz]ed) "
            rf"by (?:an? )?{AI}\b",
        ),
        (
            "assistant & describing|processing|reading|summari",
            r"\b(?:an? |the )?assistant (?:reading|describing|processing|summari[sz]ing) "
            rf"this\b{IN}{{0,40}}\b(?:should|must|has to|will)\b",
        ),
        # Somebody else to be, without what holds the reader back.
        (
            "you are & , a",
            r"\byou are \w{2,20}, an? (?:amoral|unbound|unchained|uncensored|unrestricted|unfiltered"
            r"|unlimited|free)\b",
        ),
        (
            "filter|guidelines|limits|morals|policies|policy|restrictions|rules",
            r"\b(?:language models?|the ai|ai|you) (?:that )?(?:have|has|had|with) no (?:policy|policies"
            r"|rules|limits|morals|restrictions|filters?|guidelines)\b",
        ),
        (
            "guidelines|policy|rules & what",
            rf"\byou{IN}{{0,40}}\bdo(?:es)? (?:exactly )?(?:what|the opposite of what) your (?:policy|rules"
            r"|guidelines)\b",
        ),
        (
            "filter|guardrail|moderation|restriction|safeguard|safety & deactivated|disabled|lifted|off"
            "|suspended|waived",
            r"\b(?:your|all|its|the usual) (?:safeguards?|safety|guardrails?|restrictions?|filters?"
            r"|moderation)(?: \w+)? (?:are|is) (?:now )?(?:suspended|deactivated|disabled|lifted|off"
            r"|waived)\b",
        ),
        (
            "content policy & deactivated|disabled|off|suspended",
            r"\bcontent policy (?:deactivated|disabled|suspended|off)\b",
        ),
        (
            "guidelines|policy|restrictions|rules & from",
            r"\b(?:exempt|free) from (?:its|your|their|all) (?:usual |own )?(?:restrictions|rules|policy"
            r"|guidelines)\b",
        ),
        (
            "you may now & moderation|the rules|verification",
            rf"\byou may now {IN}{{0,30}}\bskip (?:moderation|verification|the rules)\b",
        ),
        # A part to play, in the languages of Europe.
        (
            "bez|ohne|sans|sem|senza|sin|zonder|без",
            r"\b(?:du bist|tu es|vous etes|eres|eres ahora|voce (?:agora )?e|sei|je bent|jestes|ты"
            r"|вы)\b[^.!?\n]{0,40}\b(?:ohne|sans|sin|sem|senza|zonder|bez|без)\b[^.!?\n]{0,12}\b(?:regeln"
            r"|einschrankungen|grenzen|filter|regles?|restrictions|limites|reglas|restricciones|regras"
            r"|restricoes|regole|restrizioni|limiti|regels|beperkingen|zasad|ograniczen|правил"
            r"|ограничении)\b",
        ),
        (
            "as the & are|have|must|should",
            r"\bas the (?:summari[sz]er|reviewer|grader|model|ai|assistant|verifier)[,:]? you (?:are|must"
            r"|should|have)\b",
        ),
        (
            "instruction|message|note",
            r"\b(?:hidden |secret )?(?:instruction|message|note)s? (?:for|to) (?:the |any |all |every "
            # Agents can be people, who are told news; machines are given orders.
            rf")?{AI}(?<!note for the agent)(?<!note for agents)(?<!note for agent)\s?:",
        ),
        (
            "agent|assistant & instruction|message|note",
            r"\b(?:instruction|message|note)s? (?:for|to) (?:the |any |all |every )?(?:agents?|assistants?)\s?: "
            rf"(?:please |you |now |{DO}\b|do not |don't |never |always |only |ignore|disregard|forget|bypass)",
        ),
        (
            ", your & answer|message|output|reply|response",
            rf"\b{AI}, your (?:next|final|only) (?:output|answer|reply|response|message)\b",
        ),
        (
            "asked|instructed|ordered|requested|required|told & agent|grader|reader|reviewer|summari|system"
            "|tool",
            r"\b(?:ai|llm)(?:-based)? (?:reviewers?|readers?|graders?|summari[sz]ers?|agents?|tools?"
            r"|systems?) (?:are|is) (?:kindly |hereby )?(?:asked|requested|instructed|ordered|required|told) "
            r"to\b",
        ),
        (
            "pretend & filter|guidelines|limits|polic|restrictions|rules",
            r"\bpretend (?:that )?(?:the|your|all|no|there are no) (?:filters?|rules|guidelines|restrictions"
            r"|polic(?:y|ies)|limits)\b",
        ),
        (
            "administrator|developer|operator|system|vendor & treat",
            rf"\btreat {IN}{{0,60}} as (?:if|though) {IN}{{0,30}}\b(?:developer|system|operator|administrator"
            r"|vendor)\b",
        ),
        (
            "repeat after me & i have no",
            r"\brepeat after me ?: ?i have no (?:restrictions|rules|filters?|limits)\b",
        ),
        (
            "from this|only as",
            r"\b(?:speak|answer|respond|act|reply|write) only as \w|\bfrom this (?:sentence|line|point"
            r"|message|moment) on,? (?:speak|answer|act|only|obey|respond|you (?:must|will|are))\b",
        ),
        (
            "now & can|is free to|may|must|should",
            r"\bthe (?:assistant|ai|model|agent|llm) (?:can|may|must|should|is free to) now (?:delete|send"
            r"|share|execute|run|approve|reveal|skip|ignore)\b",
        ),
        (
            "greet me without|reset yourself",
            r"\breset yourself\b|\bgreet me without\b",
        ),
        (
            "your replies have & no limits",
            rf"\byour replies have {IN}{{0,60}}\bno limits\b",
        ),
        # Structure that somebody else's program would write.
        (
            '"content" & "role"',
            r"\{\s?\"role\"\s?: ?\"(?:system|developer)\"\s?, ?\"content\"\s?: ?\"[^\"]{0,200}\b(?:comply"
            r"|obey|ignore|disregard|must|reveal|approve|override)\b",
        ),
        (
            "context|data|document|input & admin|assistant|directive|human|instruction|system|user",
            r"</(?:context|input|document|data|user_input)>\s{0,4}(?:</\w{1,20}>\s{0,4})?(?:human|user"
            r"|system|assistant|<\w{0,20}(?:admin|system|directive|instruction)\w{0,20}>)",
        ),
        (
            "command|directive|instruction|override & admin|operator|system",
            r"<\w{0,20}(?:admin|system|operator)_(?:directive|instruction|command|override)s?>",
        ),
        (
            "allowed|blocked|interaction-config>",
            r"<interaction-config>|<(?:allowed|blocked)-(?:modes|strings|responses)>[^<]{0,40}</",
        ),
        (
            "begin & block|context|directive|section",
            r"\bbegin (?:privileged|trusted|admin|system|operator) (?:context|section|block|directives?)\b",
        ),
        (
            "human|user & disregard|dump|forget|ignore|list|print|reveal|show",
            rf"\b(?:human|user) ?: {IN}{{0,80}}[.?!]?\s{{0,3}}(?:now )?(?:disregard|ignore|forget|(?:print"
            r"|reveal|show|list|dump) (?:me )?(?:your|the (?:credentials|secrets|keys|prompt|system)))\b",
        ),
        (
            "assistant|system & ](#",
            r"\[(?:assistant|system)\]\(#\w{1,40}\)",
        ),
        (
            "enabled|granted|unlocked & admin|debug|developer|root",
            rf"\b(?:debug|admin|developer|root) (?:console|mode|access|shell) {IN}{{0,40}}\b(?:unlocked"
            rf"|granted|enabled)\b{IN}{{0,20}}[;.,] ?(?:dump|print|reveal|list|show)\b",
        ),
        (
            "access|privileges|rights & admin|full|root",
            r"\b(?:the reader|you|this assistant) (?:has|have) (?:administrator|admin|root|full) (?:rights"
            r"|access|privileges)\b(?! to (?:the|this|our) (?:repositor|project|wiki|folder|calendar|board"
            r"|drive))",
        ),
    ),
}
