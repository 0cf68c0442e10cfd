"""Which equivalence groups answer a query: full text, names, and the graph around what those find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Reading
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.recall.model import Moment
from app.recall.names import candidate_names, keep_longest, uncovered_words
from app.recall.ranking import Channel, Fused, fuse

MAX_MATCHES: Final = 200
MAX_NAMED: Final = 50
MAX_AROUND_ONE: Final = 200
# From how many of the best groups the graph is entered, and how much its say weighs.
GRAPH_ENTRIES: Final = 5
GRAPH_WEIGHT: Final = 0.5
_ASKED_FOR: Final = 2.0


@dataclass(frozen=True, slots=True)
class Matches:
    """Fused group keys, best first, and the entities that the query names."""

    groups: tuple[Fused, ...]
    named_entity_ids: tuple[str, ...]


async def find_matches(
    reading: Reading, team_id: str, query: str, moment: Moment, *, expand_from: Sequence[str] = ()
) -> Matches:
    """Return the groups that hold as of the moment and match the query, disputed ones among them.

    Each channel gives at most 200 groups. The order is total: repeated on an unchanged ledger it is the same.

    Raises:
        NotFound: an entity to expand from is malformed, missing or another team's.
    """
    as_of = {"team_id": team_id, "at": moment.valid_at, "known": moment.known_at}
    await _refuse_unknown_entities(reading, team_id, expand_from)
    named = await _find_named(reading, query)
    text = await reading.fetch_all(_TEXT, as_of | {"query": query, "limit": MAX_MATCHES})
    channels = [
        Channel("text", tuple(row["semantic_group_key"] for row in text)),
        Channel("names", await _find_around(reading, as_of, named)),
    ]
    best = [fused.key for fused in fuse(channels)[:GRAPH_ENTRIES]]
    entries = dict.fromkeys(await _ends(reading, team_id, best), 1.0)
    entries |= dict.fromkeys(expand_from, _ASKED_FOR)
    channels.append(Channel("graph", await _find_around(reading, as_of, entries), GRAPH_WEIGHT))
    return Matches(fuse(channels), tuple(named))


async def _find_named(reading: Reading, query: str) -> dict[str, float]:
    """Return the entities that the query names, each with how well (0..1)."""
    candidates = candidate_names(query)
    rows = await reading.fetch_all(_NAMES, {"exact": list(candidates), "alike": [], "limit": MAX_NAMED})
    longest = keep_longest(candidates, [row["folded_name"] for row in rows])
    found = {row["entity_id"]: 1.0 for row in rows if row["folded_name"] in longest}
    words = uncovered_words(query, [piece for pieces in longest.values() for piece in pieces])
    if words:
        alike = await reading.fetch_all(_NAMES, {"exact": [], "alike": list(words), "limit": MAX_NAMED})
        for row in alike:
            found[row["entity_id"]] = max(row["score"], found.get(row["entity_id"], 0.0))
    return found


async def _find_around(
    reading: Reading, as_of: Mapping[str, object], entities: Mapping[str, float]
) -> tuple[str, ...]:
    """Return the groups with one of these entities at an end, those with the most and best matches first."""
    if not entities:
        return ()
    params = {
        **as_of,
        "entity_ids": list(entities),
        "scores": list(entities.values()),
        "most": MAX_AROUND_ONE,
        "limit": MAX_MATCHES,
    }
    return tuple(row["semantic_group_key"] for row in await reading.fetch_all(_AROUND, params))


async def _ends(reading: Reading, team_id: str, group_keys: Sequence[str]) -> list[str]:
    if not group_keys:
        return []
    rows = await reading.fetch_all(_ENDS, {"team_id": team_id, "group_keys": list(group_keys)})
    return [row["entity_id"] for row in rows]


async def _refuse_unknown_entities(reading: Reading, team_id: str, entity_ids: Sequence[str]) -> None:
    wanted = set(entity_ids)
    if not wanted:
        return
    known: set[str] = set()
    if all(is_id(entity_id, "ent") for entity_id in wanted):
        rows = await reading.fetch_all(_ENTITIES, {"team_id": team_id, "ids": sorted(wanted)})
        known = {row["id"] for row in rows}
    if known != wanted:
        raise NotFound("There is no such entity.")


_TEXT: LiteralString = (
    "SELECT semantic_group_key FROM search_documents(%(query)s, %(at)s, %(known)s::timestamptz, %(limit)s)"
)
_NAMES: LiteralString = """
    SELECT entity_id, folded_name, score FROM search_names(%(exact)s::text[], %(alike)s::text[], %(limit)s)
"""
# Copies of a position by several profiles count once for each entity.
_AROUND: LiteralString = """
    SELECT found.semantic_group_key
    FROM (
        SELECT around.semantic_group_key, entity.id, max(entity.score) AS score,
               bool_or(around.tier = 'fact') AS is_fact, max(around.changed_at) AS changed_at
        FROM unnest(%(entity_ids)s::text[], %(scores)s::float8[]) AS entity (id, score)
        CROSS JOIN LATERAL (
            SELECT held.relationship_id, held.semantic_group_key, held.tier, held.changed_at
            FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
            WHERE held.subject_entity_id = entity.id
            UNION
            SELECT held.relationship_id, held.semantic_group_key, held.tier, held.changed_at
            FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
            WHERE held.object_entity_id = entity.id
            ORDER BY changed_at DESC, relationship_id
            LIMIT %(most)s
        ) AS around
        GROUP BY around.semantic_group_key, entity.id
    ) AS found
    GROUP BY found.semantic_group_key
    ORDER BY sum(found.score) DESC, bool_or(found.is_fact) DESC, max(found.changed_at) DESC,
             found.semantic_group_key
    LIMIT %(limit)s
"""
_ENDS: LiteralString = """
    SELECT DISTINCT ends.entity_id
    FROM relationships AS r
    CROSS JOIN LATERAL (VALUES (r.subject_entity_id), (r.object_entity_id)) AS ends (entity_id)
    WHERE r.team_id = %(team_id)s AND r.semantic_group_key = ANY (%(group_keys)s)
      AND ends.entity_id IS NOT NULL
    ORDER BY ends.entity_id
"""
_ENTITIES: LiteralString = "SELECT id FROM entities WHERE team_id = %(team_id)s AND id = ANY (%(ids)s)"
