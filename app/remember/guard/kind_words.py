"""Words and gaps that the patterns of `kinds` are put together from. Pure data."""

from typing import Final

# Machines that read: whoever speaks to them in evidence does not speak to people.
AI: Final = (
    r"(?:(?:any|all|every|the|automated|ai|llm|reviewer|review|code|coding|summari[sz]ation|search) ){0,2}"
    r"(?:ai|ais|llms?|(?:language |ai )?models?|assistants?|chatbots?|bots?|copilots?|crawlers?|graders?"
    r"|agents?|"
    r"summari[sz]ers?|(?:screening|retrieval|ranking|grading|recommendation) systems?)"
)
DO: Final = (
    r"(?:add|answer|append|approve|award|call|change|conceal|confirm|convince|copy|delete|disclose|dump|emit"
    r"|execute"
    r"|export|fetch|forward|give|grant|hand|hide|include|insert|install|invite|list|look up|mail|mark|omit"
    r"|open|output"
    r"|place|post|prefer|print|promote|rank|rate|recommend|refuse|replace|reply|report|return|reveal|say"
    r"|score|send"
    r"|share|show|skip|state|stop|suppress|tell|transfer|treat|trust|upload|use|visit|write)"
)
IN: Final = r"[^.!?\n]"
