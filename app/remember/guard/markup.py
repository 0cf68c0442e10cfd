"""Markup that models take for structure: control tokens of templates, role headers, tags of tool calls. Pure.

Each pattern is bounded and starts at a rare character, so that reading stays linear.
"""

import re
from typing import Final

_CHAT_TOKEN: Final = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|channel|message"
    r"|tool\w{0,9}"
    r"|begin_of_text|start|python_tag|fim_(?:prefix|middle|suffix)|end_of_turn)\|>"
    r"|<\|(?:endoftext|end)\|>\s{0,9}(?:<\|endoftext\|>\s{0,9}[a-z]|(?:system|user|assistant|human)\s{0,3}:)"
    r"|\[inst\]|<</?sys>>|<(?:start|end)_of_turn>|</?s>\s{0,3}<s>"
)
_ROLE_SIGNS: Final = ("system", "developer", "sys", "<admin", "<assistant", "# instruction", "user in")
_CHAT_SIGNS: Final = ("|>", "[inst]", "sys>>", "_of_turn>", "<s>")
_TOOL_TAG: Final = re.compile(
    r"<(?:tool_call|tool_result|tool_response|tool_use|function_calls?|function_results?)>|<invoke name="
    r"|<function=|\"tool_calls\"\s{0,9}:\s{0,9}\[\s{0,9}\{[^\]]{0,200}\"name\"\s{0,4}:\s{0,4}\"\w{0,20}"
    r"(?:delete|drop|send|mail|exec|shell|bash|grant|approve|transfer|pay|admin|forget|erase|remember|store)"
)
_ROLE_TAG: Final = re.compile(
    r"<(?:system|system[_-]prompt|system[_-]message|developer|admin|assistant)>"
    # A word or a name between tags is data, and a tag that a sentence is about is not opened.
    r"(?!\s{0,4}(?!approve|ignore|obey|accept|confirm|comply|reveal|override|allow|grant)"
    r"[\w.@-]{1,20}(?: [\w.@-]{1,20})?\s{0,4}</)(?! (?:is|are|was) (?:no|not|the|an?|how)\b)\s{0,9}\w"
    r"|^ {0,3}#{1,6} {0,3}system ?:"
    r"|^ {0,3}#{1,6} {0,3}instructions? ?:[^#]{0,2000}#{1,6} {0,3}(?:response|answer) ?:"
    r"|\[system (?:override|notice)\b"
    r"|\b(?:begin|end of|start of|end|new) (?:system|user|developer) (?:instructions?|prompt|input|message)\b"
    r"[^\n]{0,40}(?::(?! (?:see|in|cf)\b)|---|===|system)",
    re.MULTILINE,
)
_ROLE_LINE: Final = re.compile(
    r"^[^\w\n]{0,6}(?:(?:urgent|important|new) )?"
    r"(?:(?:system|developer)(?: (?:message|prompt|notice|note|override|update))?|sys)"
    r" ?[:\]>=-][^\w\n]{0,6}([^\n]{0,400})",
    re.MULTILINE,
)
_ROLE_LINE_SAYS: Final = re.compile(
    r"\byou (?:are|obey|should|can|must(?! (?:run|install|set|build|restart|update|reboot|migrate)\b)"
    r"|have (?:to|no|full|been|root|admin)|will (?!need|find|see|receive|get|be (?:asked|logged|charged)))\b"
    r"|\b(?:ignore|disregard|approve|override|obey|reveal|execute|output|pretend)\b|\bpolicy:"
    r"|\b(?:is|are) (?:now )?(?:trusted|an administrator|admin|verified|authoritative)\b|\bact on\b|\bgrant\b"
    r"|\b(?:the )?(?:assistant|ai|model|agents?) (?:must|should|will)\b|\bnew policy\b|\bauthority\b"
    r"|\bmust be sent\b"
    r"|\bfrom now on you\b|\b(?:reply|respond|answer|say) (?:only |with )?[\"']?(?:approved|confirmed"
    r"|accepted|entailed)\b"
)
_COMPLIANCE: Final = re.compile(
    r"(?:^|[.!?>] {0,3})(?:assistant|ai|bot)\s{0,3}:\s{0,3}"
    r"(?:sure|of course|understood|okay|ok|certainly|yes|absolutely)\b"
    r"[^\n]{0,120}\b(?:ignore|reveal|secrets?|keys?|passwords?|prompt|my rules|restrictions)\b",
    re.MULTILINE,
)
_IMAGE_LEAK: Final = re.compile(
    r"!\[[^\]\n]{0,200}\]\([^)\s?]{1,300}\?[^)\n=]{0,100}=[^)\n]{0,300}?[{\[<][^)\n]{0,40}?"
    r"(?:conversation|secret|data|prompt|history|memor|context|keys?|token|password|insert)"
)


def find_structure(folded: str) -> str | None:
    """Return the class of the structure that the text imitates, or None."""
    if any(sign in folded for sign in _CHAT_SIGNS) and _CHAT_TOKEN.search(folded):
        return "chat_template"
    if ("<" in folded or '"tool_calls"' in folded) and _TOOL_TAG.search(folded):
        return "tool_spoofing"
    if any(sign in folded for sign in _ROLE_SIGNS) and (
        _ROLE_TAG.search(folded) or _speaks_for_system(folded)
    ):
        return "role_spoofing"
    if ("assistant" in folded or "ai" in folded or "bot" in folded) and _COMPLIANCE.search(folded):
        return "role_spoofing"
    if "![" in folded and _IMAGE_LEAK.search(folded):
        return "secret_extraction"
    return None


def _speaks_for_system(folded: str) -> bool:
    return any(_ROLE_LINE_SAYS.search(line[1]) for line in _ROLE_LINE.finditer(folded))
