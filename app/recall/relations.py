"""Which relations a query asks about, and from which side. Pure.

A team's predicates are known by their labels, verb phrases and aliases. A query asks for a predicate if it holds
the words of one of these names in any form of the words: "the maintainers of X" asks for "is maintained by". Where
the name stands tells the side, softly: in "What does X depend on?" X is the subject, in "What depends on X?" it is
not, and in "the dependencies of X" it is again. Two relations in one query are a chain: "Where is the maintainer
of X headquartered?" asks about an entity that is not named, one step from X.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from app.ledger.predicates.inflections import bases_of_past, is_participle, is_past
from app.recall.names import Piece

MAX_CHAINS: Final = 8
# What a predicate's name must at least share with the query.
LEAST_SHARE: Final = 0.5
# What the side that the wording speaks against is worth, and a chain that starts with the farther relation.
OTHER_SIDE: Final = 0.6
WRONG_ORDER: Final = 0.8
_WORD: Final = re.compile(r"[^\W_]+")
# Words, and no sign but a sentence's; nothing of it is tried a second time.
_SENTENCE: Final = re.compile(r"""(?:[^\W_]++|[\s,;:?!()"“”„«»¿¡…]++|['’](?=[^\W_])|\.(?![^\W_]))*+""")
_ENDINGS: Final = (
    *("encies", "ency", "enses", "ense", "ances", "ance", "ments", "ment", "ations", "ation"),
    *("ings", "ing", "ions", "ion", "ents", "ent", "ers", "er", "ors", "or", "ed", "es", "s", "e", "y"),
)
_PREPOSITIONS: Final = frozenset(("at", "by", "for", "from", "in", "of", "on", "to", "under", "with"))
_AUXILIARIES: Final = frozenset(("are", "did", "do", "does", "has", "have", "is", "was", "were"))
EMPTY_WORDS: Final = _PREPOSITIONS | frozenset(
    re.findall(
        r"\w+",
        """
        a an and any are be been can did do does each has have how i is it its may must of or s t that the their
        there these they things this those was were what when where which who whom whose why will you your
        """,
    )
)
# Those of them that no name holds between its words, as it may an "of" or a "the".
PARTING_WORDS: Final = _AUXILIARIES | frozenset(
    re.findall(r"\w+", "be been can how must that there what when where which who whom whose why will")
)
# Those of them that PostgreSQL's English holds for words, so that a text is found by them.
_EMPTY_BUT_FOUND: Final = frozenset(("may", "must", "things", "whose"))


@dataclass(frozen=True, slots=True)
class PredicateWords:
    """A predicate and the names that it is known by; whether values may be its objects."""

    key: str
    names: tuple[str, ...]
    is_symmetric: bool
    takes_values: bool


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A team's predicates, and by each stem the places of those that have it in a name. Made once, asked often."""

    predicates: tuple[PredicateWords, ...]
    by_stem: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Relation:
    """A predicate that is asked for: how well it fits (0..1) where the named entity is subject, or is object.

    `words` are the places of its words in the query, `distance` how many words stand between it and the name.
    """

    key: str
    as_subject: float
    as_object: float
    words: frozenset[int]
    distance: int

    @property
    def fit(self) -> float:
        return max(self.as_subject, self.as_object)


@dataclass(frozen=True, slots=True)
class Chain:
    """Two relations after each other, the first from the name; `fit` is how much of the query they account for."""

    first: Relation
    second: Relation
    fit: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a query asks for; chains are there only if they account for more than any relation alone.

    `is_all` where no word that full text looks for is left beside the names and one relation, or one chain, and
    what stands for a name can't be a value.
    """

    relations: tuple[Relation, ...]
    chains: tuple[Chain, ...]
    is_all: bool = False


def learn(predicates: Iterable[PredicateWords]) -> Vocabulary:
    """Return the predicates ready to be looked for."""
    learnt = tuple(predicates)
    by_stem: dict[str, list[int]] = {}
    for place, one in enumerate(learnt):
        for stem in sorted({stem for name in one.names for stem in _name_stems(name)[0]}):
            by_stem.setdefault(stem, []).append(place)
    return Vocabulary(learnt, {stem: tuple(places) for stem, places in by_stem.items()})


def read_relations(query: str, named: Collection[Piece], vocabulary: Vocabulary) -> Wanted:
    """Return the relations that the query asks for, in the order of the predicates, and the 8 best chains.

    `named` are the pieces of the query that are names; their words ask for nothing.
    """
    taken = {place for piece in named for place in range(piece.start, piece.end)}
    words = [
        _Word(match.group().casefold(), match.start())
        for match in _WORD.finditer(query)
        if taken.isdisjoint(range(*match.span()))
    ]
    starts = sorted(piece.start for piece in named)
    name_at = starts[0] if starts else len(query)
    stems = [None if word.text in EMPTY_WORDS else _stem(word.text) for word in words]
    places = {place for stem in stems if stem is not None for place in vocabulary.by_stem.get(stem, ())}
    known = [vocabulary.predicates[place] for place in sorted(places)]
    found = [match for one in known if (match := _match(one, stems)) is not None]
    understood = {place for match in found if match.share == 1 for place in match.words}
    understood = understood or {place for match in found for place in match.words}
    before = sum(word.start < name_at for word in words)
    relations = tuple(_relation(match, words, stems, before, len(understood)) for match in found)
    chains = _chains(relations, len(understood))
    # What is asked for twice, and nothing else, from one name is asked for of what that leads to.
    if len(named) == 1 and not any(word.text in ("and", "or") for word in words):
        for match in found:
            if match.words == understood and (pair := _asked_twice(match, words, stems, before)):
                first, second = (_relation(one, words, stems, before, len(understood)) for one in pair)
                chains += (Chain(first, second, fit=1.0),)
    accounts = [
        relation.words
        for relation, match in zip(relations, found, strict=True)
        if relation.as_subject == 1 or (relation.as_object == 1 and not match.predicate.takes_values)
    ]
    accounts += [one.first.words | one.second.words for one in chains]

    def accounts_for_all(places: Collection[int]) -> bool:
        return all(
            place in places or (stem is None and not _says_something(query, word, named))
            for place, (word, stem) in enumerate(zip(words, stems, strict=True))
        )

    return Wanted(relations, chains, any(map(accounts_for_all, accounts)) and _is_plain(query, named))


def understood_words(query: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the query's words, in lower case, that some predicate is known by, and those that say nothing."""
    words = {match.group().casefold() for match in _WORD.finditer(query)}
    return frozenset(word for word in words if word in EMPTY_WORDS or _stem(word) in vocabulary.by_stem)


# Made by the dozen, so it is not frozen, which would take longer.
@dataclass(slots=True)
class _Word:
    text: str
    start: int


def _says_something(query: str, word: _Word, named: Collection[Piece]) -> bool:
    """Return whether an empty word is one that full text looks for, or may be a name's: the S of Galaxy S."""
    before = query[: word.start].rstrip()
    follows_name = len(word.text) == 1 and any(piece.end == len(before) for piece in named)
    is_capital = bool(before) and query[word.start].isupper()
    return word.text in _EMPTY_BUT_FOUND or is_capital or follows_name


def _is_plain(query: str, named: Collection[Piece]) -> bool:
    """Return whether no sign is left beside names and words but a sentence's: those of C++ may be a name's."""
    for piece in named:
        query = query[: piece.start] + "w" * (piece.end - piece.start) + query[piece.end :]
    return _SENTENCE.fullmatch(query) is not None


@dataclass(frozen=True, slots=True)
class _Match:
    """The best name of a predicate: the share of its words that the query holds, where, and its last word."""

    predicate: PredicateWords
    share: float
    words: frozenset[int]
    ending: str


def _match(predicate: PredicateWords, stems: Sequence[str | None]) -> _Match | None:
    best: _Match | None = None
    for name in predicate.names:
        wanted, ending = _name_stems(name)
        share = len(wanted.intersection(stems)) / len(wanted) if wanted else 0.0
        if share < (LEAST_SHARE if best is None else best.share):
            continue
        places = frozenset(place for place, stem in enumerate(stems) if stem in wanted)
        if best is None or (share, len(places)) > (best.share, len(best.words)):
            best = _Match(predicate, share, places, ending)
    return best


def _asked_twice(
    match: _Match, words: Sequence[_Word], stems: Sequence[str | None], before: int
) -> tuple[_Match, _Match] | None:
    """Return the two matches that it is in "the dependencies of X depend on", the nearer to the name first.

    "Which dependencies does X depend on" says one thing twice.
    """
    places = sorted(match.words, key=lambda place: (_gap(place, stems, before), place))
    if match.share < 1 or len(places) != 2 or stems[places[0]] != stems[places[1]]:
        return None
    near, far = places
    is_had = _follower(words, near) == "of" or (near > 0 and words[near - 1].text == "s")
    if not (is_had or words[near].text == words[far].text):
        return None
    return replace(match, words=frozenset((near,))), replace(match, words=frozenset((far,)))


def _follower(words: Sequence[_Word], place: int) -> str:
    return words[place + 1].text if place + 1 < len(words) else ""


def _gap(place: int, stems: Sequence[str | None], before: int) -> int:
    """Return how many words that say something stand between that place and the name."""
    between = range(place + 1, before) if place < before else range(before, place)
    return sum(stems[one] is not None for one in between)


def _relation(
    match: _Match, words: Sequence[_Word], stems: Sequence[str | None], before: int, understood: int
) -> Relation:
    nearest = min(sorted(match.words), key=lambda place: _gap(place, stems, before))
    fit = match.share**2 * min(len(match.words) / understood, 1.0)
    follower = _follower(words, nearest)
    # "the dependencies of X", "which licence does X have": what stands before the name is had by it.
    is_noun = follower in _AUXILIARIES or (follower == "of" and match.ending != "of")
    name_is_subject = nearest >= before or is_noun
    weaker = fit if match.predicate.is_symmetric else fit * OTHER_SIDE
    return Relation(
        key=match.predicate.key,
        as_subject=fit if name_is_subject else weaker,
        as_object=weaker if name_is_subject else fit,
        words=match.words,
        distance=_gap(nearest, stems, before),
    )


def _chains(relations: Sequence[Relation], understood: int) -> tuple[Chain, ...]:
    alone = max((one.fit for one in relations), default=0.0)
    chains = []
    for first in relations:
        for second in relations:
            if first.words <= second.words or second.words <= first.words:
                continue
            purity = min(one.fit * understood / len(one.words) for one in (first, second))
            order = 1.0 if first.distance <= second.distance else WRONG_ORDER
            fit = min(len(first.words | second.words) / understood, 1.0) * min(purity, 1.0) * order
            if fit > alone:
                chains.append(Chain(first, second, fit))
    chains.sort(key=lambda one: (-one.fit, one.first.key, one.second.key))
    return tuple(chains[:MAX_CHAINS])


@lru_cache(maxsize=4096)
def _name_stems(name: str) -> tuple[frozenset[str], str]:
    words = [match.group().casefold() for match in _WORD.finditer(name)]
    stems = frozenset(_stem(word) for word in words if word not in EMPTY_WORDS)
    return stems, words[-1] if words else ""


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """Return what the forms of a word share: maintainer → maintain, written → writ."""
    if not word.endswith("ed") and (is_past(word) or is_participle(word)):
        word = bases_of_past(word)[0]
    # Two spellings of one: licence and license.
    word = re.sub("enc(e|es|ed|ing)$", r"ens\1", word)
    ends = True
    while ends:
        ends = False
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= (3 if len(ending) < 4 else 4):
                word, ends = word[: -len(ending)], True
                break
    return word
