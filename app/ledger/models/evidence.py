"""Tables of what was submitted: sources, their revisions, evidence, citations."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, Integer, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key
from app.ledger.vocabulary import EvidenceState, QuarantineDecision, SourceType
from app.tenancy.authority import Authority


class Source(Base):
    """Where evidence of one profile comes from, when it has a key."""

    __tablename__ = "sources"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    profile_id: Mapped[str]
    source_key: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("profiles", "profile_id", name="sources_profile"),
        UniqueConstraint("team_id", "profile_id", "source_key", name="sources_key_is_unique"),
    )


class SourceRevision(Base):
    """One stay of a revision as the current one of its source; only the evidence of the current one counts.

    One that came back has a row for each stay, and `name` says what it is called where that is not the key.

    With `same_as` it is only another name under which that revision's document came back unchanged: nothing
    cites it, and it is never current.
    """

    __tablename__ = "source_revisions"

    team_id: Mapped[str] = team_key()
    source_id: Mapped[str] = mapped_column(primary_key=True)
    revision: Mapped[str] = mapped_column(primary_key=True)
    is_current: Mapped[bool]
    created_at: Mapped[datetime] = created_now()
    same_as: Mapped[str | None]
    name: Mapped[str | None]

    __table_args__ = (
        references("sources", "source_id", name="source_revisions_source"),
        references(
            "source_revisions",
            "source_id",
            "same_as",
            to=("source_id", "revision"),
            name="source_revisions_same_as",
        ),
        CheckConstraint("same_as IS NULL OR NOT is_current", name="other_name_is_not_current"),
        Index(
            "source_revisions_one_current",
            "team_id",
            "source_id",
            unique=True,
            postgresql_where=text("is_current"),
        ),
    )


class Evidence(Base):
    """Verbatim text that somebody submitted. Immutable but for its state."""

    __tablename__ = "evidence"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    profile_id: Mapped[str]
    content: Mapped[str]
    content_digest: Mapped[str]
    source_type: Mapped[str]
    authority: Mapped[str]
    source_group: Mapped[str]
    source_id: Mapped[str | None]
    source_revision: Mapped[str | None]
    supersedes_evidence_ids: Mapped[list[str]]
    labels: Mapped[list[str]]
    details: Mapped[object] = mapped_column("metadata", JSONB)
    state: Mapped[str]
    quarantine_reason: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()
    retracted_at: Mapped[datetime | None]

    __table_args__ = (
        references("profiles", "profile_id", name="evidence_profile"),
        references(
            "source_revisions",
            "source_id",
            "source_revision",
            to=("source_id", "revision"),
            name="evidence_source_revision",
        ),
        CheckConstraint("length(content) BETWEEN 1 AND 4000", name="content_has_length"),
        CheckConstraint("(source_id IS NULL) = (source_revision IS NULL)", name="revision_names_its_source"),
        one_of("source_type", SourceType),
        one_of("authority", Authority),
        one_of("state", EvidenceState),
        Index("evidence_by_source", "team_id", "source_id", "source_revision"),
        Index("evidence_by_digest", "team_id", "content_digest"),
        Index(
            "evidence_ever_held",
            "team_id",
            text("created_at DESC"),
            text("id DESC"),
            postgresql_where=text("quarantine_reason IS NOT NULL"),
        ),
    )


class EvidenceDecision(Base):
    """An operator released or discarded an item that the guard held: once, for good. Append-only."""

    __tablename__ = "evidence_decisions"

    team_id: Mapped[str] = team_key()
    evidence_id: Mapped[str] = mapped_column(primary_key=True)
    decision: Mapped[str]
    reason: Mapped[str | None]
    actor_profile_id: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("evidence", "evidence_id", name="evidence_decisions_evidence"),
        references("profiles", "actor_profile_id", name="evidence_decisions_actor"),
        one_of("decision", QuarantineDecision),
    )


class Citation(Base):
    """Up to four spans of one evidence item that together carry one claim, in reading order."""

    __tablename__ = "citations"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    evidence_id: Mapped[str]
    starts: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    ends: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    quote: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("evidence", "evidence_id", name="citations_evidence"),
        UniqueConstraint("team_id", "evidence_id", "starts", "ends", name="citations_are_unique"),
        CheckConstraint(
            "cardinality(starts) BETWEEN 1 AND 4 AND cardinality(ends) = cardinality(starts)",
            name="has_one_to_four_spans",
        ),
    )
