"""Reading cycle runs back: every number that a cycle recorded about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString

from app.dreaming.models import RunStatus, RunTrigger
from app.dreaming.provider.batch.waiting import DEADLINE_HOURS
from app.dreaming.spending.purse import Usage, used_budgets
from app.dreaming.spending.usage import read_usage
from app.kernel.database import Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.kernel.pages import NewestFirst, Page
from app.tenancy.configuration import ProviderMode

OPERATION = "list_cycle_runs"


@dataclass(frozen=True, slots=True)
class RunError:
    """The last fault of a run: a stable code and a sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Missed:
    """The windows of a gap in the schedule: the first, the last, and how many."""

    first: datetime
    last: datetime
    count: int


@dataclass(frozen=True, slots=True)
class RunBatch:
    """The batch that a run has handed in, or meant to.

    `batch_id` is the provider's name for it, None while that is not known; the batch is then looked for until
    `looked_for_until`. `outcome` is how it ended, None until then: an outcome of the provider, `not_made`, `gone`,
    `no_result`, `unnamed` or `given_up`. Where nobody knows what it cost it counts at its estimate.
    """

    batch_id: str | None
    handed_in_at: datetime
    looked_for_until: datetime
    outcome: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """One cycle run. `funnel` holds the eight counts of the glossary, `budgets` `{name, limit, used}`.

    `reason` is a code, `summary` one sentence on what came of it, once it has ended.
    `provider_mode` is how the provider is asked, None where nothing has decided that yet: before it has begun.
    `lease_expires_at` is that of the worker on it, None while nobody is. `output_split` holds
    `{predicate_key, weight, untuned, tuned}` where outcomes moved places of the output budget. `would_persist` is
    given for a dry run that came to its end.
    """

    run_id: str
    team_id: str
    window_key: str
    trigger: RunTrigger
    dry_run: bool
    status: RunStatus
    reason: str | None
    summary: str | None
    note: str | None
    started_by_profile_id: str | None
    epoch: int
    attempt: int
    lease_expires_at: datetime | None
    worker: str | None
    scheduled_for: datetime
    missed: Missed | None
    created_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    finished_at: datetime | None
    snapshot_digest: str | None
    generator_kind: str | None
    generator_version: str | None
    prompt_version: str | None
    model: str | None
    provider_mode: ProviderMode | None
    batch: RunBatch | None
    funnel: Mapping[str, int]
    over_input_budget: int
    rejections: tuple[Mapping[str, object], ...]
    budgets: tuple[Mapping[str, object], ...]
    stopped_by: str | None
    output_split: tuple[Mapping[str, object], ...]
    usage: Usage
    error: RunError | None
    would_persist: tuple[Mapping[str, object], ...] | None


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list; what is empty or None does not restrict. `started_after` is exclusive."""

    statuses: tuple[RunStatus, ...] = ()
    window_key: str | None = None
    started_after: datetime | None = None


async def get_run(reading: Reading, team_id: str, run_id: str) -> Run:
    """Return the run, or raise NotFound."""
    row = None
    if is_id(run_id, "run"):
        row = await reading.fetch_one(_GET, {"team_id": team_id, "id": run_id})
    if row is None:
        raise NotFound("There is no such cycle run.")
    return _run(row)


async def list_runs(
    reading: Reading, team_id: str, filters: RunFilter, *, limit: int = 20, cursor: str | None = None
) -> Page[Run]:
    """Return runs, newest first by (created_at, id), which never change.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    params = {
        "statuses": list(filters.statuses),
        "window_key": filters.window_key,
        "started_after": filters.started_after,
    }
    bound = {"team_id": team_id, **params}
    paging = NewestFirst(OPERATION, bound)
    created_at, row_id = paging.position(cursor)
    rows = await reading.fetch_all(
        _LIST, {**bound, "limit": limit + 1, "before_at": created_at, "before_id": row_id}
    )
    return paging.page([_run(row) for row in rows], limit, lambda run: (run.created_at, run.run_id))


def _run(row: Row) -> Run:
    usage = read_usage(row)
    return Run(
        run_id=row["id"],
        funnel={name: row[name] for name in _FUNNEL},
        rejections=tuple(row["rejections"]),
        budgets=_budgets(row["budgets"], usage),
        output_split=tuple(row["output_split"]),
        usage=usage,
        error=None if row["error_code"] is None else RunError(row["error_code"], row["error_message"] or ""),
        missed=None if row["missed_count"] is None else _missed(row),
        batch=None if row["handed_in_at"] is None else _batch(row),
        would_persist=None if row["would_persist"] is None else tuple(row["would_persist"]),
        **{name: row[name] for name in _PLAIN},
    )


def _batch(row: Row) -> RunBatch:
    handed_in_at: datetime = row["handed_in_at"]
    until = handed_in_at + timedelta(hours=DEADLINE_HOURS)
    return RunBatch(row["batch_id"], handed_in_at, until, row["batch_outcome"])


def _missed(row: Row) -> Missed:
    return Missed(row["scheduled_for"], row["missed_until"], row["missed_count"])


def _budgets(recorded: Sequence[Mapping[str, object]], usage: Usage) -> tuple[Mapping[str, object], ...]:
    """Return the recorded budgets, what a provider used taken from its ledger."""
    used = used_budgets(usage)
    return tuple({**budget, "used": used.get(str(budget["name"]), budget["used"])} for budget in recorded)


_FUNNEL = (
    *("eligible", "premises", "groups", "generated"),
    *("rejected", "deduplicated", "reinforced", "persisted"),
)
_COMPOSED = frozenset(
    {
        "run_id",
        "funnel",
        "rejections",
        "budgets",
        "output_split",
        "usage",
        "error",
        "missed",
        "batch",
        "would_persist",
    }
)
_PLAIN = tuple(name for name in Run.__dataclass_fields__ if name not in _COMPOSED)

# What was charged after the end of a run counts as well, so it is summed and not kept with the run.
_RUN: LiteralString = """
    SELECT run.*, item.lease_expires_at, spent.*, batch.batch_id, batch.created_at AS handed_in_at,
           batch.outcome AS batch_outcome
    FROM cycle_runs AS run
    LEFT JOIN work_items AS item
           ON item.team_id = run.team_id AND item.kind = 'cycle' AND item.item_id = run.id
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(input_tokens), 0) AS input_tokens,
               coalesce(sum(output_tokens), 0) AS output_tokens,
               coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
               coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens,
               coalesce(sum(turns), 0) AS turns,
               coalesce(sum(cost_usd), 0) AS cost_usd
        FROM spending WHERE spending.team_id = run.team_id AND spending.cycle_run_id = run.id
    ) AS spent
    LEFT JOIN LATERAL (
        SELECT batch_id, created_at, outcome FROM provider_batches AS latest
        WHERE latest.team_id = run.team_id AND latest.cycle_run_id = run.id
        ORDER BY created_at DESC, id DESC LIMIT 1
    ) AS batch ON true
"""

_GET: LiteralString = f"{_RUN} WHERE run.team_id = %(team_id)s AND run.id = %(id)s"

_LIST: LiteralString = f"""
    {_RUN}
    WHERE run.team_id = %(team_id)s
      AND (cardinality(%(statuses)s::text[]) = 0 OR run.status = ANY (%(statuses)s))
      AND (%(window_key)s::text IS NULL OR run.window_key = %(window_key)s)
      AND (%(started_after)s::timestamptz IS NULL OR run.started_at > %(started_after)s)
      AND (%(before_id)s::text IS NULL
           OR (run.created_at, run.id) < (%(before_at)s::timestamptz, %(before_id)s::text))
    ORDER BY run.created_at DESC, run.id DESC
    LIMIT %(limit)s
"""
