"""New predicates and new versions of them, with what follows for the positions that stand.

A predicate's key, symmetry and inverse never change, because identities of Relationships and Hypotheses are
computed from them. Everything else changes by a new version; what was stated keeps the version that it used.
Key, label, verb phrase and aliases, in every form of their verb, lead to one predicate only, for good: a dropped
one is not given to another. Two inverses share the words in which each is the other's passive.
"""

from dataclasses import fields, replace
from typing import LiteralString

from sqlalchemy import bindparam, insert

from app.kernel.database import Writing
from app.kernel.errors import NotFound, VersionMismatch
from app.kernel.statements import compiled
from app.ledger.models import PredicateVersion
from app.ledger.predicates.draft import PredicateChanges, PredicateDraft, check_predicate
from app.ledger.predicates.names import name_taken, refuse_taken_names, take_names
from app.ledger.predicates.refit import lock_fitting, may_unfit, withdraw_unfit
from app.ledger.predicates.registry import list_predicates
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.predicates.settling import PREDICATE, begin_settling, item_of
from app.ledger.predicates.wordings import direct_names, reversed_names
from app.ledger.vocabulary import Predicate
from app.queue.leases import lock_item
from app.tenancy.audit import Detail, record_audit
from app.tenancy.callers import Caller


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
        # It may say of what the inverse holds already that one is all that can.
        await begin_settling(w, caller, None, predicate)
    await record_audit(w, caller, "predicate_registered", target_id=predicate.key)
    return predicate


async def change_predicate(w: Writing, caller: Caller, key: str, changes: PredicateChanges) -> Predicate:
    """Leave a new current version with the changes; without any, the current one stays and is returned.

    Relationships that no longer fit stop being dream inputs, each with a transition, and Hypotheses that rest on
    one, or are about a target that no longer fits, become stale when the transaction ends; the reason of either
    is `predicate_retired` or `predicate_narrowed`. Positions that cannot hold beside each other any more wait for
    a review or stand in a conflict case, and cases that have no reason any more close: some of them at once, the
    rest by a worker (`settling`).

    Raises:
        NotFound: no such predicate in the team.
        VersionMismatch: `expected_version` is not the current one.
        InvalidInput, WrongState: as for `register_predicate`.
    """
    team_id = caller.team_id
    # Before the predicates, as the worker takes them.
    await lock_item(w, team_id=team_id, kind=PREDICATE, item_id=item_of(caller, key))
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
    await begin_settling(w, caller, current, result)
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


_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(team_id)s || '/predicates', 0))"
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
