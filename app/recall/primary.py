"""Which equivalence groups answer a query: full text, names, and the graph around what those find."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, LiteralString, get_args

from app.kernel.database import Params, Query, Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.recall.graph import MAX_MATCHES, ask_around, ask_chains
from app.recall.model import Moment
from app.recall.names import Piece
from app.recall.naming import NamedEntity, Understood, understand
from app.recall.ranking import Channel, Fused, fuse
from app.recall.relations import Wanted

Part = Literal["text", "names", "graph", "embeddings"]
PARTS: Final[frozenset[Part]] = frozenset(get_args(Part))
# From how many of the best groups the graph is entered, and how much its say weighs.
GRAPH_ENTRIES: Final = 5
GRAPH_WEIGHT: Final = 0.5
# The end of a chain that the query asks for outweighs what is only known of the entity that it names.
CHAIN_WEIGHT: Final = 3.0
# Text about others than the entities that the query names comes after all that is known around these.
STRAY_WEIGHT: Final = 0.05
# What is near in meaning has a say beside what is said; alone it is all there is.
MEANT_WEIGHT: Final = 1.0
_ASKED_FOR: Final = 2.0
_NOTHING: Final = Understood((), Wanted((), ()))
_NO_PIECE: Final = Piece(0, 0)


@dataclass(frozen=True, slots=True)
class Matches:
    """Fused group keys, best first, and the entities that the query names."""

    groups: tuple[Fused, ...]
    named_entity_ids: tuple[str, ...]


async def find_matches(
    reading: Reading,
    team_id: str,
    query: str,
    moment: Moment,
    *,
    expand_from: Sequence[str] = (),
    meant: Sequence[str] = (),
    parts: Collection[Part] = PARTS,
) -> Matches:
    """Return the groups that hold as of the moment and match the query, disputed ones among them.

    `meant` are the groups that embeddings found, nearest first. Each channel gives at most 200 groups. The order
    is total: repeated on an unchanged ledger it is the same.

    Raises:
        NotFound: an entity to expand from is malformed, missing or another team's.
    """
    as_of = {"team_id": team_id, "at": moment.valid_at, "known": moment.known_at}
    await _refuse_unknown_entities(reading, team_id, expand_from)
    understood = await understand(reading, team_id, query) if "names" in parts else _NOTHING
    named, wanted = understood.entities, understood.wanted
    asks: dict[Part, tuple[Query, Params]] = {"names": ask_around(as_of, named, wanted.relations)}
    words = as_of | {"query": query, "limit": MAX_MATCHES}
    if "text" in parts:
        asks["text"] = _TEXT, words
    if "graph" in parts and named and wanted.chains:
        asks["graph"] = ask_chains(as_of, named, wanted.chains)
    found = dict(zip(asks, map(_keys, await reading.fetch_each(*asks.values())), strict=True))
    around = found["names"]
    if found.get("text") == () == around:
        found["text"] = _keys(await reading.fetch_all(_TEXT_IN_PART, words))
    channels = [*_split_text(found.get("text", ()), around), Channel("names", around)]
    # Where words say of what and which relation is asked for, they know better.
    if "embeddings" in parts and meant and not (around and wanted.relations):
        channels.append(Channel("embeddings", _only_near(meant, around), MEANT_WEIGHT))
    if chained := found.get("graph"):
        # No one statement holds a chain, so text of others and what is alike matched parts of the query only.
        channels = [one for one in channels if one.weight != STRAY_WEIGHT and one.name != "embeddings"]
        channels.append(Channel("graph", chained, CHAIN_WEIGHT))
    elif "graph" in parts:
        known = [fused.key for fused in fuse(channels)]
        ends = await _ends(reading, team_id, known[:GRAPH_ENTRIES])
        entries = dict.fromkeys(ends, 1.0) | dict.fromkeys(expand_from, _ASKED_FOR)
        near = [NamedEntity(entity_id, score, _NO_PIECE) for entity_id, score in entries.items()]
        beyond = _keys(await reading.fetch_all(*ask_around(as_of, near))) if near else ()
        channels.append(Channel("graph", _known_first(beyond, known), GRAPH_WEIGHT))
    return Matches(fuse(channels), tuple(one.entity_id for one in named))


def _keys(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(row["semantic_group_key"] for row in rows)


def _split_text(text: Sequence[str], around: Sequence[str]) -> list[Channel]:
    """Return the text matches as they are if nothing is known around named entities, else with strays set back."""
    if not around:
        return [Channel("text", tuple(text))]
    near = set(around)
    return [
        Channel("text", tuple(key for key in text if key in near)),
        Channel("text", tuple(key for key in text if key not in near), STRAY_WEIGHT),
    ]


def _only_near(meant: Sequence[str], around: Sequence[str]) -> tuple[str, ...]:
    """Return what is meant; of named entities only what is known around them, for the rest is about others."""
    near = set(around)
    return tuple(key for key in meant if key in near) if around else tuple(meant)


def _known_first(beyond: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """Return what lies around in the order in which it was found; after that what is new.

    So the graph adds, and does not overturn the order that names and words gave.
    """
    reached, known = set(beyond), set(found)
    return tuple(key for key in found if key in reached) + tuple(key for key in beyond if key not in known)


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
_TEXT_IN_PART: LiteralString = """
    SELECT semantic_group_key
    FROM search_documents_partly(%(query)s, %(at)s, %(known)s::timestamptz, %(limit)s)
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
