"""Which equivalence groups answer a query: full text, names, and the graph around what those find."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, LiteralString, get_args

from app.kernel.database import Params, Query, Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.recall.graph import MAX_MATCHES, ask_around, ask_beyond, ask_chains
from app.recall.model import Moment
from app.recall.names import candidate_names
from app.recall.naming import Understood, ask_names, understand
from app.recall.ranking import Channel, Fused, fuse, fuse_keys
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
_NOTHING: Final = Understood((), Wanted((), ()))
_NO_ENTITY: Final = "There is no such entity."


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
    enough: int = MAX_MATCHES,
    parts: Collection[Part] = PARTS,
) -> Matches:
    """Return the groups that hold as of the moment and match the query, disputed ones among them.

    `meant` are the groups that embeddings found, nearest first. Each channel gives at most 200 groups. The first
    `enough` are what is wanted, and at most twice as many are returned: where so many lie around the one entity
    that the query names, the graph can't add to them, and is asked only where the client says from where. The
    order is total: repeated on an unchanged ledger it is the same.

    Raises:
        NotFound: an entity to expand from is malformed, missing or another team's.
    """
    understood = await _understand(reading, team_id, query, expand_from, parts)
    named, wanted = understood.entities, understood.wanted
    named_ids = tuple(one.entity_id for one in named)
    is_sure = len({one.piece for one in named}) == 1 and all(one.score == 1 for one in named)
    is_whole = is_sure and wanted.is_all and not expand_from
    words = {
        **{"team_id": team_id, "at": moment.valid_at, "known": moment.known_at},
        **{"query": query, "limit": MAX_MATCHES},
    }
    asks: dict[Part, tuple[Query, Params]] = {}
    if named:
        asks["names"] = ask_around(team_id, moment, named, wanted.relations)
        if "graph" in parts and wanted.chains:
            asks["graph"] = ask_chains(team_id, moment, named, wanted.chains)
    if "text" in parts and not is_whole:
        asks["text"] = _TEXT, words
    told = dict(zip(asks, await reading.fetch_each(*asks.values()), strict=True))
    found = {part: _keys(rows) for part, rows in told.items()}
    around, chained = found.get("names", ()), found.get("graph", ())
    if is_whole and (chained or any(row["fit"] == 1 for row in told["names"])):
        # What is asked for is known, and no word is left that could mean anything else.
        channels = [Channel("names", around), Channel("graph", chained, CHAIN_WEIGHT)]
        return Matches(fuse([one for one in channels if one.keys], 2 * enough), named_ids)
    if "text" in parts and "text" not in found:
        found["text"] = _keys(await reading.fetch_all(_TEXT, words))
    if found.get("text") == () == around:
        found["text"] = _keys(await reading.fetch_all(_TEXT_IN_PART, words))
    channels = [*_split_text(found.get("text", ()), around), Channel("names", around)]
    # Where words say of what and which relation is asked for, they know better.
    if "embeddings" in parts and meant and not (around and wanted.relations):
        channels.append(Channel("embeddings", _only_near(meant, around), MEANT_WEIGHT))
    if chained:
        # No one statement holds a chain, so text of others and what is alike matched parts of the query only.
        channels = [one for one in channels if one.weight != STRAY_WEIGHT and one.name != "embeddings"]
        channels.append(Channel("graph", chained, CHAIN_WEIGHT))
    elif "graph" in parts:
        known = fuse_keys(channels)
        # The best are about the one entity that is named, so whatever else is known of it is one step away.
        reached = around if len(named) == 1 else ()
        if expand_from or (known and len(reached) < enough):
            entries = known[:GRAPH_ENTRIES]
            reached += _keys(await reading.fetch_all(*ask_beyond(team_id, moment, entries, expand_from)))
        channels.append(Channel("graph", _known_first(reached, known), GRAPH_WEIGHT))
    return Matches(fuse(channels, 2 * enough), named_ids)


async def _understand(
    reading: Reading, team_id: str, query: str, expand_from: Sequence[str], parts: Collection[Part]
) -> Understood:
    """Return what the query names and asks for, once the entities to expand from are known to be the team's."""
    runs = candidate_names(query)
    asks: dict[str, tuple[Query, Params]] = {}
    if "names" in parts:
        asks["names"] = ask_names(team_id, runs)
    if expand_from:
        asks["known"] = _ENTITIES, {"team_id": team_id, "ids": _ids_of(expand_from)}
    told = dict(zip(asks, await reading.fetch_each(*asks.values()), strict=True))
    _refuse_unknown(expand_from, told.get("known", ()))
    if "names" not in parts:
        return _NOTHING
    [names] = told["names"]
    return await understand(reading, query, runs, names)


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


def _known_first(reached: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """Return what was reached in the order in which it was found; after that what is new.

    So the graph adds, and does not overturn the order that names and words gave.
    """
    at_hand, known = set(reached), set(found)
    return tuple(key for key in found if key in at_hand) + tuple(key for key in reached if key not in known)


def _ids_of(entity_ids: Sequence[str]) -> list[str]:
    """Return the ids without repeats; raise NotFound where one is malformed."""
    if not all(is_id(entity_id, "ent") for entity_id in entity_ids):
        raise NotFound(_NO_ENTITY)
    return sorted(set(entity_ids))


def _refuse_unknown(entity_ids: Sequence[str], known: Sequence[Row]) -> None:
    if set(entity_ids) != {row["id"] for row in known}:
        raise NotFound(_NO_ENTITY)


_TEXT: LiteralString = (
    "SELECT semantic_group_key FROM search_documents(%(query)s, %(at)s, %(known)s::timestamptz, %(limit)s)"
)
_TEXT_IN_PART: LiteralString = """
    SELECT semantic_group_key
    FROM search_documents_partly(%(query)s, %(at)s, %(known)s::timestamptz, %(limit)s)
"""
_ENTITIES: LiteralString = "SELECT id FROM entities WHERE team_id = %(team_id)s AND id = ANY (%(ids)s)"
