"""Cutting text into tokens so that a name matches on token boundaries only.

Pure. White space ends a token. Brackets, quotation marks and sentence punctuation at the edge of a chunk
are tokens of their own; inside a chunk they join it ("C++", ".NET", "a/b", "don't", "anyio[trio]"). A CJK
character, and a run of symbols such as an emoji, is a token of its own.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_OPENING = frozenset("([{<\"'`*“‘«‹„")
_CLOSING = frozenset(".,;:!?)]}>\"'`*”’»›…")
_ALWAYS_ALONE = frozenset("—–…。．，、；：！？（）「」『』【】《》“”«»")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_LOOKALIKE_SCRIPTS = frozenset({"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH"})
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f\u20e3")
# Scripts that are written without spaces between words: each character stands alone.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x3FFFF),
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its place in the content, its text as written, and its folded form for comparison."""

    start: int
    end: int
    text: str
    folded: str

    @property
    def is_word(self) -> bool:
        return any(character.isalnum() for character in self.text)


def tokenize(content: str, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """Return the tokens of `content[start:end]` in order, with offsets into the content."""
    stop = len(content) if end is None else end
    tokens: list[Token] = []
    position = start
    while position < stop:
        if content[position].isspace():
            position += 1
            continue
        chunk_end = position
        while chunk_end < stop and not content[chunk_end].isspace():
            chunk_end += 1
        _cut_chunk(content, position, chunk_end, tokens)
        position = chunk_end
    return tuple(tokens)


@lru_cache(maxsize=4096)
def name_tokens(name: str) -> tuple[str, ...]:
    """Return the folded tokens that a name must match; empty when it holds nothing to recognise it by."""
    tokens = tokenize(name)
    if not any(token.is_word or _is_symbol(token.text[0]) for token in tokens):
        return ()
    return tuple(token.folded for token in tokens)


def fold(text: str) -> str:
    """Return the text for comparison: composed, case folded, with straight apostrophes."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).replace("\u2019", "'")


def is_plain_script(text: str) -> bool:
    """Whether every letter is Latin, at most with an accent, and nothing in the text is invisible.

    A Cyrillic letter in "n\u043et", a zero-width sign or a combining stroke can hide a word from the lists.
    """
    return all(
        character.isascii() or not (character.isalnum() or unicodedata.category(character)[0] in "CM")
        for character in without_accents(text)
    )


def without_accents(text: str) -> str:
    """Return the text without the accents that composed letters carry: é → e."""
    return "".join(
        unicodedata.normalize("NFD", character)[0] if character.isalpha() else character
        for character in unicodedata.normalize("NFC", text)
    )


def mixes_scripts(text: str) -> bool:
    """Whether the word has Latin letters beside Greek or Cyrillic ones, or an invisible sign among them."""
    text = unicodedata.normalize("NFC", text)
    scripts = {unicodedata.name(character, "").partition(" ")[0] for character in text if character.isalpha()}
    is_hidden = any(unicodedata.category(character) in ("Cf", "Mn") for character in text)
    return "LATIN" in scripts and (bool(scripts & _LOOKALIKE_SCRIPTS) or is_hidden)


def _cut_chunk(content: str, start: int, end: int, tokens: list[Token]) -> None:
    """Cut a chunk without white space at symbols, unspaced scripts and lone punctuation, then peel each piece."""
    position = start
    while position < end:
        kind = _kind(content[position])
        stop = position + 1
        if kind in ("word", "symbol"):
            while stop < end and (_kind(content[stop]) == kind or _attaches(content[stop])):
                stop += 1
        else:
            while stop < end and _attaches(content[stop]):
                stop += 1
        if kind == "word":
            _peel(content, position, stop, tokens)
        else:
            tokens.append(_token(content, position, stop))
        position = stop


def _peel(content: str, start: int, end: int, tokens: list[Token]) -> None:
    """Append the piece with its leading and trailing punctuation as separate tokens."""
    while start < end and content[start] in _OPENING and not _opens_number(content, start, end):
        tokens.append(_token(content, start, start + 1))
        start += 1
    trailing: list[Token] = []
    while end > start and content[end - 1] in _CLOSING and not _is_paired(content, start, end):
        trailing.append(_token(content, end - 1, end))
        end -= 1
    if start < end:
        tokens.append(_token(content, start, end))
    tokens.extend(reversed(trailing))


def _opens_number(content: str, start: int, end: int) -> bool:
    """Whether "<" begins a version constraint ("<4") rather than a bracket."""
    return content[start] == "<" and start + 1 < end and content[start + 1] in "=0123456789"


def _is_paired(content: str, start: int, end: int) -> bool:
    """Whether the last character closes a bracket that opens inside the piece: "f(x)", "anyio[trio]"."""
    opener = _PAIRS.get(content[end - 1])
    return opener is not None and opener in content[start : end - 1]


def _token(content: str, start: int, end: int) -> Token:
    text = content[start:end]
    return Token(start, end, text, fold(text))


def _kind(character: str) -> str:
    if character in _ALWAYS_ALONE:
        return "alone"
    if _is_unspaced(character):
        return "unspaced"
    return "symbol" if _is_symbol(character) else "word"


def _is_unspaced(character: str) -> bool:
    code = ord(character)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)


def _is_symbol(character: str) -> bool:
    return ord(character) > 0xFF and (
        unicodedata.category(character) in ("So", "Co") or 0x1F3FB <= ord(character) <= 0x1F3FF
    )


def _attaches(character: str) -> bool:
    return (
        character in _JOINERS or 0x1F3FB <= ord(character) <= 0x1F3FF or unicodedata.combining(character) != 0
    )
