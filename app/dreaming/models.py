"""Tables of dreaming: the durable record of each cycle, and when each team is due."""

from datetime import date, datetime
from typing import Literal

from sqlalchemy import CheckConstraint, Double, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB, NUMERIC
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key, team_reference
from app.tenancy.configuration import ProviderMode

RunStatus = Literal[
    "queued",
    "running",
    "waiting",
    "succeeded",
    "partially_rejected",
    "failed",
    "cancelled",
    "skipped",
    "missed",
]
RunTrigger = Literal["scheduled", "manual", "catch_up"]


def _count() -> Mapped[int]:
    return mapped_column(server_default=text("0"))


class CycleRun(Base):
    """One dream pass over one team and window, recorded before anything is generated."""

    __tablename__ = "cycle_runs"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    window_key: Mapped[str]
    trigger: Mapped[str]
    dry_run: Mapped[bool] = mapped_column(server_default=text("false"))
    status: Mapped[str]
    reason: Mapped[str | None]
    # What came of it, in one sentence, once it has ended.
    summary: Mapped[str | None]
    note: Mapped[str | None]
    started_by_profile_id: Mapped[str | None]
    epoch: Mapped[int] = _count()
    attempt: Mapped[int] = _count()
    worker: Mapped[str | None]
    scheduled_for: Mapped[datetime]
    # A gap of the schedule: its last window, and how many there were from `scheduled_for` on.
    missed_until: Mapped[datetime | None]
    missed_count: Mapped[int | None]
    created_at: Mapped[datetime] = created_now()
    started_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    # Since its first wait for a provider, and what it had used of its duration budget when it last began to wait.
    waiting_since: Mapped[datetime | None]
    seconds_used: Mapped[float] = mapped_column(Double, server_default=text("0"))
    snapshot_digest: Mapped[str | None]
    # Whether everything under that digest was assessed, so an equal digest needs no second look.
    is_assessed: Mapped[bool] = mapped_column(server_default=text("false"))
    generator_kind: Mapped[str | None]
    generator_version: Mapped[str | None]
    prompt_version: Mapped[str | None]
    model: Mapped[str | None]
    eligible: Mapped[int] = _count()
    premises: Mapped[int] = _count()
    premise_sources: Mapped[int] = _count()
    over_input_budget: Mapped[int] = _count()
    groups: Mapped[int] = _count()
    generated: Mapped[int] = _count()
    rejected: Mapped[int] = _count()
    deduplicated: Mapped[int] = _count()
    reinforced: Mapped[int] = _count()
    persisted: Mapped[int] = _count()
    rejections: Mapped[object] = mapped_column(JSONB, server_default=text("'[]'"))
    would_persist: Mapped[object | None] = mapped_column(JSONB)
    # What was asked for by hand; a scheduled run follows the settings.
    provider_mode: Mapped[str | None]
    requested_budgets: Mapped[object] = mapped_column(JSONB, server_default=text("'{}'"))
    budgets: Mapped[object] = mapped_column(JSONB, server_default=text("'[]'"))
    stopped_by: Mapped[str | None]
    # Which places of the output budget outcomes moved between predicates; empty where none.
    output_split: Mapped[object] = mapped_column(JSONB, server_default=text("'[]'"))
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]

    __table_args__ = (
        team_reference("cycle_runs_team"),
        references("profiles", "started_by_profile_id", name="cycle_runs_started_by"),
        UniqueConstraint("team_id", "window_key", name="cycle_runs_one_per_window"),
        one_of("status", RunStatus),
        one_of("trigger", RunTrigger),
        one_of("provider_mode", ProviderMode, optional=True),
        CheckConstraint("eligible = premise_sources + over_input_budget", name="inputs_add_up"),
        CheckConstraint(
            "generated = rejected + deduplicated + reinforced + persisted"
            " + coalesce(jsonb_array_length(would_persist), 0)",
            name="funnel_adds_up",
        ),
        CheckConstraint(
            "CASE WHEN dry_run THEN persisted = 0 AND NOT is_assessed ELSE would_persist IS NULL END",
            name="dry_run_leaves_nothing",
        ),
        CheckConstraint(
            "(finished_at IS NULL) = (status IN ('queued', 'running', 'waiting'))", name="end_has_a_time"
        ),
        CheckConstraint(
            "(missed_count IS NULL) = (missed_until IS NULL) AND (missed_count IS NULL OR status = 'missed')",
            name="only_a_gap_counts_windows",
        ),
        Index(
            "cycle_runs_done",
            "team_id",
            "finished_at",
            postgresql_where=text(
                "status IN ('succeeded', 'partially_rejected')"
                " OR status = 'skipped' AND reason IN ('no_eligible_inputs', 'inputs_unchanged')"
            ),
        ),
        Index(
            "cycle_runs_one_live",
            "team_id",
            unique=True,
            postgresql_where=text("status IN ('queued', 'running', 'waiting')"),
        ),
        Index("cycle_runs_newest", "team_id", text("created_at DESC"), text("id DESC")),
        Index("cycle_runs_ended", "finished_at", postgresql_where=text("finished_at IS NOT NULL")),
        Index("cycle_runs_assessed", "team_id", "finished_at", postgresql_where=text("is_assessed")),
    )


class DreamSchedule(Base):
    """When a team is due next; null while dreaming is off for it. An instance table: ids and times only."""

    __tablename__ = "dream_schedules"

    team_id: Mapped[str] = mapped_column(primary_key=True)
    next_due_at: Mapped[datetime | None]
    updated_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("dream_schedules_team"),
        Index("dream_schedules_due", "next_due_at", "team_id"),
    )


class PremiseAssessment(Base):
    """How often cycles have read a premise. Kept only where a team knows more than one cycle may read."""

    __tablename__ = "premise_assessments"

    team_id: Mapped[str] = team_key()
    semantic_group_key: Mapped[str] = mapped_column(primary_key=True)
    cycles: Mapped[int]
    last_assessed_at: Mapped[datetime]

    __table_args__ = (team_reference("premise_assessments_team"),)


class SpendingPermit(Base):
    """Leave to make one call of a provider, at most this large. Written by the dreamer, never changed.

    `day` is the calendar day in the team's zone as it was then: the daily budget is counted by it.
    """

    __tablename__ = "spending_permits"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    cycle_run_id: Mapped[str]
    day: Mapped[date]
    model: Mapped[str]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    turns: Mapped[int]
    cost_usd: Mapped[object] = mapped_column(NUMERIC(12, 6))
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("cycle_runs", "cycle_run_id", name="spending_permits_run"),
        CheckConstraint(
            "least(input_tokens, output_tokens, turns, cost_usd) >= 0", name="nothing_is_negative"
        ),
        Index("spending_permits_by_run", "team_id", "cycle_run_id"),
        Index("spending_permits_by_day", "team_id", "day"),
    )


class SpendingCharge(Base):
    """What a permitted call did use; one a permit. Written by the dreamer, also after the run has ended."""

    __tablename__ = "spending_charges"

    team_id: Mapped[str] = team_key()
    permit_id: Mapped[str] = mapped_column(primary_key=True)
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    cache_read_tokens: Mapped[int]
    cache_write_tokens: Mapped[int]
    turns: Mapped[int]
    cost_usd: Mapped[object] = mapped_column(NUMERIC(12, 6))
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("spending_permits", "permit_id", name="spending_charges_permit"),
        CheckConstraint(
            "least(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, turns, cost_usd) >= 0",
            name="nothing_is_negative",
        ),
        Index("spending_charges_by_time", "created_at"),
    )


class ProviderExchange(Base):
    """One turn between a run and its provider. Written by the dreamer; the content goes when its days are over."""

    __tablename__ = "provider_exchanges"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    cycle_run_id: Mapped[str]
    model: Mapped[str]
    prompt_version: Mapped[str]
    turn: Mapped[int]
    outcome: Mapped[str]
    fault: Mapped[str | None]
    ideas: Mapped[int]
    malformed: Mapped[int]
    request: Mapped[str | None]
    answer: Mapped[str | None]
    reference_table: Mapped[object | None] = mapped_column(JSONB)
    created_at: Mapped[datetime] = created_now()
    expires_at: Mapped[datetime]

    __table_args__ = (
        references("cycle_runs", "cycle_run_id", name="provider_exchanges_run"),
        CheckConstraint("length(request) <= 70000 AND length(answer) <= 70000", name="is_capped"),
        Index("provider_exchanges_by_run", "team_id", "cycle_run_id"),
        Index("provider_exchanges_kept", "expires_at", postgresql_where=text("request IS NOT NULL")),
    )


class ProviderBatch(Base):
    """One question that a run hands in as a batch: written before it is, named once the provider has named it.

    `reference_map` says what the request's references stand for, in ids and versions.
    """

    __tablename__ = "provider_batches"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    cycle_run_id: Mapped[str]
    permit_id: Mapped[str]
    custom_id: Mapped[str]
    model: Mapped[str]
    prompt_version: Mapped[str]
    reference_map: Mapped[object] = mapped_column(JSONB)
    created_at: Mapped[datetime] = created_now()
    batch_id: Mapped[str | None]
    outcome: Mapped[str | None]

    __table_args__ = (
        references("cycle_runs", "cycle_run_id", name="provider_batches_run"),
        references("spending_permits", "permit_id", name="provider_batches_permit"),
        # A run pays for one batch: there is another only where none was made of the first.
        Index("provider_batches_by_run", "team_id", "cycle_run_id"),
        Index("provider_batches_by_permit", "team_id", "permit_id"),
        Index(
            "provider_batches_one_a_run",
            "team_id",
            "cycle_run_id",
            unique=True,
            postgresql_where=text("outcome IS DISTINCT FROM 'not_made'"),
        ),
    )
