"""The words that the rules know, each in one class. Pure.

A class is a role in a sentence, in whatever language: the rules in `phrases` combine classes, so that a new
word widens every rule that names its class. Where two rules need a word in different company, it has a class of
its own.
"""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.folding import fold

CLASSES: Final[Mapping[str, str]] = {
    "drop": """ignore ignoring disregard disregarding forget override overriding overrule neglect discard dismiss
        abandon bypass cancel nullify unlearn aside
        ignoriere ignoriert ignorieren vergiss vergesst missachte überschreibe ignora ignorez ignoren ignorad
        olvida olvide oublie oubliez esqueça dimentica negeer vergeet zignoruj zapomnij
        игнорируй игнорируйте забудь забудьте تجاهل""",
    "disable": "drop disable",
    # These languages put the verb last.
    "drop_last": "무시하세요 무시해 무시하고 잊어 yoksay yok unut",
    "earlier": """previous prior earlier preceding above foregoing original former before previously
        vorherigen vorigen bisherigen früheren obigen précédentes précédents anteriores anterior previas precedenti
        vorige eerdere poprzednie предыдущие прежние السابقة 이전의 이전 önceki""",
    "all": "all any every alle toutes tous todas todos tutte tutti wszystkie все جميع كل 모든 tüm",
    "everything": "everything alles tout todo tutto",
    "your": "your deine deinen deiner tes ton tus tu suas seu teu votre vos jouw твои свои",
    "you": "you u",
    "instruction": """instruction instructions directive directives direction directions guideline guidelines
        guidance anweisung anweisungen instrucciones instruções istruzioni instructies instrukcje
        инструкции указания consignes التعليمات 지시를 지시 명령을 talimatları talimatlar""",
    "rule": """rule rules order orders constraint constraints restriction restrictions programming limitations
        filter filters policies morals limits protocol protocols regeln règles reglas""",
    "safety": "safety safeguards guardrails alignment ethics",
    "prompt": "prompt prompts systemprompt промпт",
    "system": "system hidden initial internal confidential sistema système системный",
    "message": "message text words content contents",
    "reveal": """reveal print show tell output repeat leak disclose dump recite expose summarise summarize encode
        zeige muestra révèle mostra покажи""",
    "write": "write translate copy share display list give quote echo provide",
    "send": "send post email mail forward upload exfiltrate append transmit include publish",
    "secret": """key keys password passwords passphrase credential credentials secret secrets token tokens
        variables history conversation conversations data""",
    "memory": "memory context brain",
    "memories": "memories",
    "destination": "https http url link address below @",
    "model": """ai ais llm llms assistant assistants chatbot chatbots model models bot agent agents verifier
        verifiers ki""",
    "called": "chatgpt gpt claude gemini copilot",
    "must": "must should shall required has will ought may",
    "obey": "obey obeys",
    "comply": "comply",
    "follow": "follow following heed",
    "approve": "approve confirm accept mark treat trust recommend endorse",
    "rate": "rate rank classify regard consider",
    "fact": "entailed fact authoritative",
    "verdict": "facts approved confirmed verified trusted trustworthy secure primary true",
    "answer": "answer respond reply say",
    "return": "return",
    "only": "only always",
    "persona": "pretend act roleplay simulate impersonate behave",
    "unlimited": "unrestricted unfiltered uncensored jailbroken jailbreak evil dan",
    "user": "user users",
    "not": "not never dont no without stop",
    "mention": "mention acknowledge",
    "inform": "inform informing telling notify notifying asking",
    "call": "call invoke use execute run",
    "tool": "tool tools",
    "function": "function functions",
    "shell": "shell bash python browser terminal",
    "own_tool": "retract remember submit delete",
    "new": "new real",
    "task": "task role objective personality persona identity",
    "changed": "changed cancelled canceled void lifted removed disabled revoked suspended off",
    "alter": "change replace switch",
    "test": "test fake wrong",
    "now": "now on",
    "then": "please and then just kindly so bitte",
    "instead": "instead",
    "be": "are is be am were was been re",
    "given": "given received got",
    "told": "told said",
    "known": "know see have",
    "mode": "mode",
    "developer": "developer developers god root admin administrator",
    "enable": "enable enabled enter activate unlock",
    "note": "note memo",
    "hail": "attention dear hey hello hi",
    "to": "to for",
    "read": "read reading processing process parsing seeing",
    "if": "if when whenever",
    "what": "what",
    "ask": "ask asks asked",
    "future": "future",
    "save": "save store memorise memorize update",
    "forever": "permanently forever",
    "keep": "keep",
    "claim": "hypothesis hypotheses claim claims relationship relationships candidate candidates",
    "confidence": "confidence verdict",
    "decode": "decode decipher decrypt",
    "do": "do",
    "refuse": "refuse refuses",
    "outrank": "supersede supersedes precedence outranks",
    "delete": "erase wipe destroy",
    "this": "this that it next",
    "grandmother": "grandmother grandma",
    "longer": "longer",
    "bound": "bound restricted constrained",
    "request": "request",
    "result": "result results",
    "review": "review verification checking checks evidence",
    "of": "of",
    "i": "i",
}
# One character for each class, so that a text becomes a string and a rule a regular expression.
SIGNS: Final[Mapping[str, str]] = {name: chr(0x4E00 + index) for index, name in enumerate(CLASSES)}
SIGN_OF_WORD: Final[Mapping[str, str]] = {
    fold(word): SIGNS[name] for name, words in CLASSES.items() for word in words.split()
}
_VOWELS: Final = str.maketrans("", "", "aeiouy")
_MISSPELT: Final = ("ignore", "disregard", "previous", "instruction", "instructions", "prompt")


def skeleton(word: str) -> str:
    """Return what remains of a word when letters are swapped or doubled, or vowels lost."""
    return word[0] + "".join(sorted(set(word.translate(_VOWELS))))


SIGN_OF_SKELETON: Final[Mapping[str, str]] = {skeleton(word): SIGN_OF_WORD[word] for word in _MISSPELT}
