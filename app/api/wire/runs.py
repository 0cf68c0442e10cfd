"""Cycle runs and how dreaming stands, for operators."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.api.wire.costs import add_up
from app.api.wire.dreams import OutcomeAnswer
from app.api.wire.shapes import Answer, Closed, IdempotencyKey, PageQuery, Reason, Text, Time, UtcTime
from app.dreaming.models import RunStatus, RunTrigger
from app.dreaming.runs.asking import StartRequest
from app.dreaming.runs.history import RunFilter
from app.dreaming.status import DreamingStatus
from app.remember.provider.usage import VerifierCost
from app.tenancy.configuration import Level, ProviderMode

_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Dollars = Annotated[float, Field(ge=0, le=1_000_000)]


class RunsQuery(PageQuery):
    """Filters of `list_cycle_runs`; `window` is a window key, `started_after` is exclusive."""

    status: list[RunStatus] = Field(default=[], max_length=9)
    window: Annotated[Text, StringConstraints(min_length=1, max_length=128)] | None = None
    started_after: Time | None = None

    def as_filter(self) -> RunFilter:
        """Return what the domain lists by."""
        return RunFilter(
            statuses=tuple(self.status), window_key=self.window, started_after=self.started_after
        )


class BudgetsBody(Closed):
    """What this run may use at most; it can only lower the team's budgets. 0 means none."""

    max_premises: _Count | None = None
    max_groups: _Count | None = None
    max_outputs: _Count | None = None
    max_input_tokens: _Count | None = None
    max_output_tokens: _Count | None = None
    max_cost_usd: _Dollars | None = None
    max_turns: _Count | None = None
    max_duration_seconds: _Count | None = None


class StartBody(Closed):
    """A wish for a cycle. A dry run persists no Hypothesis and shows what it would have."""

    dry_run: bool = False
    budgets: BudgetsBody = BudgetsBody()
    note: Reason | None = None
    provider_mode: ProviderMode = Field(
        "direct", description="`batch` asks the provider at half the price; the run may wait for a day."
    )
    idempotency_key: IdempotencyKey | None = None

    def as_request(self) -> StartRequest:
        """Return what the domain takes."""
        budgets = self.budgets.model_dump(exclude_none=True)
        return StartRequest(
            dry_run=self.dry_run, budgets=budgets, note=self.note, provider_mode=self.provider_mode
        )


class FunnelAnswer(Answer):
    """What went in, what came out, and where the rest stayed; the sums are exact."""

    eligible: int
    premises: int
    groups: int
    generated: int
    rejected: int
    deduplicated: int
    reinforced: int
    persisted: int


class RejectionAnswer(Answer):
    """How often one reason applied, with a few examples."""

    reason: str
    count: int
    examples: list[str]


class BudgetAnswer(Answer):
    """A limit of the run and what of it was used."""

    name: str
    limit: float
    used: float


class SplitAnswer(Answer):
    """How outcomes moved a predicate's places in the output budget: without them, and with them."""

    predicate_key: str
    weight: float
    untuned: int
    tuned: int


class UsageAnswer(Answer):
    """What the provider charged for."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    turns: int
    cost_usd: float


class RunErrorAnswer(Answer):
    """The last fault of a run."""

    code: str
    message: str


class MissedAnswer(Answer):
    """The windows that a gap in the schedule left out."""

    first: UtcTime
    last: UtcTime
    count: int


class RunBatchAnswer(Answer):
    """The batch that a run waits for, or has waited for. While `batch_id` is null nobody knows its name."""

    batch_id: str | None
    handed_in_at: UtcTime
    looked_for_until: UtcTime = Field(
        description="A batch without a name is looked for until then, and counts at its estimate."
    )
    outcome: str | None = Field(description="How it ended; null until then.")


class RunAnswer(Answer):
    """One dream pass over the team and a window."""

    run_id: str
    team_id: str
    window_key: str
    trigger: RunTrigger
    dry_run: bool
    status: RunStatus
    reason: str | None
    summary: str | None = Field(description="What came of the run, in one sentence, once it has ended.")
    note: str | None
    started_by_profile_id: str | None
    epoch: int
    attempt: int
    lease_expires_at: UtcTime | None
    worker: str | None
    scheduled_for: UtcTime
    missed: MissedAnswer | None
    created_at: UtcTime
    started_at: UtcTime | None
    heartbeat_at: UtcTime | None
    finished_at: UtcTime | None
    snapshot_digest: str | None
    generator_kind: str | None
    generator_version: str | None
    prompt_version: str | None
    model: str | None
    provider_mode: ProviderMode | None = Field(
        description="How a provider is asked, where one is; null until a scheduled run has begun."
    )
    batch: RunBatchAnswer | None = Field(description="The newest one, where the run asks in batches.")
    funnel: FunnelAnswer
    over_input_budget: int
    rejections: list[RejectionAnswer]
    budgets: list[BudgetAnswer]
    stopped_by: str | None
    output_split: list[SplitAnswer]
    usage: UsageAnswer
    error: RunErrorAnswer | None
    would_persist: list[dict[str, object]] | None


class ExchangeAnswer(Answer):
    """One turn between a run and its provider, while it is kept: the contents are null once its days are over."""

    exchange_id: str
    run_id: str
    model: str
    prompt_version: str
    turn: int
    outcome: str = Field(description="answered, or the provider's fault by name.")
    fault: str | None = Field(description="Why an answer could not be read at all.")
    ideas: int
    malformed: int
    request: str | None
    answer: str | None
    references: dict[str, object] | None = Field(description="What each reference of the request stood for.")
    created_at: UtcTime
    expires_at: UtcTime


class SettingAnswer(Answer):
    """What holds, and the level that it comes from."""

    value: str | bool | int | float | None
    source: Level


class SettingsAnswer(Answer):
    """Every setting of dreaming as it holds for the team."""

    enabled: SettingAnswer
    local_time: SettingAnswer
    cron: SettingAnswer
    timezone: SettingAnswer
    generator: SettingAnswer
    provider_mode: SettingAnswer
    max_outputs: SettingAnswer
    max_premises: SettingAnswer
    max_groups: SettingAnswer
    max_input_tokens: SettingAnswer
    max_output_tokens: SettingAnswer
    max_cost_usd: SettingAnswer
    max_daily_cost_usd: SettingAnswer
    max_turns: SettingAnswer
    max_duration_seconds: SettingAnswer
    retention_days: SettingAnswer
    write_threshold: SettingAnswer


class DreamingStatusAnswer(Answer):
    """How dreaming stands; `seconds_since_last_finished` rises while no run does its work.

    `cost_today_usd` is that of dreaming today in the team's zone, `verifying_today_usd` that of verdicts today in
    UTC; calls that nobody has settled count at their bound.
    """

    settings: SettingsAnswer
    next_due_at: UtcTime | None
    latest_run: RunAnswer | None
    seconds_since_last_finished: float | None
    open_hypotheses: dict[Literal["proposed", "reinforced", "stale", "submitted"], int]
    cost_today_usd: float
    verifying_today_usd: float
    outcomes: list[OutcomeAnswer]


def write_status(status: DreamingStatus, verdicts: Sequence[VerifierCost]) -> DreamingStatusAnswer:
    """Return the status with what the verdicts of today cost."""
    known = {field.name: getattr(status, field.name) for field in fields(status)}
    return DreamingStatusAnswer.model_validate(known | {"verifying_today_usd": add_up(verdicts)})
