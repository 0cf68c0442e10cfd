"""Tables of what needs a decision: conflicts between profiles, open ambiguities."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key
from app.ledger.vocabulary import CaseEvent, ReviewKind


class ConflictCase(Base):
    """Positions of different profiles that cannot both hold. Overdue is a matter of `due_at` and the clock."""

    __tablename__ = "conflict_cases"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    status: Mapped[str]
    subject_entity_id: Mapped[str]
    predicate_key: Mapped[str]
    preferred_position_id: Mapped[str | None]
    opened_at: Mapped[datetime] = created_now()
    due_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    closed_by_profile_id: Mapped[str | None]
    close_reason: Mapped[str | None]

    __table_args__ = (
        references("entities", "subject_entity_id", name="conflict_cases_subject"),
        references(
            "conflict_positions",
            "id",
            "preferred_position_id",
            to=("case_id", "id"),
            name="conflict_cases_preferred_position",
            is_mutual=True,
        ),
        references("profiles", "closed_by_profile_id", name="conflict_cases_closed_by"),
        CheckConstraint("kind IN ('other_object', 'opposite_polarity')", name="kind_is_known"),
        CheckConstraint("status IN ('open', 'resolved', 'dismissed')", name="status_is_known"),
        CheckConstraint(
            "(status = 'resolved') = (preferred_position_id IS NOT NULL)", name="resolved_prefers_one"
        ),
        Index("conflict_cases_newest", "team_id", text("opened_at DESC"), text("id DESC")),
        Index("conflict_cases_by_subject", "team_id", "subject_entity_id"),
    )


class ConflictPosition(Base):
    """One side of a case: an equivalence group; its Relationships are those with this group key."""

    __tablename__ = "conflict_positions"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str]
    semantic_group_key: Mapped[str]

    __table_args__ = (
        references("conflict_cases", "case_id", name="conflict_positions_case"),
        UniqueConstraint("team_id", "case_id", "semantic_group_key", name="conflict_positions_are_unique"),
        UniqueConstraint("team_id", "case_id", "id", name="conflict_positions_of_case"),
        Index("conflict_positions_by_group", "team_id", "semantic_group_key"),
    )


class ConflictEvent(Base):
    """A case was opened, widened, decided, closed by itself or reopened. Append-only."""

    __tablename__ = "conflict_events"

    team_id: Mapped[str] = team_key()
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    case_id: Mapped[str]
    event: Mapped[str]
    preferred_position_id: Mapped[str | None]
    reason: Mapped[str | None]
    actor_profile_id: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("conflict_cases", "case_id", name="conflict_events_case"),
        references(
            "conflict_positions",
            "case_id",
            "preferred_position_id",
            to=("case_id", "id"),
            name="conflict_events_preferred_position",
        ),
        references("profiles", "actor_profile_id", name="conflict_events_actor"),
        one_of("event", CaseEvent),
        Index("conflict_events_by_case", "team_id", "case_id", "id"),
    )


class ReviewTask(Base):
    """An open ambiguity. It holds a Relationship, or a proposal of an ingest that none exists for yet.

    `entity_ref` is the proposal's name for the entity that an identity task is about.
    """

    __tablename__ = "review_tasks"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    status: Mapped[str]
    reason: Mapped[str]
    relationship_id: Mapped[str | None]
    ingest_id: Mapped[str | None]
    proposal_id: Mapped[str | None]
    options: Mapped[object] = mapped_column(JSONB)
    opened_at: Mapped[datetime] = created_now()
    closed_at: Mapped[datetime | None]
    closed_by_profile_id: Mapped[str | None]
    choice: Mapped[object | None] = mapped_column(JSONB)
    entity_ref: Mapped[str | None]
    close_reason: Mapped[str | None]

    __table_args__ = (
        references("relationships", "relationship_id", name="review_tasks_relationship"),
        references("ingests", "ingest_id", name="review_tasks_ingest"),
        references("profiles", "closed_by_profile_id", name="review_tasks_closed_by"),
        one_of("kind", ReviewKind),
        CheckConstraint("status IN ('open', 'resolved')", name="status_is_known"),
        Index(
            "review_tasks_open_by_relationship",
            "team_id",
            "relationship_id",
            postgresql_where=text("status = 'open'"),
        ),
        Index(
            "review_tasks_by_ingest",
            "team_id",
            "ingest_id",
            postgresql_where=text("ingest_id IS NOT NULL"),
        ),
        Index("review_tasks_newest", "team_id", text("opened_at DESC"), text("id DESC")),
        Index(
            "review_tasks_by_relationship",
            "team_id",
            "relationship_id",
            postgresql_where=text("relationship_id IS NOT NULL"),
        ),
    )
