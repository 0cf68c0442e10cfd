"""Which entities may be one thing. Only suggestions: nothing is ever merged because of them."""

from dataclasses import dataclass
from typing import Final, Literal, LiteralString

from app.kernel.database import Reading
from app.ledger.nodes.entities import Entity, find_entities_by_id, get_entity
from app.ledger.nodes.names import fold_name

MAX_SUGGESTIONS: Final = 10
_MAX_CANDIDATES: Final = 50
Likeness = Literal["same_name", "same_letters", "alike"]
_ORDER: Final[tuple[Likeness, ...]] = ("same_name", "same_letters", "alike")


@dataclass(frozen=True, slots=True)
class MergeSuggestion:
    """Another entity that may be the same. `score` is the likeness of the names, 0..1."""

    entity: Entity
    likeness: Likeness
    score: float


async def suggest_merges(reading: Reading, team_id: str, entity_id: str) -> tuple[MergeSuggestion, ...]:
    """Return at most ten entities of a compatible kind with a name like one of the entity's, likest first.

    Raises:
        NotFound: malformed, missing, merged or another team's.
    """
    entity = await get_entity(reading, team_id, entity_id)
    folded = sorted({fold_name(name) for name in entity.names})
    params: dict[str, object] = {"names": folded, "most": _MAX_CANDIDATES}
    scores: dict[str, float] = {}
    letters = sorted({_letters(name) for name in folded} - {""})
    params |= {"team_id": team_id, "letters": letters}
    rows = await reading.fetch_all(_SEARCH, params) + await reading.fetch_all(_SAME_LETTERS, params)
    for row in rows:
        scores[row["entity_id"]] = max(row["score"], scores.get(row["entity_id"], 0.0))
    others = await find_entities_by_id(reading, team_id, scores.keys() - {entity_id})
    found = [
        MergeSuggestion(other, _compare(entity, other), float(scores[other.entity_id]))
        for other in others.values()
        if other.kind == entity.kind or "other" in (other.kind, entity.kind)
    ]
    found.sort(key=lambda one: (_ORDER.index(one.likeness), -one.score, one.entity.entity_id))
    return tuple(found[:MAX_SUGGESTIONS])


def _compare(one: Entity, other: Entity) -> Likeness:
    first, second = ({fold_name(name) for name in entity.names} for entity in (one, other))
    if first & second:
        return "same_name"
    if {_letters(name) for name in first} & ({_letters(name) for name in second} - {""}):
        return "same_letters"
    return "alike"


def _letters(name: str) -> str:
    return "".join(character for character in name if character.isalnum())


_SEARCH: LiteralString = """
    (SELECT entity_id, 1::real AS score FROM entity_names
     WHERE team_id = %(team_id)s AND folded_name = ANY (%(names)s::text[])
     ORDER BY entity_id, folded_name LIMIT %(most)s)
    UNION ALL
    SELECT entity_id, likeness AS score FROM search_alike_names(%(names)s::text[], %(most)s)
"""
# Reads every name of the team: no index knows letters alone, and nobody asks often.
_SAME_LETTERS: LiteralString = """
    SELECT entity_id, 1::real AS score FROM entity_names
    WHERE team_id = %(team_id)s
      AND regexp_replace(folded_name, '[^[:alnum:]]', '', 'g') = ANY (%(letters)s)
    ORDER BY entity_id LIMIT %(most)s
"""
