"""Who is calling: the outcome of authentication."""

from dataclasses import dataclass, field
from typing import Final, Literal

from app.kernel.database import Proof, Scope
from app.tenancy.authority import Authority

KeyScope = Literal["read", "write", "operate"]


@dataclass(frozen=True, slots=True)
class Caller:
    """A profile of a team, with what its key allows. `max_authority` caps the evidence that it submits.

    `requests_per_minute` is the key's own limit; None means the instance's. Whoever is known by a key that an
    earlier request brought has a `proof` to be given: what is done for them goes through `scope`.
    """

    key_id: str
    team_id: str
    profile_id: str
    scopes: frozenset[KeyScope]
    max_authority: Authority
    requests_per_minute: int | None = field(default=None, compare=False)
    proof: Proof | None = field(default=None, compare=False, repr=False)

    @property
    def scope(self) -> Scope:
        """Who transactions act as that are done for this caller."""
        return Scope("app", self.team_id, self.proof)


@dataclass(frozen=True, slots=True)
class Admin:
    """The holder of an admin key: manages teams, profiles and keys, reads no team's content."""

    key_id: str
    requests_per_minute: int | None = field(default=None, compare=False)
    proof: Proof | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Host:
    """Whoever runs commands on the machine with the database."""


HOST: Final = Host()
Actor = Caller | Admin | Host
