"""Teams, profiles and keys. Bodies here may name ids: an admin key belongs to no team."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.api.wire.shapes import Answer, Closed, GivenName, Text, Time, UtcTime
from app.tenancy.authority import Authority
from app.tenancy.callers import KeyScope
from app.tenancy.keys import KeyDraft


class TeamBody(Closed):
    """A new team; it starts with the seeded predicates."""

    name: GivenName


class TeamAnswer(Answer):
    """A tenant. From `closed_at` on its keys are refused, and it is being erased."""

    team_id: str
    name: str
    created_at: UtcTime
    closed_at: UtcTime | None


class EraseBody(Closed):
    """The team's name once more, so that none is erased by a slip."""

    name: Annotated[Text, StringConstraints(max_length=256)]


class ErasedAnswer(Answer):
    """How many rows the team had; none is left."""

    team_id: str
    rows: int


class ProfileBody(Closed):
    """A new author inside the team."""

    name: GivenName


class ProfileAnswer(Answer):
    """An author inside a team."""

    profile_id: str
    team_id: str
    name: str
    created_at: UtcTime


class KeyBody(Closed):
    """A new key of one profile; without `expires_at` it lives until it is revoked."""

    profile_id: Annotated[Text, StringConstraints(min_length=1, max_length=128)]
    scopes: list[KeyScope] = Field(min_length=1, max_length=3)
    expires_at: Time | None = None
    max_authority: Authority = "primary"

    def as_draft(self) -> KeyDraft:
        """Return what the domain takes."""
        return KeyDraft(
            profile_id=self.profile_id,
            scopes=frozenset(self.scopes),
            max_authority=self.max_authority,
            expires_at=self.expires_at,
        )


class NewKeyAnswer(Answer):
    """`key` is what the client sends; it is shown this once."""

    key_id: str
    key: str


class KeyAnswer(Answer):
    """A key without its secret."""

    key_id: str
    profile_id: str
    scopes: list[Literal["read", "write", "operate"]]
    max_authority: Authority
    created_at: UtcTime
    expires_at: UtcTime | None
    revoked_at: UtcTime | None


class RevokedAnswer(Answer):
    """Since when the key is refused."""

    key_id: str
    revoked_at: UtcTime
