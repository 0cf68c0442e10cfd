"""The registry of predicates: every team's own list, seeded once, versioned ever after.

Read here; `changes` writes.
"""

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from typing import Final, LiteralString

from app.kernel.database import Reading, Row, Writing
from app.kernel.pages import Page, decode_cursor, encode_cursor, refuse_cursor
from app.kernel.storable import is_storable
from app.ledger.nodes.names import fold_name
from app.ledger.vocabulary import Predicate

NEAREST_OPTIONS = 5
_OPERATION: Final = "list_predicates"

_COLUMNS: LiteralString = """
    predicate_key, version, label, verb_phrase, aliases, allowed_subject_kinds, allowed_object_kinds,
    allowed_value_types, relationship_kind, current_cardinality, is_symmetric, inverse_key, lifecycle_state
"""
_CURRENT: LiteralString = (
    "SELECT "
    + _COLUMNS
    + " FROM predicates WHERE team_id = %(team_id)s AND is_current ORDER BY predicate_key"
)
_HOLD: LiteralString = (
    "SELECT pg_advisory_xact_lock_shared(hashtextextended(%(team_id)s || '/predicates', 0))"
)
_OF_KEYS: LiteralString = (
    "SELECT "
    + _COLUMNS
    + """ FROM predicates WHERE team_id = %(team_id)s AND is_current AND predicate_key = ANY (
        %(keys)s::text[] || ARRAY(
            SELECT inverse_key FROM predicates
            WHERE team_id = %(team_id)s AND is_current AND predicate_key = ANY (%(keys)s)
              AND inverse_key IS NOT NULL))"""
)
_PAGE: LiteralString = (
    "SELECT "
    + _COLUMNS
    + """ FROM predicates
    WHERE team_id = %(team_id)s AND is_current AND predicate_key > %(after)s
    ORDER BY predicate_key LIMIT %(limit)s"""
)


async def list_predicates(reading: Reading, team_id: str) -> dict[str, Predicate]:
    """Return the current version of each of the team's predicates, by key, in the order of the keys.

    Deprecated and retired ones are among them; see `lifecycle_state`.
    """
    rows = await reading.fetch_all(_CURRENT, {"team_id": team_id})
    return {row["predicate_key"]: _read_predicate(row) for row in rows}


async def hold_predicates(
    w: Writing, team_id: str, keys: Collection[str] | None = None
) -> dict[str, Predicate]:
    """Return what `list_predicates` returns; nobody changes any of the team's until the transaction ends.

    Of these keys, with their inverses, if any are given. Taken before turns for slots and Relationships.
    """
    params: dict[str, object] = {"team_id": team_id}
    read: LiteralString = _CURRENT
    if keys is not None:
        params["keys"], read = sorted(keys), _OF_KEYS
    # The second one sees what was committed while the first one waited.
    _, rows = await w.fetch_each((_HOLD, {"team_id": team_id}), (read, params))
    return {row["predicate_key"]: _read_predicate(row) for row in rows}


async def page_predicates(
    reading: Reading, team_id: str, *, limit: int = 20, cursor: str | None = None
) -> Page[Predicate]:
    """Return one page of what `list_predicates` returns, in the order of the keys; `limit` is 1..100.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    params = {
        "team_id": team_id,
        "after": "" if cursor is None else _last_key(cursor, team_id),
        "limit": limit + 1,
    }
    found = [_read_predicate(row) for row in await reading.fetch_all(_PAGE, params)]
    if len(found) <= limit:
        return Page(tuple(found), None)
    next_cursor = encode_cursor(_OPERATION, {"team_id": team_id}, [found[limit - 1].key])
    return Page(tuple(found[:limit]), next_cursor)


def find_predicate(predicates: Mapping[str, Predicate], name: str) -> Predicate | None:
    """Return the predicate of this key or else the only one of this label, verb phrase or alias.

    Case and white space do not matter; a retired one is not found. `changes` gives a name to one predicate only,
    but some registries are older than that rule.
    """
    folded = fold_name(name)
    of_key = predicates.get(folded)
    if of_key is not None and of_key.lifecycle_state != "retired":
        return of_key
    found = [predicate for predicate in _usable(predicates) if folded in _folded_names(predicate)]
    return found[0] if len(found) == 1 else None


def nearest_predicates(predicates: Mapping[str, Predicate], name: str) -> tuple[str, ...]:
    """Return the keys of at most five usable predicates, most alike first, by their names."""
    folded = fold_name(name).replace("_", " ")

    def likeness(predicate: Predicate) -> float:
        spellings = {text.replace("_", " ") for text in _folded_names(predicate)}
        return max(SequenceMatcher(None, folded, text).ratio() for text in spellings)

    ranked = sorted(_usable(predicates), key=lambda predicate: (-likeness(predicate), predicate.key))
    return tuple(predicate.key for predicate in ranked[:NEAREST_OPTIONS])


def _last_key(cursor: str, team_id: str) -> str:
    match decode_cursor(cursor, _OPERATION, {"team_id": team_id}):
        # The checksum is no secret, so a forged cursor may hold anything.
        case [str(key)] if is_storable(key):
            return key
    raise refuse_cursor()


def _usable(predicates: Mapping[str, Predicate]) -> list[Predicate]:
    return [predicate for predicate in predicates.values() if predicate.lifecycle_state != "retired"]


def _folded_names(predicate: Predicate) -> frozenset[str]:
    names = (predicate.key, predicate.label, predicate.verb_phrase, *predicate.aliases)
    return frozenset(map(fold_name, names))


def _read_predicate(row: Row) -> Predicate:
    return Predicate(
        key=row["predicate_key"],
        version=row["version"],
        label=row["label"],
        verb_phrase=row["verb_phrase"],
        aliases=tuple(row["aliases"]),
        allowed_subject_kinds=tuple(row["allowed_subject_kinds"]),
        allowed_object_kinds=tuple(row["allowed_object_kinds"]),
        allowed_value_types=tuple(row["allowed_value_types"]),
        relationship_kind=row["relationship_kind"],
        current_cardinality=row["current_cardinality"],
        symmetric=row["is_symmetric"],
        inverse_key=row["inverse_key"],
        lifecycle_state=row["lifecycle_state"],
    )
