"""Entities: found by name, created, listed. Names are not unique: a homonym is legal, so finding returns all."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import NotFound
from app.kernel.ids import is_id, new_id
from app.kernel.pages import NewestFirst, Page
from app.ledger.nodes.names import fold_name, tidy_name
from app.ledger.vocabulary import EntityKind


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing of a team; `aliases` in the order of their spelling, without the name itself.

    The names of what was merged into it are aliases too, for as long as the merge lasts.
    """

    entity_id: str
    kind: EntityKind
    name: str
    aliases: tuple[str, ...]
    created_at: datetime

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class EntityDraft:
    """What an entity is created from."""

    kind: EntityKind
    name: str
    aliases: tuple[str, ...] = ()


async def find_entities(reading: Reading, team_id: str, names: Collection[str]) -> list[Entity]:
    """Return every entity that has one of the names as name or alias, folded, in the order of the ids.

    Merged entities are not among them: they are no endpoints any more, and their names lead to what they are now.
    """
    if not names:
        return []
    folded = sorted({fold_name(name) for name in names})
    rows = await reading.fetch_all(_FIND, {"team_id": team_id, "names": folded})
    return [_read_entity(row) for row in rows]


async def find_entities_by_id(reading: Reading, team_id: str, ids: Collection[str]) -> dict[str, Entity]:
    """Return those of the ids that are entities of the team and not merged; any text may be asked for."""
    known_shape = sorted({entity_id for entity_id in ids if is_id(entity_id, "ent")})
    if not known_shape:
        return {}
    rows = await reading.fetch_all(_BY_ID, {"team_id": team_id, "ids": known_shape})
    return {row["id"]: _read_entity(row) for row in rows}


async def follow_merges(reading: Reading, team_id: str, ids: Collection[str]) -> dict[str, Entity]:
    """Return what each of the ids is now: itself, or the entity that it was merged into.

    Any text may be asked for; what is none of the team's entities is not among the keys.
    """
    known_shape = sorted({entity_id for entity_id in ids if is_id(entity_id, "ent")})
    if not known_shape:
        return {}
    rows = await reading.fetch_all(_FOLLOW, {"team_id": team_id, "ids": known_shape})
    survivors = {row["asked_id"]: row["survivor_id"] for row in rows}
    found = await find_entities_by_id(reading, team_id, list(survivors.values()))
    return {asked: found[one] for asked, one in survivors.items() if one in found}


async def lock_endpoints(w: Writing, team_id: str, ids: Collection[str]) -> bool:
    """Let nobody merge these entities until the transaction ends; say whether none of them is merged already."""
    rows = await w.fetch_all(_LOCK_ENDPOINTS, {"team_id": team_id, "ids": sorted(ids)})
    return not any(row["is_merged"] for row in rows)


async def lock_names(w: Writing, team_id: str, names: Collection[str]) -> None:
    """Let nobody else look for and create entities of these names until the transaction ends.

    Taken before the look-up that decides to create, so that two submissions make one entity, not two homonyms.
    """
    keys = sorted(f"{team_id}/entity/{fold_name(name)}" for name in names)
    await w.execute(_LOCK_NAMES, {"keys": keys})


async def create_entities(
    w: Writing, team_id: str, drafts: Sequence[EntityDraft], *, profile_id: str
) -> list[Entity]:
    """Leave one new entity per draft, in the drafts' order, with its name and aliases to be found by."""
    if not drafts:
        return []
    ids = [new_id("ent") for _ in drafts]
    tidied = [(tidy_name(draft.name), _tidy_aliases(draft)) for draft in drafts]
    names = [
        (entity_id, spelling, spelling != name)
        for entity_id, (name, aliases) in zip(ids, tidied, strict=True)
        for spelling in (name, *aliases)
    ]
    rows = await w.fetch_all(
        _CREATE,
        {
            "team_id": team_id,
            "profile_id": profile_id,
            "ids": ids,
            "kinds": [draft.kind for draft in drafts],
            "names": [name for name, _ in tidied],
            "owners": [entity_id for entity_id, _, _ in names],
            "spellings": [spelling for _, spelling, _ in names],
            "folded": [fold_name(spelling) for _, spelling, _ in names],
            "alias_marks": [is_alias for _, _, is_alias in names],
        },
    )
    created_at: Mapping[str, datetime] = {row["id"]: row["created_at"] for row in rows}
    return [
        Entity(entity_id, draft.kind, name, aliases, created_at[entity_id])
        for entity_id, draft, (name, aliases) in zip(ids, drafts, tidied, strict=True)
    ]


async def get_entity(reading: Reading, team_id: str, entity_id: str) -> Entity:
    """Return the entity.

    Raises:
        NotFound: missing, malformed, merged or another team's.
    """
    found = await find_entities_by_id(reading, team_id, [entity_id])
    if entity_id not in found:
        raise NotFound("No such entity.")
    return found[entity_id]


async def list_entities(
    reading: Reading,
    team_id: str,
    *,
    search: str | None = None,
    kind: EntityKind | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Entity]:
    """Return a page of the team's entities, newest first; `search` is part of a name or alias, folded.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    filters = {"team_id": team_id, "search": search, "kind": kind}
    paging = NewestFirst("list_entities", filters)
    after_at, after_id = paging.position(cursor)
    rows = await reading.fetch_all(
        _LIST,
        {
            "team_id": team_id,
            "pattern": None if search is None else f"%{_escape_like(fold_name(search))}%",
            "kind": kind,
            "after_at": after_at,
            "after_id": after_id,
            "limit": limit + 1,
        },
    )
    entities = [_read_entity(row) for row in rows]
    return paging.page(entities, limit, lambda entity: (entity.created_at, entity.entity_id))


def _tidy_aliases(draft: EntityDraft) -> tuple[str, ...]:
    name = tidy_name(draft.name)
    return tuple(sorted({tidy_name(alias) for alias in draft.aliases} - {name}))


def _escape_like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _read_entity(row: Row) -> Entity:
    return Entity(row["id"], row["kind"], row["name"], tuple(row["aliases"]), row["created_at"])


# Names of merged entities are found by walking the merges: hardly ever is there one, and the walk ends at once.
_SELECT: LiteralString = """
    SELECT e.id, e.kind, e.name, e.created_at,
           ARRAY(
               WITH RECURSIVE absorbed (id) AS (
                   SELECT m.id FROM entities AS m WHERE m.team_id = e.team_id AND m.merged_into_id = e.id
                   UNION
                   SELECT m.id FROM absorbed JOIN entities AS m
                     ON m.team_id = %(team_id)s AND m.merged_into_id = absorbed.id
               )
               SELECT n.name FROM entity_names AS n
               WHERE n.team_id = e.team_id AND n.entity_id = e.id AND n.is_alias
               UNION
               SELECT n.name FROM absorbed JOIN entity_names AS n
                 ON n.team_id = %(team_id)s AND n.entity_id = absorbed.id AND n.name <> e.name
               ORDER BY name) AS aliases
    FROM entities AS e
    WHERE e.team_id = %(team_id)s AND NOT e.is_merged
"""
_FIND: LiteralString = (
    _SELECT
    + """
      AND e.id = ANY (ARRAY(
          WITH RECURSIVE named (id, merged_into_id) AS (
              SELECT m.id, m.merged_into_id FROM entity_names AS n
              JOIN entities AS m ON m.team_id = n.team_id AND m.id = n.entity_id
              WHERE n.team_id = %(team_id)s AND n.folded_name = ANY (%(names)s)
              UNION
              SELECT m.id, m.merged_into_id FROM named
              JOIN entities AS m ON m.team_id = %(team_id)s AND m.id = named.merged_into_id
          )
          SELECT id FROM named))
    ORDER BY e.id
"""
)
_FOLLOW: LiteralString = """
    WITH RECURSIVE walk (asked_id, id, merged_into_id) AS (
        SELECT e.id, e.id, e.merged_into_id FROM entities AS e
        WHERE e.team_id = %(team_id)s AND e.id = ANY (%(ids)s)
        UNION
        SELECT walk.asked_id, e.id, e.merged_into_id FROM walk
        JOIN entities AS e ON e.team_id = %(team_id)s AND e.id = walk.merged_into_id
    )
    SELECT asked_id, id AS survivor_id FROM walk WHERE merged_into_id IS NULL
"""
_LOCK_ENDPOINTS: LiteralString = """
    SELECT is_merged FROM entities
    WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) ORDER BY id FOR SHARE
"""
_BY_ID: LiteralString = _SELECT + " AND e.id = ANY (%(ids)s)"
_LIST: LiteralString = (
    _SELECT
    + """
      AND (%(kind)s::text IS NULL OR e.kind = %(kind)s)
      AND (%(pattern)s::text IS NULL OR e.id IN (
            SELECT n.entity_id FROM entity_names AS n
            WHERE n.team_id = %(team_id)s AND n.folded_name LIKE %(pattern)s))
      AND (%(after_at)s::timestamptz IS NULL
           OR (e.created_at, e.id) < (%(after_at)s::timestamptz, %(after_id)s::text))
    ORDER BY e.created_at DESC, e.id DESC LIMIT %(limit)s
"""
)
# The keys come sorted, and a plain scan of unnest keeps their order.
_LOCK_NAMES: LiteralString = """
    SELECT pg_advisory_xact_lock(hashtextextended(key, 2)) FROM unnest(%(keys)s::text[]) AS key
"""
_CREATE: LiteralString = """
    WITH created AS (
        INSERT INTO entities (team_id, id, kind, name, created_by_profile_id)
        SELECT %(team_id)s, id, kind, name, %(profile_id)s
        FROM unnest(%(ids)s::text[], %(kinds)s::text[], %(names)s::text[]) AS draft (id, kind, name)
        RETURNING id, created_at
    ), named AS (
        INSERT INTO entity_names (team_id, entity_id, name, folded_name, is_alias)
        SELECT %(team_id)s, entity_id, name, folded_name, is_alias
        FROM unnest(%(owners)s::text[], %(spellings)s::text[], %(folded)s::text[], %(alias_marks)s::boolean[])
             AS spelling (entity_id, name, folded_name, is_alias)
    )
    SELECT id, created_at FROM created
"""
