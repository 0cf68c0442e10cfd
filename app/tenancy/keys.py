"""API keys: made once, shown once, stored as a digest."""

import hashlib
import re
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

import psycopg

from app.kernel.database import Proof, Reading, Row, Writing
from app.kernel.errors import NotFound
from app.kernel.ids import new_id
from app.kernel.pages import NewestFirst, Page
from app.tenancy.audit import Detail, record_audit
from app.tenancy.authority import Authority
from app.tenancy.callers import HOST, Actor, Admin, Caller, KeyScope
from app.tenancy.teams import NO_SUCH_TEAM, find_open_team

_KEY: Final = re.compile(r"dm_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as its maker sees it, once. `secret` is what the client sends."""

    key_id: str
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDraft:
    """A key to be made: whose it is, what it allows, and until when; without an end it lives until revoked."""

    profile_id: str | None
    scopes: frozenset[KeyScope] = frozenset()
    max_authority: Authority = "primary"
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A stored key, without anything that could be used to call."""

    key_id: str
    profile_id: str
    scopes: tuple[KeyScope, ...]
    max_authority: Authority
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


async def create_key(writing: Writing, team_id: str, draft: KeyDraft, *, actor: Actor = HOST) -> NewKey:
    """Store a key of one profile and whose act that was; return it with its secret, of which a digest is kept.

    The transaction's scope is the team.

    Raises:
        NotFound: there is no such team, or it has no such profile.
        WrongState: `team_closed`.
    """
    await find_open_team(writing, team_id)
    params: dict[str, object] = {"team_id": team_id, "profile_id": draft.profile_id}
    if await writing.fetch_one(_FIND_PROFILE, params) is None:
        raise NotFound("There is no such profile.")
    try:
        key = await _insert_key(writing, draft, team_id=team_id, scopes=sorted(draft.scopes))
    except psycopg.errors.ForeignKeyViolation as error:
        # The team was erased since it was looked at.
        raise NotFound(NO_SUCH_TEAM) from error
    await record_audit(writing, actor, "key_created", target_id=key.key_id, details=_describe(draft))
    return key


async def create_admin_key(
    writing: Writing, *, expires_at: datetime | None = None, actor: Actor = HOST
) -> NewKey:
    """Store an admin key, which belongs to no team, and whose act that was.

    The transaction is the owner's and has no team: the database refuses such a key from any other role.
    """
    draft = KeyDraft(profile_id=None, max_authority="unknown", expires_at=expires_at)
    key = await _insert_key(writing, draft, team_id=None, scopes=["admin"])
    details = _describe(draft) | {"scopes": ["admin"]}
    await record_audit(writing, actor, "key_created", target_id=key.key_id, details=details)
    return key


def is_key(secret: str) -> bool:
    """Whether the text has the shape of a key."""
    return _KEY.fullmatch(secret) is not None


async def authenticate(reading: Reading, digest: str) -> Caller | Admin | None:
    """Return who the live key with this digest belongs to; None for one that is unknown, expired or revoked."""
    row = await reading.fetch_one(_AUTHENTICATE, {"digest": digest})
    return None if row is None else _identity(row)


def prove_key(digest: str, accept: Callable[[Caller | Admin | None], None]) -> Proof:
    """Return what a transaction asks of a key first; `accept` gets what `authenticate` would return."""
    return Proof(
        _AUTHENTICATE, {"digest": digest}, lambda row: accept(None if row is None else _identity(row))
    )


def _identity(row: Row) -> Caller | Admin:
    if row["team_id"] is None:
        return Admin(row["key_id"], row["requests_per_minute"])
    return Caller(
        key_id=row["key_id"],
        team_id=row["team_id"],
        profile_id=row["profile_id"],
        scopes=frozenset(row["scopes"]),
        max_authority=row["max_authority"],
        requests_per_minute=row["requests_per_minute"],
    )


async def find_live_keys(reading: Reading, key_ids: Collection[str]) -> set[str]:
    """Return those of the keys that are neither revoked nor expired nor gone."""
    rows = await reading.fetch_all(_FIND_LIVE, {"key_ids": list(key_ids)})
    return {row["id"] for row in rows}


async def list_keys(reading: Reading, team_id: str, *, limit: int, cursor: str | None) -> Page[Key]:
    """Return the team's keys, revoked and expired ones too, newest first."""
    paging = NewestFirst("list_keys", {"team_id": team_id})
    created_at, last_id = paging.position(cursor)
    params = {"team_id": team_id, "created_at": created_at, "last_id": last_id, "limit": limit + 1}
    rows = await reading.fetch_all(_LIST, params)
    keys = [Key(key_id=row.pop("id"), scopes=tuple(row.pop("scopes")), **row) for row in rows]
    return paging.page(keys, limit, lambda key: (key.created_at, key.key_id))


async def find_key_team(reading: Reading, key_id: str) -> str | None:
    """Return the team of a key, None for an admin key; NotFound when there is no such key."""
    row = await reading.fetch_one(_FIND_TEAM, {"key_id": key_id})
    if row is None:
        raise NotFound("There is no such key.")
    team_id: str | None = row["team_id"]
    return team_id


async def revoke_key(writing: Writing, key_id: str, *, actor: Actor = HOST) -> datetime:
    """Leave the key unusable from the next request on, and return since when; again changes nothing.

    The transaction's scope is the key's team, none for an admin key.

    Raises:
        NotFound: there is no such key.
    """
    if await writing.execute(_REVOKE, {"key_id": key_id}):
        await record_audit(writing, actor, "key_revoked", target_id=key_id)
    row = await writing.fetch_one(_FIND_REVOKED, {"key_id": key_id})
    if row is None:
        raise NotFound("There is no such key.")
    revoked_at: datetime = row["revoked_at"]
    return revoked_at


async def set_rate(
    writing: Writing, key_id: str, requests_per_minute: int | None, *, actor: Actor = HOST
) -> None:
    """Leave the key with a limit of its own, from 1 a minute on; None gives it the instance's.

    Processes that hold tokens of the key spend those first. The transaction's scope is the key's team, none for an
    admin key.

    Raises:
        NotFound: there is no such key.
    """
    if not await writing.execute(_SET_RATE, {"key_id": key_id, "rate": requests_per_minute}):
        raise NotFound("There is no such key.")
    details: dict[str, Detail] = {"requests_per_minute": requests_per_minute}
    await record_audit(writing, actor, "key_limited", target_id=key_id, details=details)


def digest_secret(secret: str) -> str:
    """Return what is stored of a key: 64 hexadecimal digits."""
    # 256 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()


async def _insert_key(writing: Writing, draft: KeyDraft, *, team_id: str | None, scopes: list[str]) -> NewKey:
    key = NewKey(key_id=new_id("key"), secret=f"dm_{secrets.token_urlsafe(32)}")
    await writing.execute(
        _INSERT,
        {
            "id": key.key_id,
            "digest": digest_secret(key.secret),
            "team_id": team_id,
            "profile_id": draft.profile_id,
            "scopes": scopes,
            "max_authority": draft.max_authority,
            "expires_at": draft.expires_at,
        },
    )
    return key


def _describe(draft: KeyDraft) -> dict[str, Detail]:
    return {
        "profile_id": draft.profile_id,
        "scopes": [*sorted(draft.scopes)],
        "max_authority": draft.max_authority,
        "expires_at": None if draft.expires_at is None else draft.expires_at.isoformat(),
    }


_FIND_PROFILE: LiteralString = "SELECT id FROM profiles WHERE team_id = %(team_id)s AND id = %(profile_id)s"

_AUTHENTICATE: LiteralString = "SELECT * FROM authenticate(%(digest)s)"

_INSERT: LiteralString = """
    INSERT INTO api_keys (id, key_digest, team_id, profile_id, scopes, max_authority, expires_at)
    VALUES (%(id)s, %(digest)s, %(team_id)s, %(profile_id)s, %(scopes)s, %(max_authority)s, %(expires_at)s)
"""

_FIND_LIVE: LiteralString = """
    SELECT id FROM api_keys
    WHERE id = ANY(%(key_ids)s) AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > clock_timestamp())
"""

_LIST: LiteralString = """
    SELECT id, profile_id, scopes, max_authority, created_at, expires_at, revoked_at FROM api_keys
    WHERE team_id = %(team_id)s
      AND (%(last_id)s::text IS NULL OR (created_at, id) < (%(created_at)s::timestamptz, %(last_id)s::text))
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""

_FIND_TEAM: LiteralString = "SELECT team_id FROM api_keys WHERE id = %(key_id)s"

_SET_RATE: LiteralString = "UPDATE api_keys SET requests_per_minute = %(rate)s WHERE id = %(key_id)s"

_REVOKE: LiteralString = """
    UPDATE api_keys SET revoked_at = clock_timestamp() WHERE id = %(key_id)s AND revoked_at IS NULL
"""

_FIND_REVOKED: LiteralString = "SELECT revoked_at FROM api_keys WHERE id = %(key_id)s"
