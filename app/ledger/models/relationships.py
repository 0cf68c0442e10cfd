"""Tables of the positions that profiles hold, what supports them and how they changed."""

from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Computed, Identity, Index, UniqueConstraint, text, true
from sqlalchemy.dialects.postgresql import DOUBLE_PRECISION, TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key
from app.ledger.vocabulary import Modality, Polarity, Status, Tier, TransitionEffect, Verdict

_NEWEST: Final = (text("changed_at DESC"), "id")


class Relationship(Base):
    """One profile's position. Its version rises with every change; nothing is deleted."""

    __tablename__ = "relationships"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    owner_profile_id: Mapped[str]
    subject_entity_id: Mapped[str]
    predicate_key: Mapped[str]
    predicate_version: Mapped[int]
    object_entity_id: Mapped[str | None]
    object_value_id: Mapped[str | None]
    polarity: Mapped[str]
    modality: Mapped[str]
    scope: Mapped[str | None]
    valid_from: Mapped[datetime | None]
    valid_to: Mapped[datetime | None]
    semantic_group_key: Mapped[str]
    target_identity: Mapped[str]
    tier: Mapped[str]
    status: Mapped[str]
    version: Mapped[int]
    # Since when it has been eligible without a break as far as its own status tells; null while it is not.
    eligible_since: Mapped[datetime | None]
    client_comment: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()
    changed_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("profiles", "owner_profile_id", name="relationships_owner"),
        references("entities", "subject_entity_id", name="relationships_subject"),
        references("entities", "object_entity_id", name="relationships_object_entity"),
        references("typed_values", "object_value_id", name="relationships_object_value"),
        references(
            "predicates",
            "predicate_key",
            "predicate_version",
            to=("predicate_key", "version"),
            name="relationships_predicate",
        ),
        UniqueConstraint(
            "team_id",
            "owner_profile_id",
            "semantic_group_key",
            "valid_from",
            name="relationships_owner_identity",
            postgresql_nulls_not_distinct=True,
        ),
        one_of("polarity", Polarity),
        one_of("modality", Modality),
        one_of("tier", Tier),
        one_of("status", Status),
        CheckConstraint("num_nonnulls(object_entity_id, object_value_id) = 1", name="has_one_object"),
        CheckConstraint("valid_from < valid_to", name="window_is_not_empty"),
        CheckConstraint("length(scope) BETWEEN 1 AND 128", name="scope_has_length"),
        CheckConstraint("version >= 1", name="version_counts_from_one"),
        # A guess without effective support can never be active, whoever writes it.
        CheckConstraint("status <> 'active' OR tier <> 'candidate'", name="active_is_supported"),
        Index("relationships_by_group", "team_id", "semantic_group_key"),
        Index("relationships_by_target", "team_id", "target_identity"),
        Index("relationships_by_subject", "team_id", "subject_entity_id", "predicate_key", *_NEWEST),
        Index("relationships_by_object_entity", "team_id", "object_entity_id", "predicate_key", *_NEWEST),
        Index("relationships_newest_of_subject", "team_id", "subject_entity_id", *_NEWEST),
        Index("relationships_newest_of_object", "team_id", "object_entity_id", *_NEWEST),
        Index("relationships_by_object_value", "team_id", "object_value_id"),
        Index("relationships_newest", "team_id", text("changed_at DESC"), text("id DESC")),
    )


class VerificationEvent(Base):
    """A verdict on one citation of one Relationship. Append-only; a provider's failure leaves none.

    `is_own` is false for one that was handed on from another position, by a merge.
    """

    __tablename__ = "verification_events"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    relationship_id: Mapped[str]
    citation_id: Mapped[str]
    verdict: Mapped[str]
    confidence: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    schema_valid: Mapped[bool]
    verifier_kind: Mapped[str]
    verifier_version: Mapped[str]
    rationale: Mapped[str]
    created_at: Mapped[datetime] = created_now()
    is_own: Mapped[bool] = mapped_column(server_default=true())

    __table_args__ = (
        references("relationships", "relationship_id", name="verification_events_relationship"),
        references("citations", "citation_id", name="verification_events_citation"),
        one_of("verdict", Verdict),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence_is_a_share"),
        Index("verification_events_by_citation", "team_id", "citation_id"),
        Index(
            "verification_events_latest",
            "team_id",
            "relationship_id",
            text("created_at DESC"),
            text("id DESC"),
        ),
    )


class Support(Base):
    """A Relationship's link to a citation, as the latest support event left it.

    `is_own` says of a granted one whether it was given to the position itself; a merge only lends.
    """

    __tablename__ = "supports"

    team_id: Mapped[str] = team_key()
    relationship_id: Mapped[str] = mapped_column(primary_key=True)
    citation_id: Mapped[str] = mapped_column(primary_key=True)
    is_granted: Mapped[bool]
    is_own: Mapped[bool] = mapped_column(server_default=true())

    __table_args__ = (
        references("relationships", "relationship_id", name="supports_relationship"),
        references("citations", "citation_id", name="supports_citation"),
        Index("supports_by_citation", "team_id", "citation_id"),
    )


class SupportEvent(Base):
    """A support was granted, revoked or reinstated. Append-only."""

    __tablename__ = "support_events"

    team_id: Mapped[str] = team_key()
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    relationship_id: Mapped[str]
    citation_id: Mapped[str]
    event: Mapped[str]
    reason: Mapped[str]
    actor_profile_id: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references(
            "supports",
            "relationship_id",
            "citation_id",
            to=("relationship_id", "citation_id"),
            name="support_events_support",
        ),
        references("profiles", "actor_profile_id", name="support_events_actor"),
        CheckConstraint("event IN ('granted', 'revoked', 'reinstated')", name="event_is_known"),
        Index("support_events_by_relationship", "team_id", "relationship_id", "id"),
    )


class RelationshipTransition(Base):
    """One change of a Relationship: one version, one event. Append-only.

    `effect` says what it means for Hypotheses; a deferred trigger carries it out in the same transaction.
    """

    __tablename__ = "relationship_transitions"

    team_id: Mapped[str] = team_key()
    relationship_id: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    from_tier: Mapped[str | None]
    to_tier: Mapped[str]
    from_status: Mapped[str | None]
    to_status: Mapped[str]
    reason: Mapped[str]
    effect: Mapped[str]
    actor_profile_id: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()
    # What the actor said about it, in their own words.
    note: Mapped[str | None]
    # The end of the window then. What was superseded without another end was replaced for all its time.
    from_valid_to: Mapped[datetime | None]
    to_valid_to: Mapped[datetime | None]

    __table_args__ = (
        references("relationships", "relationship_id", name="relationship_transitions_relationship"),
        references("profiles", "actor_profile_id", name="relationship_transitions_actor"),
        one_of("to_tier", Tier),
        one_of("to_status", Status),
        one_of("effect", TransitionEffect),
        CheckConstraint(
            "CASE WHEN from_status IS NULL OR from_status = to_status THEN true"
            " WHEN to_status = 'active' THEN effect = 'became_active'"
            " WHEN from_status IN ('active', 'pending_evidence') THEN effect = 'source_lost' ELSE true END",
            name="effect_is_that_of_its_states",
        ),
        CheckConstraint(
            "(version = 1) = (from_status IS NULL) AND (version = 1) = (from_tier IS NULL)",
            name="first_comes_from_nothing",
        ),
    )


class RelationshipDocument(Base):
    """What full-text search reads: statement, names and aliases. Never readable by the dreamer."""

    __tablename__ = "relationship_documents"

    team_id: Mapped[str] = team_key()
    relationship_id: Mapped[str] = mapped_column(primary_key=True)
    body: Mapped[str]
    search: Mapped[object] = mapped_column(TSVECTOR, Computed("to_tsvector('english', body)", persisted=True))

    __table_args__ = (
        references("relationships", "relationship_id", name="relationship_documents_relationship"),
        # Each word begins with a mark of the team.
        Index(
            "relationship_documents_search",
            text("words_of_team(team_id, body, search)"),
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        ),
    )
