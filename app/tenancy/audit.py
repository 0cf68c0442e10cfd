"""What admins, operators and the host's commands did: one event an act, kept as long as its team.

An event names ids, settings, numbers and codes; never content, and never a secret. It is written in the
transaction of what it tells of, so neither is there without the other. An act on a team belongs to that team and
goes when the team is erased; the erasure itself belongs to the instance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, LiteralString, assert_never

from psycopg.types.json import Jsonb

from app.kernel.database import Reading, Row, Writing
from app.kernel.ids import new_id
from app.kernel.pages import NewestFirst, Page
from app.tenancy.callers import Actor, Admin, Caller, Host

AuditAction = Literal[
    "team_created",
    "team_exported",
    "team_imported",
    "team_closed",
    "team_erased",
    "profile_created",
    "key_created",
    "key_revoked",
    "key_limited",
    "settings_changed",
    "predicate_registered",
    "predicate_changed",
    "cycle_started",
    "cycle_cancelled",
    "entity_merged",
    "entity_unmerged",
    "evidence_released",
    "evidence_discarded",
]
ActorKind = Literal["profile", "admin", "host"]
Detail = str | int | float | bool | list[str] | None
NO_DETAILS: Final[Mapping[str, Detail]] = {}
_OPERATION: Final = "list_audit_events"


@dataclass(frozen=True, slots=True)
class AuditActor:
    """Who it was: a profile by one of its keys, an admin key, or the host's command line, which has no key."""

    kind: ActorKind
    key_id: str | None
    profile_id: str | None


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One act. `team_id` is None for one on the instance; `target_id` is an id, or a predicate's key."""

    audit_id: str
    team_id: str | None
    action: AuditAction
    actor: AuditActor
    target_id: str | None
    details: Mapping[str, Detail]
    created_at: datetime


async def record_audit(
    writing: Writing,
    actor: Actor,
    action: AuditAction,
    *,
    target_id: str | None = None,
    details: Mapping[str, Detail] = NO_DETAILS,
) -> None:
    """Leave one event of the transaction's team, or of the instance when the transaction has no team.

    Call it in the transaction of the effect, and only when there was one.

    Args:
        writing: the effect's transaction.
        actor: whose act it is.
        action: what was done.
        target_id: what it was done to: an id, or a predicate's key; at most 128 characters.
        details: ids, names and values of settings, numbers, codes; at most 4 KiB as JSON. Never content (names
            that a client chose are content), never a secret.
    """
    who = _name_actor(actor)
    await writing.execute(
        _INSERT,
        {
            "id": new_id("aud"),
            "action": action,
            "actor_kind": who.kind,
            "actor_key_id": who.key_id,
            "actor_profile_id": who.profile_id,
            "target_id": target_id,
            "details": Jsonb(dict(details)),
        },
    )


async def list_team_audit(
    reading: Reading, team_id: str, *, action: AuditAction | None, limit: int, cursor: str | None
) -> Page[AuditEvent]:
    """Return what was done to the team by whomever, newest first; the transaction's scope is the team."""
    return await _list(reading, _LIST_TEAM, team_id, action=action, limit=limit, cursor=cursor)


async def list_instance_audit(
    reading: Reading, *, action: AuditAction | None, limit: int, cursor: str | None
) -> Page[AuditEvent]:
    """Return what admin keys and the host did, to the instance and to any team, newest first.

    What a team's own operators did is the team's business. The transaction's scope has no team.
    """
    return await _list(reading, _LIST_INSTANCE, "", action=action, limit=limit, cursor=cursor)


async def _list(
    reading: Reading,
    query: LiteralString,
    team_id: str,
    *,
    action: AuditAction | None,
    limit: int,
    cursor: str | None,
) -> Page[AuditEvent]:
    paging = NewestFirst(_OPERATION, {"team_id": team_id, "action": action})
    created_at, last_id = paging.position(cursor)
    params = {"team_id": team_id, "action": action, "limit": limit + 1}
    rows = await reading.fetch_all(query, params | {"created_at": created_at, "last_id": last_id})
    events = [_read_event(row) for row in rows]
    return paging.page(events, limit, lambda event: (event.created_at, event.audit_id))


def _name_actor(actor: Actor) -> AuditActor:
    match actor:
        case Caller(key_id=key_id, profile_id=profile_id):
            return AuditActor("profile", key_id, profile_id)
        case Admin(key_id=key_id):
            return AuditActor("admin", key_id, None)
        case Host():
            return AuditActor("host", None, None)
    assert_never(actor)


def _read_event(row: Row) -> AuditEvent:
    return AuditEvent(
        audit_id=row["id"],
        team_id=row["team_id"],
        action=row["action"],
        actor=AuditActor(row["actor_kind"], row["actor_key_id"], row["actor_profile_id"]),
        target_id=row["target_id"],
        details=row["details"],
        created_at=row["created_at"],
    )


# The team is the transaction's: an event cannot be put on another one's account.
_INSERT: LiteralString = """
    INSERT INTO audit_events
        (id, team_id, action, actor_kind, actor_key_id, actor_profile_id, target_id, details)
    VALUES
        (%(id)s, nullif(current_setting('densemem.team_id', true), ''), %(action)s, %(actor_kind)s,
         %(actor_key_id)s, %(actor_profile_id)s, %(target_id)s, %(details)s)
"""
_COLUMNS: LiteralString = """
    SELECT id, team_id, action, actor_kind, actor_key_id, actor_profile_id, target_id, details, created_at
    FROM audit_events
"""
_PAGE: LiteralString = """
      AND (%(action)s::text IS NULL OR action = %(action)s)
      AND (%(last_id)s::text IS NULL OR (created_at, id) < (%(created_at)s::timestamptz, %(last_id)s::text))
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""
_LIST_TEAM: LiteralString = _COLUMNS + "WHERE team_id = %(team_id)s" + _PAGE
_LIST_INSTANCE: LiteralString = _COLUMNS + "WHERE actor_kind <> 'profile'" + _PAGE
