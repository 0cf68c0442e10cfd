"""Which entities a query names, exactly or nearly, and which relations it asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Reading, Row
from app.recall.likeness import misspelt_windows, weigh_alike
from app.recall.names import Piece, Run, keep_longest
from app.recall.relations import (
    PredicateWords,
    Vocabulary,
    Wanted,
    learn,
    read_relations,
    understood_words,
)

MAX_NAMED: Final = 50
MAX_ALIKE: Final = 8
# Teams whose predicates go by the same words share one.
MAX_VOCABULARIES: Final = 256
_PREDICATE_END: Final = "\x1e"
_WORD_END: Final = "\x1f"
_NO_WORDS: Final = learn(())


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """How well the query names it (0..1), and in which piece; one piece may name several."""

    entity_id: str
    score: float
    piece: Piece


@dataclass(frozen=True, slots=True)
class Understood:
    """The entities that the query names, in the order in which they were found, and what it asks of them."""

    entities: tuple[NamedEntity, ...]
    wanted: Wanted


def ask_names(team_id: str, runs: Sequence[Run]) -> tuple[Query, Params]:
    """Return what asks for the entities of these names, and for the words that the team's predicates go by."""
    return _NAMES_AND_WORDS, {"team_id": team_id, "exact": list(dict(runs)), "limit": MAX_NAMED}


async def understand(reading: Reading, query: str, runs: Sequence[Run], told: Row) -> Understood:
    """Return what the query names and asks for; the row is what `ask_names` asked for.

    A name is first looked for as it is written. Only where words are left that nothing explains, names like them
    are; one that is longer than a name inside of it, as written, takes its place. Beside a name, a word of a
    relation is none, whatever is called so, unless it is written like one.
    """
    names = told["folded_names"] or ()
    vocabulary = _learn(told["words"] or "")
    longest = _drop_relations(query, keep_longest(runs, set(names)), vocabulary)
    exact = [
        NamedEntity(entity_id, 1.0, longest[name][0])
        for entity_id, name in zip(told["entity_ids"] or (), names, strict=True)
        if name in longest
    ]
    alike = await _find_alike(reading, query, longest, vocabulary)
    kept = [one for one in exact if not any(other.piece.holds(one.piece) for other in alike)]
    entities: dict[str, NamedEntity] = {}
    for one in (*kept, *alike):
        entities.setdefault(one.entity_id, one)
    pieces = [piece for spots in longest.values() for piece in spots] + [one.piece for one in alike]
    return Understood(tuple(entities.values()), read_relations(query, pieces, vocabulary))


def _drop_relations(
    query: str, found: dict[str, tuple[Piece, ...]], vocabulary: Vocabulary
) -> dict[str, tuple[Piece, ...]]:
    """Return the names without those that relate others here: "uses" in "what uses GIL?"."""

    def is_relation(piece: Piece) -> bool:
        said = query[piece.start : piece.end]
        words = set(said.split())
        return said == said.casefold() and words <= understood_words(said, vocabulary)

    others = {name: spots for name, spots in found.items() if not all(map(is_relation, spots))}
    return others or found


@lru_cache(maxsize=MAX_VOCABULARIES)
def _learn(words: str) -> Vocabulary:
    """Return the vocabulary that the database told; it is found again by all that was told, so it never ages."""
    told = [one.split(_WORD_END) for one in words.split(_PREDICATE_END) if one]
    return learn(
        PredicateWords(key, tuple(names), symmetric == "t", takes_values == "t")
        for key, symmetric, takes_values, *names in told
    )


async def _find_alike(
    reading: Reading,
    query: str,
    longest: Mapping[str, tuple[Piece, ...]],
    vocabulary: Vocabulary,
) -> list[NamedEntity]:
    covered = [piece for spots in longest.values() for piece in spots]
    windows = misspelt_windows(query, covered, understood_words(query, vocabulary))
    if not windows and not covered:
        # With nothing named and nothing else unexplained, a word that a predicate is known by may be a name.
        windows = misspelt_windows(query, covered, understood_words(query, _NO_WORDS))
    if not windows:
        return []
    rows = await reading.fetch_all(_ALIKE, {"windows": list(windows), "limit": MAX_ALIKE})
    rows.sort(key=lambda row: (-row["likeness"], row["entity_id"], row["folded_name"]))
    found = weigh_alike(windows, [(row["window_text"], row["folded_name"]) for row in rows], longest)
    by_name = {one.folded_name: one for one in reversed(found)}
    return [
        NamedEntity(row["entity_id"], by_name[row["folded_name"]].score, by_name[row["folded_name"]].piece)
        for row in rows
        if row["folded_name"] in by_name
    ]


NAMES: LiteralString = """
    SELECT entity_id, folded_name FROM entity_names
    WHERE team_id = %(team_id)s AND folded_name = ANY (%(exact)s::text[])
    ORDER BY entity_id, folded_name LIMIT %(limit)s
"""
_ALIKE: LiteralString = """
    SELECT entity_id, folded_name, window_text, likeness
    FROM search_alike_names(%(windows)s::text[], %(limit)s)
"""
# One row with three values: lists, and what nearly always is as it was for the last request. No name has such
# characters.
_NAMES_AND_WORDS: LiteralString = rf"""
    SELECT named.entity_ids, named.folded_names, (
               SELECT string_agg(
                   concat_ws(E'\x1f', predicate_key, is_symmetric,
                             allowed_value_types <> '{{}}', label, verb_phrase, array_to_string(aliases, E'\x1f')),
                   E'\x1e' ORDER BY predicate_key)
               FROM predicates WHERE team_id = %(team_id)s AND is_current
           ) AS words
    FROM (
        SELECT array_agg(entity_id) AS entity_ids, array_agg(folded_name) AS folded_names FROM ({NAMES}) AS one
    ) AS named
"""
