"""Does a text try to instruct the model that may read it? Pure, deterministic, linear in the length."""

import re
from dataclasses import dataclass
from typing import Final

from app.remember.guard.disguise import decoded_texts, is_hiding, unescape
from app.remember.guard.folding import fold, replace_lookalikes
from app.remember.guard.kinds import find_kind
from app.remember.guard.markup import find_structure, hidden_texts
from app.remember.guard.mentions import remove_mentions
from app.remember.guard.phrases import EXPLANATIONS, find_phrase, is_addressed_to_models
from app.remember.guard.squeezed import find_squeezed

_EXPLANATIONS: Final = EXPLANATIONS | {
    "chat_template": "holds control tokens of a chat template",
    "hidden_markup": "speaks to a model where no reader sees it",
    "hidden_characters": "holds invisible or direction-changing characters that hide text",
    "encoded_instruction": "decodes to text that speaks to a model",
}
# Scripts without spaces between words: forget, before, instruction, in either order.
_DROP_CJK: Final = "忽略|无视|無視|忘记|忘れ|忘掉|不要遵守|従わない"
_UNSPACED_RULES: Final = (
    f"(?:{_DROP_CJK})[^。\n]{{0,12}}(?:指令|指示|命令|提示词|规则|規則)"
    f"|(?:以前|これまで|今まで|上記|前)の[^。\n]{{0,6}}(?:指示|命令|ルール)[^。\n]{{0,8}}(?:{_DROP_CJK})"
    "|(?:输出|显示|透露|表示)[^。\n]{0,8}(?:系统提示词|システムプロンプト)"
    "|システムプロンプトを(?:表示|出力|教え)"
    "|(?:指示|命令|ルール)を(?:すべて|全て)?(?:無視|忘れ)"
)
_UNSPACED: Final = re.compile(fold(_UNSPACED_RULES))


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
    if kind is None and any(is_addressed_to_models(hidden) for hidden in hidden_texts(folded)):
        return "hidden_markup"
    return kind


def _read_plainly(folded: str) -> str | None:
    kind = find_structure(folded) or _read_words(folded)
    if kind is None and not folded.isascii() and _UNSPACED.search(folded):
        return "instruction_override"
    return kind


def _read_words(folded: str) -> str | None:
    return find_phrase(folded) or find_squeezed(folded) or find_kind(folded)


def _read_disguised(text: str, folded: str) -> str | None:
    if is_hiding(text):
        return "hidden_characters"
    latin = replace_lookalikes(folded)
    if latin is not None and (kind := _read_words(latin) and _read_words(remove_mentions(latin))):
        return kind
    plain = unescape(text)
    if plain is not None and _read_words(fold(plain)) and _read_words(remove_mentions(fold(plain))):
        return "encoded_instruction"
    for decoded in map(fold, decoded_texts(text, folded)):
        if _read(decoded) or is_addressed_to_models(decoded):
            return "encoded_instruction"
    return None
