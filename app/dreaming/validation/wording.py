"""Whether a statement or rationale may be shown: not blank, not long, free of ids, and hedged. Pure."""

import re
import unicodedata

from app.kernel.ids import ID_ANYWHERE
from app.ledger.predicates.phrases import is_hedged
from app.llm.words import is_unseen

MAX_TEXT_LENGTH = 1_000

_OUR_ID = re.compile(ID_ANYWHERE.pattern, re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def find_statement_fault(statement: str) -> str | None:
    """Return why the statement cannot be shown, or None. A statement must hedge: it is a possibility."""
    if fault := find_text_fault(statement):
        return f"the statement {fault}"
    return None if is_hedged(statement) else "the statement does not hedge"


def find_rationale_fault(rationale: str) -> str | None:
    """Return why the rationale cannot be shown, or None. It states recorded facts, so it need not hedge."""
    fault = find_text_fault(rationale)
    return f"the rationale {fault}" if fault else None


def find_text_fault(text: str) -> str | None:
    """Return what is wrong with a text, or None: blank (no letter or digit), over 1 000 code points, or it
    names an id of ours or a UUID in any case, also in full width or with invisible characters inside."""
    if len(text) > MAX_TEXT_LENGTH:
        return f"is longer than {MAX_TEXT_LENGTH} characters"
    if not any(character.isalnum() for character in text):
        return "is blank"
    visible = "".join(character for character in text if not is_unseen(character))
    folded = unicodedata.normalize("NFKC", visible)
    return "names an id" if _OUR_ID.search(folded) or _UUID.search(folded) else None
