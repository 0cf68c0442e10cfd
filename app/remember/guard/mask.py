"""Secrets are written over where they stand, with as many code points, so that every span stays valid. Pure."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from app.remember.guard.json_names import names_below
from app.remember.guard.placeholders import is_no_word
from app.remember.guard.secret_formats import MASK, find_formats
from app.remember.guard.secret_names import kind_of_value
from app.remember.guard.secrets import Secret, find_secrets

_SHORTEST_REPEATED: Final = 6
# Far more than anybody states by accident; a bound, so that looking for all of them everywhere stays cheap.
_MOST_REPEATED: Final = 256
# More than any text has needed; a bound, so that no text can be made that is read over and over.
_MOST_ROUNDS: Final = 24


@dataclass(frozen=True, slots=True)
class MaskedText:
    """The text as it may be stored, and how many secrets of each kind were in it."""

    text: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MaskedJson:
    """The JSON value as it may be stored, and how many secrets of each kind were in it."""

    value: object
    counts: Mapping[str, int]


class KnownSecrets:
    """Values that were secrets somewhere in a submission: they are secrets wherever else they stand in it.

    `password = swordfish` gives a value away that nobody would know again in the name of an entity. Lives for one
    submission; never stored, never printed.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._texts: list[str] = []
        self._clean: set[str] = set()

    def learn(self, text: str) -> None:
        """Keep the values of the secrets that this text gives away."""
        self._texts.append(text)
        found = find_secrets(text)
        if not found:
            self._clean.add(text)
        for secret in found:
            self._keep(text[secret.start : secret.end], secret.kind)

    def learn_json(self, value: object) -> None:
        """Keep the values of the secrets in any string, and under any key that names one."""
        for names, one in _pairs_in(value):
            self.learn_named(names, one)
            self.learn(one)

    def learn_named(self, names: Iterable[str], value: str) -> None:
        """Keep the value if one of these names of it names a secret."""
        kind = kind_of_any(names, value)
        if kind is not None:
            self._keep(value, kind)

    def repeated(self) -> "RepeatedSecrets":
        """Return the values that stand more than once in what was learnt from."""
        everything = "\0".join(self._texts)
        return RepeatedSecrets(
            tuple(
                (_pattern(value), value, kind)
                for value, kind in sorted(self._kinds.items(), key=lambda item: -len(item[0]))
                if everything.count(value) > 1
            ),
            frozenset(self._clean),
        )

    def _keep(self, value: str, kind: str) -> None:
        # A word that is somebody's password is still a word wherever else it stands.
        if len(value) < _SHORTEST_REPEATED or MASK in value or not is_no_word(value):
            return
        # What its own form gives away is found wherever it stands.
        if len(self._kinds) < _MOST_REPEATED and not any(find_formats(value)):
            self._kinds.setdefault(value, kind)


@dataclass(frozen=True, slots=True)
class RepeatedSecrets:
    """What to look for in each text of a submission, longest value first, and the texts that hold nothing else."""

    values: tuple[tuple[re.Pattern[str], str, str], ...] = field(default=(), repr=False)
    clean: frozenset[str] = field(default=frozenset(), repr=False)


NONE_REPEATED: Final = RepeatedSecrets()


def mask_text(text: str, repeated: RepeatedSecrets = NONE_REPEATED) -> MaskedText:
    """Return the text with each secret written over, code point for code point; line ends stay.

    Masking a masked text changes nothing.
    """
    counts: Counter[str] = Counter()
    masked = text
    for pattern, value, kind in repeated.values:
        if value in masked:
            masked, count = pattern.subn(_cover(value), masked)
            counts[kind] += count
    if masked == text and text in repeated.clean:
        return MaskedText(text, {})
    # What is masked can change how its surroundings read, so reading goes on until nothing is found.
    for _ in range(_MOST_ROUNDS):
        secrets = _uncovered(masked)
        if not secrets:
            break
        counts.update(secret.kind for secret in secrets)
        masked = _write_over(masked, secrets)
    return MaskedText(masked, +counts)


def mask_json(value: object, repeated: RepeatedSecrets = NONE_REPEATED) -> MaskedJson:
    """Return the JSON value with secrets masked in every string and key, at any depth.

    A string or a number under a key that names a secret is masked whole. Keys that are the same once masked get a
    number, so that no value is lost.
    """
    counts: Counter[str] = Counter()
    # Not recursive: how deep a client may nest is decided elsewhere, and this must survive what is refused there.
    root: list[object] = [None]
    # A list with an index or a dict with a key; then that key as it was and as it is now, for a secret in it may
    # hide the name behind it.
    waiting: list[tuple[object, Any, Any, tuple[str, ...]]] = [(value, root, 0, ())]
    while waiting:
        one, parent, place, names = waiting.pop()
        if isinstance(one, Mapping):
            copy: dict[str, object] = {}
            parent[place] = copy
            for key, inner in one.items():
                masked = _mask_key(str(key), copy, counts, repeated)
                copy[masked] = None
                below = names_below(names, str(key), one)
                waiting.append((inner, copy, masked, below if masked == str(key) else (*below, masked)))
        elif isinstance(one, list | tuple):
            parent[place] = [None] * len(one)
            waiting += [(inner, parent[place], index, names) for index, inner in enumerate(one)]
        else:
            parent[place] = _mask_scalar(one, names, counts, repeated)
    return MaskedJson(root[0], +counts)


def _mask_key(key: str, taken: Mapping[str, object], counts: Counter[str], repeated: RepeatedSecrets) -> str:
    masked = mask_text(key, repeated)
    counts.update(masked.counts)
    return distinguish(masked.text, taken)


def distinguish(text: str, taken: Container[str]) -> str:
    """Return the text, with a number behind it if it is taken."""
    if text not in taken:
        return text
    # The number takes the place of the end of a text, so that none outgrows the bound that it was checked against.
    endings = (f"~{number}" for number in count(2))
    candidates = (f"{text[: max(0, len(text) - len(ending))]}{ending}" for ending in endings)
    return next(candidate for candidate in candidates if candidate not in taken)


def _mask_scalar(
    value: object, names: Sequence[str], counts: Counter[str], repeated: RepeatedSecrets
) -> object:
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    named = mask_named(str(value), names)
    if named is not None:
        counts.update(named.counts)
        return named.text
    if not isinstance(value, str):
        return value
    masked = mask_text(value, repeated)
    counts.update(masked.counts)
    return masked.text


def mask_named(value: str, names: Iterable[str]) -> MaskedText | None:
    """Return the value written over whole, if one of these names of it names a secret; None if not."""
    kind = kind_of_any(names, value)
    covered = _cover(value)
    return None if kind is None or covered == value else MaskedText(covered, {kind: 1})


def kind_of_any(names: Iterable[str], value: str) -> str | None:
    """Return the kind of secret that the value is under the first name that makes it one, or None."""
    kinds = (kind_of_value(name, value) for name in names)
    return next((kind for kind in kinds if kind is not None), None)


def texts_in(value: object) -> list[str]:
    """Return every string and number of a JSON value, keys included, as text."""
    return [text for _, text in _pairs_in(value)]


def _pairs_in(value: object) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each string and number with the names that it stands under, and each key on its own."""
    waiting: list[tuple[tuple[str, ...], object]] = [((), value)]
    while waiting:
        names, one = waiting.pop()
        if isinstance(one, Mapping):
            yield from (((), str(key)) for key in one)
            waiting += [(names_below(names, str(key), one), inner) for key, inner in one.items()]
        elif isinstance(one, list | tuple):
            waiting += [(names, inner) for inner in one]
        elif isinstance(one, str) or (isinstance(one, int | float) and not isinstance(one, bool)):
            yield names, str(one)


def _pattern(value: str) -> re.Pattern[str]:
    # A value that could be a word is masked as a whole word only, or it would tear holes into others.
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)" if value.isalpha() else re.escape(value))


def _uncovered(text: str) -> list[Secret]:
    return [
        one for one in find_secrets(text) if _cover(text[one.start : one.end]) != text[one.start : one.end]
    ]


def _write_over(text: str, secrets: list[Secret]) -> str:
    parts, place = [], 0
    for secret in secrets:
        parts += [text[place : secret.start], _cover(text[secret.start : secret.end])]
        place = secret.end
    return "".join([*parts, text[place:]])


def _cover(value: str) -> str:
    return _COVERED.sub(MASK, value)


_COVERED: Final = re.compile(r"[^\r\n]")
