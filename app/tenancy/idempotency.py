"""Stored answers: a repeated request gets the first one's answer, and its effect happens once."""

import hashlib
import json
from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Writing
from app.kernel.errors import IdempotencyConflict, InProgress
from app.tenancy.callers import Caller

MAX_KEY_LENGTH: Final = 128


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """Status and body as the first request got them."""

    status: int
    body: object


def body_digest(path: str, body: object) -> str:
    """Return the digest of a canonical validated body and its path: 64 hexadecimal digits."""
    canonical = json.dumps([path, body], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


async def find_answer(
    writing: Writing, caller: Caller, *, operation: str, key: str, digest: str
) -> StoredAnswer | None:
    """Return the stored answer, or None after reserving the key for the rest of this transaction.

    Raises:
        IdempotencyConflict: the key was used with another body.
        InProgress: the same key is being worked on in another transaction.
    """
    params = {
        "team_id": caller.team_id,
        "profile_id": caller.profile_id,
        "operation": operation,
        "key": _digest_key(key),
    }
    row = await writing.fetch_one(_RESERVE, params)
    if row is None or not row["is_reserved"]:
        raise InProgress("A request with this idempotency key is still running.")
    stored = await writing.fetch_one(_FIND, params)
    if stored is None:
        return None
    if stored["body_digest"] != digest:
        raise IdempotencyConflict("This idempotency key was used with another body.")
    return StoredAnswer(stored["status"], stored["answer"])


async def store_answer(
    writing: Writing, caller: Caller, *, operation: str, key: str, digest: str, answer: StoredAnswer
) -> None:
    """Keep the answer; it becomes visible with the effect, when the transaction commits."""
    await writing.execute(
        _STORE,
        {
            "team_id": caller.team_id,
            "profile_id": caller.profile_id,
            "operation": operation,
            "key": _digest_key(key),
            "body_digest": digest,
            "status": answer.status,
            "answer": json.dumps(answer.body),
        },
    )


def _digest_key(key: str) -> str:
    """Return what is stored of a key, which a client may have made of anything, a secret too."""
    return hashlib.sha256(key.encode()).hexdigest()


# The lock ends with the transaction. Two keys that hash alike cost a retry, never an answer.
_RESERVE: LiteralString = """
    SELECT pg_try_advisory_xact_lock(
        hashtextextended(%(team_id)s || '/' || %(profile_id)s || '/' || %(operation)s || '/' || %(key)s, 1)
    ) AS is_reserved
"""
_FIND: LiteralString = """
    SELECT body_digest, status, answer FROM idempotency_records
    WHERE team_id = %(team_id)s AND profile_id = %(profile_id)s AND operation = %(operation)s AND key = %(key)s
"""
_STORE: LiteralString = """
    INSERT INTO idempotency_records (team_id, profile_id, operation, key, body_digest, status, answer)
    VALUES (%(team_id)s, %(profile_id)s, %(operation)s, %(key)s, %(body_digest)s, %(status)s, %(answer)s::jsonb)
"""
