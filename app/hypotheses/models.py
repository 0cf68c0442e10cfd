"""Tables of the hypothesis ledger. Nothing in them is knowledge, and nothing is ever deleted from them."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, text
from sqlalchemy.dialects.postgresql import DOUBLE_PRECISION, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.schema import Base, created_now, one_of, references, team_key

# One live row per target: a finished submission and a rejection free it.
LIVE = "status IN ('proposed', 'reinforced', 'stale') OR (status = 'submitted' AND submission_is_open)"
_OPENNESS = ("id", "status", "likelihood")


class Hypothesis(Base):
    """What a dream leaves behind. Inserted by the dreamer only; clients can only move its lifecycle."""

    __tablename__ = "hypotheses"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    cycle_run_id: Mapped[str]
    subject_entity_id: Mapped[str]
    predicate_key: Mapped[str]
    predicate_version: Mapped[int]
    object_entity_id: Mapped[str | None]
    object_value_id: Mapped[str | None]
    target_identity: Mapped[str]
    statement: Mapped[str]
    rationale: Mapped[str]
    likelihood: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    confidence: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    paths: Mapped[object] = mapped_column(JSONB)
    generator_kind: Mapped[str]
    generator_version: Mapped[str]
    status: Mapped[str]
    submission_is_open: Mapped[bool] = mapped_column(server_default=text("false"))
    needs_reassessment: Mapped[bool] = mapped_column(server_default=text("false"))
    previous_hypothesis_id: Mapped[str | None]
    row_version: Mapped[int] = mapped_column(server_default=text("1"))
    created_at: Mapped[datetime] = created_now()
    updated_at: Mapped[datetime] = created_now()
    # The moment from which the retention rule counts.
    reinforced_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("cycle_runs", "cycle_run_id", name="hypotheses_cycle_run"),
        references("entities", "subject_entity_id", name="hypotheses_subject"),
        references("entities", "object_entity_id", name="hypotheses_object_entity"),
        references("typed_values", "object_value_id", name="hypotheses_object_value"),
        references(
            "predicates",
            "predicate_key",
            "predicate_version",
            to=("predicate_key", "version"),
            name="hypotheses_predicate",
        ),
        references("hypotheses", "previous_hypothesis_id", name="hypotheses_predecessor"),
        one_of("status", HypothesisStatus),
        CheckConstraint("num_nonnulls(object_entity_id, object_value_id) = 1", name="has_one_object"),
        CheckConstraint("likelihood BETWEEN 0 AND 1", name="likelihood_is_a_share"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence_is_a_share"),
        CheckConstraint("length(statement) BETWEEN 1 AND 1000", name="statement_has_length"),
        CheckConstraint("generator_kind IN ('rules', 'provider')", name="generator_kind_is_known"),
        CheckConstraint("NOT submission_is_open OR status = 'submitted'", name="open_means_submitted"),
        Index("hypotheses_one_live", "team_id", "target_identity", unique=True, postgresql_where=text(LIVE)),
        Index("hypotheses_by_target", "team_id", "target_identity"),
        Index("hypotheses_newest", "team_id", text("created_at DESC"), text("id DESC")),
        Index("hypotheses_likeliest", "team_id", text("likelihood DESC"), text("id DESC")),
        Index("hypotheses_by_status", "team_id", "status", text("created_at DESC"), text("id DESC")),
        # Recall reads what they include of many for the few that it shows.
        Index("hypotheses_by_subject", "team_id", "subject_entity_id", postgresql_include=_OPENNESS),
        Index("hypotheses_by_object_entity", "team_id", "object_entity_id", postgresql_include=_OPENNESS),
        Index("hypotheses_by_run", "team_id", "cycle_run_id"),
        Index(
            "hypotheses_by_predecessor",
            "team_id",
            "previous_hypothesis_id",
            postgresql_where=text("previous_hypothesis_id IS NOT NULL"),
        ),
        Index(
            "hypotheses_by_object_value",
            "team_id",
            "object_value_id",
            postgresql_where=text("object_value_id IS NOT NULL"),
        ),
        Index(
            "hypotheses_statement",
            text("words_of_team(team_id, statement, to_tsvector('english'::regconfig, statement))"),
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        ),
    )


class HypothesisSource(Base):
    """A Relationship that a Hypothesis rests on, at the version that the dream saw.

    `is_current` is false once a later generation rests on other sources: the row then is history only.
    """

    __tablename__ = "hypothesis_sources"

    team_id: Mapped[str] = team_key()
    hypothesis_id: Mapped[str] = mapped_column(primary_key=True)
    relationship_id: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int]
    semantic_group_key: Mapped[str]
    owner_profile_id: Mapped[str]
    is_candidate: Mapped[bool]
    is_current: Mapped[bool] = mapped_column(server_default=text("true"))

    __table_args__ = (
        references("hypotheses", "hypothesis_id", name="hypothesis_sources_hypothesis"),
        references("relationships", "relationship_id", name="hypothesis_sources_relationship"),
        references("profiles", "owner_profile_id", name="hypothesis_sources_owner"),
        Index("hypothesis_sources_by_relationship", "team_id", "relationship_id"),
    )


class HypothesisEvent(Base):
    """One step of a lifecycle: who, why, and which source versions were seen. Append-only."""

    __tablename__ = "hypothesis_events"

    team_id: Mapped[str] = team_key()
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    hypothesis_id: Mapped[str]
    event: Mapped[str]
    from_status: Mapped[str | None]
    to_status: Mapped[str]
    reason: Mapped[str | None]
    actor_kind: Mapped[str]
    actor_profile_id: Mapped[str | None]
    cycle_run_id: Mapped[str | None]
    ingest_id: Mapped[str | None]
    versions_seen: Mapped[object] = mapped_column(JSONB, server_default=text("'{}'"))
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("hypotheses", "hypothesis_id", name="hypothesis_events_hypothesis"),
        references("profiles", "actor_profile_id", name="hypothesis_events_actor"),
        references("cycle_runs", "cycle_run_id", name="hypothesis_events_run"),
        references("ingests", "ingest_id", name="hypothesis_events_ingest"),
        one_of("to_status", HypothesisStatus),
        CheckConstraint("actor_kind IN ('client', 'cycle', 'ledger')", name="actor_kind_is_known"),
        Index("hypothesis_events_by_hypothesis", "team_id", "hypothesis_id", "id"),
        Index("hypothesis_events_by_actor", "team_id", "actor_profile_id", "hypothesis_id"),
        Index(
            "hypothesis_events_by_run",
            "team_id",
            "cycle_run_id",
            postgresql_where=text("cycle_run_id IS NOT NULL"),
        ),
        Index(
            "hypothesis_events_by_ingest",
            "team_id",
            "ingest_id",
            postgresql_where=text("ingest_id IS NOT NULL"),
        ),
    )


class HypothesisSubmission(Base):
    """A confirmation on its way through `remember`; submitted does not mean accepted."""

    __tablename__ = "hypothesis_submissions"

    team_id: Mapped[str] = team_key()
    ingest_id: Mapped[str] = mapped_column(primary_key=True)
    hypothesis_id: Mapped[str]
    decision: Mapped[str]
    created_at: Mapped[datetime] = created_now()
    ended_at: Mapped[datetime | None]
    ended_active: Mapped[bool | None]

    __table_args__ = (
        references("ingests", "ingest_id", name="hypothesis_submissions_ingest"),
        references("hypotheses", "hypothesis_id", name="hypothesis_submissions_hypothesis"),
        CheckConstraint("decision IN ('confirm_true', 'confirm_false')", name="decision_is_known"),
        CheckConstraint("(ended_at IS NULL) = (ended_active IS NULL)", name="end_says_how"),
        Index("hypothesis_submissions_by_hypothesis", "team_id", "hypothesis_id", "created_at"),
    )
