"""Tables of the placement ledger: what was submitted and where each proposal landed."""

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Index, Integer, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import DOUBLE_PRECISION, JSONB, NUMERIC
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key, team_reference
from app.ledger.vocabulary import Status, Tier, Verdict
from app.remember.outcomes import Category, ProcessingState
from app.tenancy.authority import Authority


class Ingest(Base):
    """One `remember` submission. `proposal` is the validated body without its evidence; it never changes."""

    __tablename__ = "ingests"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    profile_id: Mapped[str]
    max_authority: Mapped[str]
    proposal: Mapped[object] = mapped_column(JSONB)
    correlation_id: Mapped[str]
    processing_state: Mapped[str]
    errors: Mapped[object] = mapped_column(JSONB, server_default=text("'[]'"))
    created_at: Mapped[datetime] = created_now()
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        references("profiles", "profile_id", name="ingests_profile"),
        one_of("max_authority", Authority),
        one_of("processing_state", ProcessingState),
        Index("ingests_newest", "team_id", text("created_at DESC"), text("id DESC")),
        Index("ingests_open", "team_id", "id", postgresql_where=text("finished_at IS NULL")),
    )


class IngestEvidence(Base):
    """The evidence items of one ingest, by their index in the request."""

    __tablename__ = "ingest_evidence"

    team_id: Mapped[str] = team_key()
    ingest_id: Mapped[str] = mapped_column(primary_key=True)
    evidence_index: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    evidence_id: Mapped[str]

    __table_args__ = (
        references("ingests", "ingest_id", name="ingest_evidence_ingest"),
        references("evidence", "evidence_id", name="ingest_evidence_evidence"),
        Index("ingest_evidence_by_evidence", "team_id", "evidence_id"),
    )


class PlacementOutcome(Base):
    """Where one proposal of an ingest landed; `category` is null until it has been placed."""

    __tablename__ = "placement_outcomes"

    team_id: Mapped[str] = team_key()
    ingest_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    proposal_id: Mapped[str]
    relationship_id: Mapped[str | None]
    category: Mapped[str | None]
    tier: Mapped[str | None]
    status: Mapped[str | None]
    verdict: Mapped[str | None]
    confidence: Mapped[float | None] = mapped_column(DOUBLE_PRECISION)
    reason: Mapped[str | None]
    review_id: Mapped[str | None]
    predicate_options: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    placed_at: Mapped[datetime | None]

    __table_args__ = (
        references("ingests", "ingest_id", name="placement_outcomes_ingest"),
        references("relationships", "relationship_id", name="placement_outcomes_relationship"),
        references("review_tasks", "review_id", name="placement_outcomes_review"),
        UniqueConstraint("team_id", "ingest_id", "proposal_id", name="placement_outcomes_proposal_is_unique"),
        one_of("category", Category, optional=True),
        one_of("tier", Tier, optional=True),
        one_of("status", Status, optional=True),
        one_of("verdict", Verdict, optional=True),
        CheckConstraint("(category IS NULL) = (placed_at IS NULL)", name="placed_has_a_category"),
        Index("placement_outcomes_by_relationship", "team_id", "relationship_id"),
        Index(
            "placement_outcomes_by_review",
            "team_id",
            "review_id",
            postgresql_where=text("review_id IS NOT NULL"),
        ),
    )


class VerifierPermit(Base):
    """Leave to ask a provider for one verdict, at its bound until `charged_usd` says what it came to."""

    __tablename__ = "verifier_permits"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date]
    model: Mapped[str]
    input_tokens: Mapped[int] = mapped_column(BigInteger)
    output_tokens: Mapped[int] = mapped_column(BigInteger)
    cost_usd: Mapped[object] = mapped_column(NUMERIC(12, 6))
    charged_usd: Mapped[object | None] = mapped_column(NUMERIC(12, 6))
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("verifier_permits_team"),
        CheckConstraint(
            "least(input_tokens, output_tokens, cost_usd, charged_usd) >= 0", name="nothing_is_negative"
        ),
        Index("verifier_permits_open", "team_id", "day", postgresql_where=text("charged_usd IS NULL")),
    )


class VerifierAnswer(Base):
    """A provider's answer about an ingest, by the digest of its question; no verdict: it could not be read."""

    __tablename__ = "verifier_answers"

    team_id: Mapped[str] = team_key()
    ingest_id: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    verdict: Mapped[str | None]
    confidence: Mapped[float | None] = mapped_column(DOUBLE_PRECISION)
    rationale: Mapped[str | None]
    code: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("ingests", "ingest_id", name="verifier_answers_ingest"),
        one_of("verdict", Verdict, optional=True),
        CheckConstraint("num_nulls(verdict, confidence, rationale, code) IN (0, 4)", name="verdict_is_whole"),
    )


class VerifierUsage(Base):
    """What a team's verifications have used of a model on one day (UTC). Added to by the application."""

    __tablename__ = "verifier_usage"

    team_id: Mapped[str] = team_key()
    day: Mapped[date] = mapped_column(primary_key=True)
    model: Mapped[str] = mapped_column(primary_key=True)
    input_tokens: Mapped[int] = mapped_column(BigInteger)
    output_tokens: Mapped[int] = mapped_column(BigInteger)
    cache_read_tokens: Mapped[int] = mapped_column(BigInteger)
    cache_write_tokens: Mapped[int] = mapped_column(BigInteger)
    cost_usd: Mapped[object] = mapped_column(NUMERIC(12, 6))

    __table_args__ = (
        team_reference("verifier_usage_team"),
        CheckConstraint(
            "least(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd) >= 0",
            name="nothing_is_negative",
        ),
        Index("verifier_usage_by_day", "day"),
    )
