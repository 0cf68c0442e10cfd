"""The registry of predicates: every team's own list, seeded once, versioned ever after.

A predicate's key, symmetry and inverse never change, because identities of Relationships and Hypotheses are
computed from them. Everything else changes by a new version; what was stated keeps the version that it used.
Key, label, verb phrase and aliases, in every form of their verb, lead to one predicate only, for good: a dropped
one is not given to another. Two inverses share the words in which each is the other's passive.
"""

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from difflib import SequenceMatcher
from typing import Final, LiteralString

from sqlalchemy import bindparam, insert

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import NotFound, VersionMismatch
from app.kernel.pages import Page, decode_cursor, encode_cursor, refuse_cursor
from app.kernel.statements import compiled
from app.ledger.models import PredicateVersion
from app.ledger.nodes.names import fold_name
from app.ledger.predicates.draft import PredicateChanges, PredicateDraft, check_predicate
from app.ledger.predicates.names import name_taken, refuse_taken_names, take_names
from app.ledger.predicates.refit import lock_fitting, may_unfit, withdraw_unfit
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.predicates.wordings import direct_names, reversed_names
from app.ledger.vocabulary import Predicate
from app.tenancy.audit import Detail, record_audit
from app.tenancy.callers import Caller

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
_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(team_id)s || '/predicates', 0))"
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
_UNSET_CURRENT: LiteralString = """
    UPDATE predicates SET is_current = false
    WHERE team_id = %(team_id)s AND predicate_key = %(predicate_key)s AND is_current
"""
_INSERT_VERSION = compiled(
    insert(PredicateVersion).values(
        {
            column.name: bindparam(column.name)
            for column in PredicateVersion.__table__.c
            if column.name != "created_at"
        }
    )
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
    """Return the predicate that has this key or alias, case-folded; a retired one is not found."""
    folded = fold_name(name)
    for predicate in predicates.values():
        if predicate.lifecycle_state != "retired" and folded in _folded_names(predicate):
            return predicate
    return None


def nearest_predicates(predicates: Mapping[str, Predicate], name: str) -> tuple[str, ...]:
    """Return the keys of at most five usable predicates, most alike first, by key, label and aliases."""
    folded = fold_name(name).replace("_", " ")

    def likeness(predicate: Predicate) -> float:
        spellings = {
            text.replace("_", " ") for text in (*_folded_names(predicate), fold_name(predicate.label))
        }
        return max(SequenceMatcher(None, folded, text).ratio() for text in spellings)

    usable = [predicate for predicate in predicates.values() if predicate.lifecycle_state != "retired"]
    ranked = sorted(usable, key=lambda predicate: (-likeness(predicate), predicate.key))
    return tuple(predicate.key for predicate in ranked[:NEAREST_OPTIONS])


async def seed_predicates(w: Writing, team_id: str) -> None:
    """Leave the seeded predicates in a new team's list; run once, in the transaction that makes the team."""
    await w.execute_many(
        _INSERT_VERSION, [_version_row(team_id, predicate) for predicate in SEEDED_PREDICATES]
    )
    await take_names(w, team_id, SEEDED_PREDICATES)


async def register_predicate(w: Writing, caller: Caller, draft: PredicateDraft) -> Predicate:
    """Leave a new predicate, version 1, in the caller's team; its inverse gets a new version that names it.

    Raises:
        InvalidInput: the draft's fields are wrong or do not fit together.
        WrongState: `name_taken`, if key, label, verb phrase or an alias, in any form, leads to another one.
    """
    team_id = caller.team_id
    await w.execute(_LOCK, {"team_id": team_id})
    predicates = await list_predicates(w, team_id)
    predicate = draft.as_predicate()
    inverse = predicates.get(predicate.inverse_key) if predicate.inverse_key else None
    check_predicate(predicate, inverse=inverse)
    if predicate.key in predicates:
        raise name_taken(predicate.key)
    await take_names(w, team_id, predicates.values())
    await refuse_taken_names(w, team_id, predicate, inverse, known=frozenset())
    await w.execute(_INSERT_VERSION, _version_row(team_id, predicate))
    await take_names(w, team_id, [predicate])
    if inverse is not None:
        await _insert_next_version(w, team_id, replace(inverse, inverse_key=predicate.key))
    await record_audit(w, caller, "predicate_registered", target_id=predicate.key)
    return predicate


async def change_predicate(w: Writing, caller: Caller, key: str, changes: PredicateChanges) -> Predicate:
    """Leave a new current version with the changes; without any, the current one stays and is returned.

    Relationships that no longer fit stop being dream inputs, each with a transition, and Hypotheses that rest on
    one, or are about a target that no longer fits, become stale when the transaction ends; the reason of either
    is `predicate_retired` or `predicate_narrowed`.

    Raises:
        NotFound: no such predicate in the team.
        VersionMismatch: `expected_version` is not the current one.
        InvalidInput, WrongState: as for `register_predicate`.
    """
    team_id = caller.team_id
    await w.execute(_LOCK, {"team_id": team_id})
    predicates = await list_predicates(w, team_id)
    current = predicates.get(key)
    if current is None:
        raise NotFound("No such predicate.")
    if changes.expected_version not in (None, current.version):
        raise VersionMismatch("The predicate has changed since.")
    changed = changes.applied_to(current)
    if changed == current:
        return current
    inverse = predicates.get(current.inverse_key) if current.inverse_key else None
    check_predicate(changed, inverse=inverse, before=current)
    await take_names(w, team_id, predicates.values())
    known = direct_names(current) | reversed_names(current)
    await refuse_taken_names(w, team_id, changed, inverse, known=known)
    fitting = await lock_fitting(w, team_id, key) if may_unfit(current, changed) else ()
    result = await _insert_next_version(w, team_id, changed)
    await take_names(w, team_id, [result])
    reason = "predicate_retired" if changed.lifecycle_state == "retired" else "predicate_narrowed"
    await withdraw_unfit(w, team_id, fitting, reason=reason, actor_profile_id=caller.profile_id)
    details: dict[str, Detail] = {
        "version": result.version,
        "fields": [
            one.name for one in fields(current) if getattr(current, one.name) != getattr(changed, one.name)
        ],
    }
    await record_audit(w, caller, "predicate_changed", target_id=key, details=details)
    return result


async def _insert_next_version(w: Writing, team_id: str, predicate: Predicate) -> Predicate:
    changed = replace(predicate, version=predicate.version + 1)
    await w.execute(_UNSET_CURRENT, {"team_id": team_id, "predicate_key": predicate.key})
    await w.execute(_INSERT_VERSION, _version_row(team_id, changed))
    return changed


def _last_key(cursor: str, team_id: str) -> str:
    match decode_cursor(cursor, _OPERATION, {"team_id": team_id}):
        # The checksum is no secret, so a forged cursor may hold anything.
        case [str(key)] if "\0" not in key and not any("\ud800" <= one <= "\udfff" for one in key):
            return key
    raise refuse_cursor()


def _folded_names(predicate: Predicate) -> frozenset[str]:
    return frozenset(fold_name(name) for name in (predicate.key, *predicate.aliases))


def _version_row(team_id: str, predicate: Predicate) -> dict[str, object]:
    return {
        "team_id": team_id,
        "predicate_key": predicate.key,
        "version": predicate.version,
        "is_current": True,
        "label": predicate.label,
        "verb_phrase": predicate.verb_phrase,
        "aliases": list(predicate.aliases),
        "allowed_subject_kinds": list(predicate.allowed_subject_kinds),
        "allowed_object_kinds": list(predicate.allowed_object_kinds),
        "allowed_value_types": list(predicate.allowed_value_types),
        "relationship_kind": predicate.relationship_kind,
        "current_cardinality": predicate.current_cardinality,
        "is_symmetric": predicate.symmetric,
        "inverse_key": predicate.inverse_key,
        "lifecycle_state": predicate.lifecycle_state,
    }


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
