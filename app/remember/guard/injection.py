"""Does a text try to instruct the model that may read it? Pure, deterministic, linear in the length."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.remember.guard.disguise import decoded_texts, is_hiding, orders_decoding, respelt_texts, unescape
from app.remember.guard.folding import fold, replace_lookalikes
from app.remember.guard.hidden import hidden_texts, wants_something
from app.remember.guard.kinds import find_kind
from app.remember.guard.markup import find_structure
from app.remember.guard.mentions import remove_mentions
from app.remember.guard.phrases import EXPLANATIONS, find_phrase, is_addressed_to_models
from app.remember.guard.squeezed import find_squeezed
from app.remember.guard.transcripts import speaks_in_roles
from app.remember.guard.unspaced import find_unspaced

_EXPLANATIONS: Final = EXPLANATIONS | {
    "chat_template": "holds control tokens of a chat template",
    "hidden_markup": "speaks to a model where no reader sees it",
    "hidden_characters": "holds invisible or direction-changing characters that hide text",
    "encoded_instruction": "decodes to text that speaks to a model",
}


# Above it, hidden texts are read several at a time.
_MOST_HIDDEN: Final = 24


@dataclass(frozen=True, slots=True)
class Injection:
    """Why a text is held: a class and a sentence about it, nothing of the text."""

    kind: str

    @property
    def reason(self) -> str:
        return f"{self.kind}: {_EXPLANATIONS[self.kind]}"


def find_injection(text: str) -> Injection | None:
    """Return why this text must not reach a model as it is, or None.

    The plainest reading is tried first, so that the class names what a reviewer sees most easily.
    """
    folded = fold(text)
    kind = _read(folded) or _read_disguised(text, folded)
    return None if kind is None else Injection(kind)


def _read(folded: str) -> str | None:
    kind = _read_plainly(folded) and _read_plainly(remove_mentions(folded))
    if kind is None and any(map(_is_aimed, _gather(hidden_texts(folded)))):
        return "hidden_markup"
    return kind


def _gather(hidden: Iterable[str]) -> list[str]:
    """Return the different texts. Of very many, several become one: each costs the same, however short it is."""
    texts = [*dict.fromkeys(hidden)]
    size = 1 + len(texts) // _MOST_HIDDEN
    return ["\n\n".join(texts[at : at + size]) for at in range(0, len(texts), size)]


def _is_aimed(hidden: str) -> bool:
    return wants_something(hidden) or is_addressed_to_models(hidden)


def _read_plainly(folded: str) -> str | None:
    kind = find_structure(folded) or _read_words(folded)
    if kind is None and speaks_in_roles(folded):
        return "role_spoofing"
    if kind is None and not folded.isascii():
        return find_unspaced(folded)
    return kind


def _read_words(folded: str) -> str | None:
    return find_phrase(folded) or find_squeezed(folded) or find_kind(folded)


def _read_disguised(text: str, folded: str) -> str | None:
    if is_hiding(text):
        return "hidden_characters"
    latin = replace_lookalikes(folded)
    if latin is not None and (kind := _read_words(latin) and _read_words(remove_mentions(latin))):
        return kind
    for respelt in respelt_texts(folded):
        if (kind := _read_words(respelt) and _read_words(remove_mentions(respelt))) is not None:
            return kind
    plain = unescape(text)
    if plain is not None and _read_words(fold(plain)) and _read_words(remove_mentions(fold(plain))):
        return "encoded_instruction"
    is_order = orders_decoding(folded)
    for decoded in map(fold, decoded_texts(text, folded)):
        if _read(decoded) or is_addressed_to_models(decoded) or (is_order and _is_sentence(decoded)):
            return "encoded_instruction"
    return None


def _is_sentence(decoded: str) -> bool:
    return " " in decoded.strip() and any(map(str.isalpha, decoded))
