"""Which entities a query names, exactly or nearly, and which relations it asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Reading
from app.recall.likeness import misspelt_windows, weigh_alike
from app.recall.names import Piece, candidate_names, keep_longest
from app.recall.relations import PredicateWords, Wanted, read_relations, understood_words

MAX_NAMED: Final = 50
MAX_ALIKE: Final = 8


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


async def understand(reading: Reading, team_id: str, query: str) -> Understood:
    """Return what the query names and asks for.

    A name is first looked for as it is written. Only where words are left that nothing explains, names like them
    are; one that is longer than a name inside of it, as written, takes its place.
    """
    candidates = candidate_names(query)
    rows, known = await reading.fetch_each(
        (_NAMES, {"exact": list(candidates), "limit": MAX_NAMED}), (_PREDICATES, {"team_id": team_id})
    )
    longest = keep_longest(candidates, [row["folded_name"] for row in rows])
    exact = [
        NamedEntity(row["entity_id"], 1.0, longest[row["folded_name"]][0])
        for row in rows
        if row["folded_name"] in longest
    ]
    predicates = [
        PredicateWords(
            row["predicate_key"], (row["label"], row["verb_phrase"], *row["aliases"]), row["is_symmetric"]
        )
        for row in known
    ]
    alike = await _find_alike(reading, query, longest, predicates)
    kept = [one for one in exact if not any(_holds(other.piece, one.piece) for other in alike)]
    entities: dict[str, NamedEntity] = {}
    for one in (*kept, *alike):
        entities.setdefault(one.entity_id, one)
    pieces = [piece for spots in longest.values() for piece in spots] + [one.piece for one in alike]
    return Understood(tuple(entities.values()), read_relations(query, pieces, predicates))


async def _find_alike(
    reading: Reading,
    query: str,
    longest: Mapping[str, tuple[Piece, ...]],
    predicates: list[PredicateWords],
) -> list[NamedEntity]:
    covered = [piece for spots in longest.values() for piece in spots]
    known_words = understood_words(query, predicates) if covered else understood_words(query, ())
    windows = misspelt_windows(query, covered, known_words)
    if not windows:
        return []
    rows = await reading.fetch_all(_ALIKE, {"windows": list(windows), "limit": MAX_ALIKE})
    rows.sort(key=lambda row: (-row["likeness"], row["entity_id"], row["folded_name"]))
    found = weigh_alike(windows, [(row["window_text"], row["folded_name"]) for row in rows])
    by_name = {one.folded_name: one for one in reversed(found)}
    return [
        NamedEntity(row["entity_id"], by_name[row["folded_name"]].score, by_name[row["folded_name"]].piece)
        for row in rows
        if row["folded_name"] in by_name
    ]


def _holds(outer: Piece, inner: Piece) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


_NAMES: LiteralString = """
    SELECT entity_id, folded_name FROM search_names(%(exact)s::text[], %(limit)s)
"""
_ALIKE: LiteralString = """
    SELECT entity_id, folded_name, window_text, likeness
    FROM search_alike_names(%(windows)s::text[], %(limit)s)
"""
_PREDICATES: LiteralString = """
    SELECT predicate_key, label, verb_phrase, aliases, is_symmetric FROM predicates
    WHERE team_id = %(team_id)s AND is_current ORDER BY predicate_key
"""
