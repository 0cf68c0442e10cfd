"""Letting a request in: who it is, and whether it is within its limit. The same for every door.

Whose a key is never changes; whether it lives does. So who brought a key before is known, and what is done for
the request has the database say in its first round trip that the key still lives: nothing counts without that.
"""

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Final

from app.coordination.buckets import Limit
from app.coordination.limiter import Limiter
from app.kernel.database import Database, Scope
from app.kernel.errors import Unauthenticated
from app.tenancy.callers import Admin, Caller
from app.tenancy.keys import authenticate, digest_secret, is_key, prove_key

MAX_KNOWN: Final = 10_000


@dataclass(frozen=True, slots=True)
class Admission:
    """What a door lets requests in by. `limit` is that of a key which has none of its own."""

    database: Database
    limiter: Limiter
    limit: Limit
    # By digests of their keys, the one longest unused first.
    _known: OrderedDict[str, Caller | Admin] = field(default_factory=OrderedDict, compare=False, repr=False)

    async def admit(self, secret: str | None) -> Caller | Admin:
        """Return who the live key belongs to, with one request of its limit spent.

        Raises:
            Unauthenticated: no key, or one that is unknown, expired or revoked.
            RateLimited: the key has sent too many requests.
            Unavailable: too many wait for the database.
        """
        identity = await self.recognise(secret)
        await self.prove(identity)
        return identity

    async def recognise(self, secret: str | None) -> Caller | Admin:
        """Return whose the key is, with one request of its limit spent; whether it lives may have to be proven.

        That is for the transaction that comes first, or for `prove`. Only a request that this process holds a
        token for goes on that way: tokens are taken for a key that lives, by the limit that it has then.

        A key that is known to have spent its limit is refused before anything else is asked; so hammering costs no
        statement. Raises what `admit` raises.
        """
        if secret is None or not is_key(secret):
            raise _refusal()
        digest = digest_secret(secret)
        known = self._known.get(digest)
        if known is not None:
            self.limiter.refuse_spent(known.key_id)
        await self.database.refuse_crowd()
        if known is not None and self.limiter.spend_held(known.key_id):
            return self._believe(digest, known)
        identity = await self._find(digest)
        own = identity.requests_per_minute
        await self.limiter.spend(identity.key_id, self.limit if own is None else self.limit.scaled_to(own))
        return identity

    async def prove(self, identity: Caller | Admin) -> None:
        """Raise Unauthenticated unless the key lives that the identity was recognised by."""
        proof = identity.proof
        if proof is not None and not proof.is_given:
            async with self.database.glance(Scope("app")) as reading:
                proof.take(await reading.fetch_one(proof.query, proof.params))

    async def _find(self, digest: str) -> Caller | Admin:
        async with self.database.glance(Scope("app")) as reading:
            return self._learn(digest, await authenticate(reading, digest))

    def _believe(self, digest: str, known: Caller | Admin) -> Caller | Admin:
        def accept(found: Caller | Admin | None) -> None:
            if self._learn(digest, found) != known:
                raise _refusal()

        return replace(known, proof=prove_key(digest, accept))

    def _learn(self, digest: str, found: Caller | Admin | None) -> Caller | Admin:
        if found is None:
            self._known.pop(digest, None)
            raise _refusal()
        self._known[digest] = found
        self._known.move_to_end(digest)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return found


def _refusal() -> Unauthenticated:
    return Unauthenticated("A valid bearer key is needed.")
