"""Tables of tenancy. `teams`, `api_keys` and `instance_settings` belong to the instance: no row security.

`audit_events` belongs to the instance and has row security of its own.
"""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key, team_reference
from app.tenancy.audit import ActorKind
from app.tenancy.authority import Authority


class Team(Base):
    """The tenant. Written through an admin key or the command line; from `closed_at` on it is being erased."""

    __tablename__ = "teams"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    created_at: Mapped[datetime] = created_now()
    closed_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("name", name="teams_name_is_unique"),
        CheckConstraint("length(name) BETWEEN 1 AND 256", name="name_has_length"),
    )


class Profile(Base):
    """An author inside a team: the owner boundary."""

    __tablename__ = "profiles"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("profiles_team"),
        UniqueConstraint("team_id", "name", name="profiles_name_is_unique"),
        CheckConstraint("length(name) BETWEEN 1 AND 256", name="name_has_length"),
    )


class ApiKey(Base):
    """A bearer key, stored as a digest only. An admin key belongs to no team and reads no team's content."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    key_digest: Mapped[str]
    team_id: Mapped[str | None]
    profile_id: Mapped[str | None]
    scopes: Mapped[list[str]]
    max_authority: Mapped[str]
    created_at: Mapped[datetime] = created_now()
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    requests_per_minute: Mapped[int | None]

    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "profile_id"], ["profiles.team_id", "profiles.id"], name="api_keys_profile"
        ),
        UniqueConstraint("key_digest", name="api_keys_key_digest_is_unique"),
        CheckConstraint(
            "scopes <@ ARRAY['read', 'write', 'operate', 'admin'] AND cardinality(scopes) > 0",
            name="scopes_are_known",
        ),
        CheckConstraint(
            "CASE WHEN 'admin' = ANY (scopes)"
            " THEN cardinality(scopes) = 1 AND team_id IS NULL AND profile_id IS NULL"
            " ELSE team_id IS NOT NULL AND profile_id IS NOT NULL END",
            name="admin_stands_outside_teams",
        ),
        one_of("max_authority", Authority),
        CheckConstraint("requests_per_minute >= 1", name="requests_per_minute_is_positive"),
        Index("api_keys_by_team", "team_id", "id"),
    )


class InstanceSetting(Base):
    """One key of the instance's configuration; a missing row means the built-in default."""

    __tablename__ = "instance_settings"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[object] = mapped_column(JSONB)
    row_version: Mapped[int] = mapped_column(server_default=text("1"))
    updated_at: Mapped[datetime] = created_now()


class TeamSetting(Base):
    """One key of a team's configuration; a missing row means the instance's value."""

    __tablename__ = "team_settings"

    team_id: Mapped[str] = team_key()
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[object] = mapped_column(JSONB)
    row_version: Mapped[int] = mapped_column(server_default=text("1"))
    updated_at: Mapped[datetime] = created_now()

    __table_args__ = (team_reference("team_settings_team"),)


class IdempotencyRecord(Base):
    """The stored answer of one request, written in the transaction of its effect and kept as long."""

    __tablename__ = "idempotency_records"

    team_id: Mapped[str] = team_key()
    profile_id: Mapped[str] = mapped_column(primary_key=True)
    operation: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    body_digest: Mapped[str]
    status: Mapped[int] = mapped_column(SmallInteger)
    answer: Mapped[object] = mapped_column(JSONB)
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("profiles", "profile_id", name="idempotency_records_profile"),
        CheckConstraint("length(key) BETWEEN 1 AND 128", name="key_has_length"),
    )


class AuditEventRow(Base):
    """One act of an admin, an operator or the host; append-only. Without a team it was done to the instance."""

    __tablename__ = "audit_events"

    id: Mapped[str] = mapped_column(primary_key=True)
    team_id: Mapped[str | None]
    action: Mapped[str]
    actor_kind: Mapped[str]
    actor_key_id: Mapped[str | None]
    actor_profile_id: Mapped[str | None]
    target_id: Mapped[str | None]
    details: Mapped[object] = mapped_column(JSONB)
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("audit_events_team"),
        one_of("actor_kind", ActorKind),
        CheckConstraint("action ~ '^[a-z_]{1,64}$'", name="action_is_a_word"),
        CheckConstraint("length(target_id) <= 128", name="target_is_an_id"),
        CheckConstraint(
            "jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 4096",
            name="details_are_few",
        ),
        Index("audit_events_by_team", "team_id", "created_at", "id"),
        Index(
            "audit_events_of_the_instance",
            "created_at",
            "id",
            postgresql_where=text("actor_kind <> 'profile'"),
        ),
    )
