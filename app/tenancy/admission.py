"""Letting a request in: who it is, and whether it is within its limit. The same for every door."""

from dataclasses import dataclass

from app.coordination.buckets import Limit
from app.coordination.limiter import Limiter
from app.kernel.database import Database, Scope
from app.kernel.errors import Unauthenticated
from app.tenancy.callers import Admin, Caller
from app.tenancy.keys import authenticate


@dataclass(frozen=True, slots=True)
class Admission:
    """What a door lets requests in by. `limit` is that of a key which has none of its own."""

    database: Database
    limiter: Limiter
    limit: Limit

    async def admit(self, secret: str | None) -> Caller | Admin:
        """Return who the live key belongs to, with one request of its limit spent.

        A key that is known to have spent its limit is refused before anything else is asked; so hammering costs
        no statement. What is spent is taken after the transaction that looked the key up.

        Raises:
            Unauthenticated: no key, or one that is unknown, expired or revoked.
            RateLimited: the key has sent too many requests.
            Unavailable: too many wait for the database.
        """
        identity = None
        if secret is not None:
            self.limiter.refuse_spent(secret)
            await self.database.refuse_crowd()
            async with self.database.glance(Scope("app")) as reading:
                identity = await authenticate(reading, secret)
        if secret is None or identity is None:
            raise Unauthenticated("A valid bearer key is needed.")
        own = identity.requests_per_minute
        self.limiter.recognise(secret, identity.key_id)
        await self.limiter.spend(identity.key_id, self.limit if own is None else self.limit.scaled_to(own))
        return identity
