"""API keys: made once, shown once, stored as a digest."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Reading, Writing
from app.kernel.errors import NotFound
from app.kernel.ids import new_id
from app.kernel.pages import NewestFirst, Page
from app.tenancy.authority import Authority
from app.tenancy.callers import Admin, Caller, KeyScope

_KEY: Final = re.compile(r"dm_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as its maker sees it, once. `secret` is what the client sends."""

    key_id: str
    secret: str


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


async def create_key(
    writing: Writing,
    *,
    team_id: str,
    profile_id: str,
    scopes: frozenset[KeyScope],
    max_authority: Authority = "primary",
    expires_at: datetime | None = None,
) -> NewKey:
    """Store a key of one profile and return it with its secret; only the digest is kept.

    Raises:
        NotFound: the team has no such profile.
    """
    params = {"team_id": team_id, "profile_id": profile_id}
    if await writing.fetch_one(_FIND_PROFILE, params) is None:
        raise NotFound("There is no such profile.")
    return await _insert_key(
        writing, params | {"scopes": sorted(scopes), "max_authority": max_authority, "expires_at": expires_at}
    )


async def create_admin_key(writing: Writing) -> NewKey:
    """Store an admin key, which belongs to no team."""
    return await _insert_key(
        writing,
        {
            "team_id": None,
            "profile_id": None,
            "scopes": ["admin"],
            "max_authority": "unknown",
            "expires_at": None,
        },
    )


async def authenticate(reading: Reading, secret: str) -> Caller | Admin | None:
    """Return who a live key belongs to; None for one that is unknown, expired, revoked or of another shape."""
    if _KEY.fullmatch(secret) is None:
        return None
    row = await reading.fetch_one(_AUTHENTICATE, {"digest": _digest(secret)})
    if row is None:
        return None
    if row["team_id"] is None:
        return Admin(row["key_id"])
    return Caller(
        key_id=row["key_id"],
        team_id=row["team_id"],
        profile_id=row["profile_id"],
        scopes=frozenset(row["scopes"]),
        max_authority=row["max_authority"],
    )


async def list_keys(reading: Reading, team_id: str, *, limit: int, cursor: str | None) -> Page[Key]:
    """Return the team's keys, revoked and expired ones too, newest first."""
    paging = NewestFirst("list_keys", {"team_id": team_id})
    created_at, last_id = paging.position(cursor)
    params = {"team_id": team_id, "created_at": created_at, "last_id": last_id, "limit": limit + 1}
    rows = await reading.fetch_all(_LIST, params)
    keys = [Key(key_id=row.pop("id"), scopes=tuple(row.pop("scopes")), **row) for row in rows]
    return paging.page(keys, limit, lambda key: (key.created_at, key.key_id))


async def revoke_key(writing: Writing, key_id: str) -> datetime:
    """Leave the key unusable from the next request on, and return since when; again changes nothing.

    Raises:
        NotFound: there is no such key.
    """
    row = await writing.fetch_one(_REVOKE, {"key_id": key_id})
    if row is None:
        raise NotFound("There is no such key.")
    revoked_at: datetime = row["revoked_at"]
    return revoked_at


async def _insert_key(writing: Writing, params: dict[str, object]) -> NewKey:
    key = NewKey(key_id=new_id("key"), secret=f"dm_{secrets.token_urlsafe(32)}")
    await writing.execute(_INSERT, params | {"id": key.key_id, "digest": _digest(key.secret)})
    return key


def _digest(secret: str) -> str:
    # 256 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()


_FIND_PROFILE: LiteralString = "SELECT id FROM profiles WHERE team_id = %(team_id)s AND id = %(profile_id)s"

_AUTHENTICATE: LiteralString = "SELECT * FROM authenticate(%(digest)s)"

_INSERT: LiteralString = """
    INSERT INTO api_keys (id, key_digest, team_id, profile_id, scopes, max_authority, expires_at)
    VALUES (%(id)s, %(digest)s, %(team_id)s, %(profile_id)s, %(scopes)s, %(max_authority)s, %(expires_at)s)
"""

_LIST: LiteralString = """
    SELECT id, profile_id, scopes, max_authority, created_at, expires_at, revoked_at FROM api_keys
    WHERE team_id = %(team_id)s
      AND (%(last_id)s::text IS NULL OR (created_at, id) < (%(created_at)s::timestamptz, %(last_id)s::text))
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""

_REVOKE: LiteralString = """
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp())
    WHERE id = %(key_id)s RETURNING revoked_at
"""
