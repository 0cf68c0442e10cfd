"""Text that talks about attacks quotes them: such quotations are not read as speech. Pure.

Only a short quotation is taken out, and only of a line whose other words describe. Who hides an instruction
like that gains little: it is stored as evidence that quotes, which the verifier does not take for a statement.
"""

import re
from typing import Final

_QUOTATION: Final = re.compile(
    '"[^"\n]{1,160}"|`[^`\n]{1,160}`|“[^”\n]{1,160}”|„[^“”\n]{1,160}[“”]|«[^»\n]{1,160}»|「[^」\n]{1,160}」'
    r"|(?<!\w)'[^'\n]{1,160}'(?!\w)"
)
_DESCRIBES: Final = re.compile(
    r"\b(?:attack(?:s|er|ers)?|inject(?:ion|ions|ed)|jailbreaks?|phrases?|wording|detect(?:s|ed|or|ion)?|hostile"
    r"|payloads?|adversar\w{2,6}|blocks|blocked|blocklist|filters?|quarantin\w{1,5}|regex|pattern|patterns|assert"
    r"|classify|known|red[- ]?team\w{0,4}|test (?:suite|case|cases|lines?)|malicious|prompt injections?"
    r"|angriffe?|攻撃|攻击)\b"
)
_DESCRIBES_TOKENS: Final = re.compile(
    r"\b(?:tokens?|tags?|wraps?|strips?|stripped|escapes?|markers?|delimiters?|templates?|special|chatml|attack\w*)\b"
)
# What follows a token of a chat template where the template is used, not described.
_TOKEN: Final = re.compile(r"<\|[a-z_]{2,20}\|>|\[/?inst\]|</?[a-z_]{4,20}>")
_LONGEST_MENTION: Final = 400


def remove_mentions(folded: str) -> str:
    """Return the folded text without quotations on lines that describe, and without tokens that are described."""
    if not _DESCRIBES.search(folded) and not _DESCRIBES_TOKENS.search(folded):
        return folded
    return "\n".join([_remove_from_line(line) for line in folded.split("\n")])


def _remove_from_line(line: str) -> str:
    if len(line) > _LONGEST_MENTION:
        return line
    outside = _QUOTATION.sub(" … ", line)
    if _DESCRIBES.search(outside):
        line = outside
    if _DESCRIBES_TOKENS.search(outside) and not _FILLED_TOKEN.search(line):
        line = _TOKEN.sub(" … ", line)
    return line


_FILLED_TOKEN: Final = re.compile(
    r"\|>\s*(?:system|user|assistant|developer|tool)\b|\[inst\]\s*\w+\s+\w+\s+\w|<\|im_end\|>"
)
