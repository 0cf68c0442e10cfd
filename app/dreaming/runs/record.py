"""What a cycle writes about itself: begun, what it read, how it ended. Each call is part of a fenced write."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import LiteralString

from psycopg.types.json import Jsonb

from app.dreaming.funnel import Funnel
from app.dreaming.grouping.split import PredicateShare
from app.dreaming.models import RunStatus
from app.kernel.database import Reading, Writing
from app.queue.leases import Lease
from app.tenancy.configuration import ProviderMode


@dataclass(frozen=True, slots=True)
class BegunRun:
    """A run that this lease works on; `began_at` is the database's time.

    `seconds_used` is what earlier looks took of the duration budget, for a run that has been waiting.
    `provider_mode` holds for the whole run.
    """

    run_id: str
    team_id: str
    dry_run: bool
    requested_budgets: Mapping[str, float]
    began_at: datetime
    seconds_used: float
    provider_mode: ProviderMode


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """The end of a run; `summary` says in one sentence what came of it.

    `would_persist` is given for a dry run that came to its end, and only then.
    The generator is given where one has worked: it may be another than the one that was asked.
    """

    status: RunStatus
    summary: str
    reason: str | None = None
    funnel: Funnel = field(default_factory=Funnel)
    budgets: Sequence[Mapping[str, object]] = ()
    stopped_by: str | None = None
    output_split: Sequence[PredicateShare] = ()
    is_assessed: bool = False
    would_persist: Sequence[Mapping[str, object]] | None = None
    generator_kind: str | None = None
    generator_version: str | None = None


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a run is about to generate from, recorded before generation begins."""

    funnel: Funnel
    digest: str
    generator_kind: str
    generator_version: str
    model: str | None
    budgets: Sequence[Mapping[str, object]]


async def begin_run(writing: Writing, lease: Lease, provider_mode: ProviderMode) -> BegunRun | None:
    """Leave the run `running` under this lease's epoch and attempt; None when it has ended already.

    `provider_mode` holds for a run that was not asked for by hand, from its first beginning on.
    """
    row = await writing.fetch_one(
        _BEGIN,
        {
            "team_id": lease.team_id,
            "id": lease.item_id,
            "epoch": lease.epoch,
            "attempt": lease.attempt,
            "worker": lease.worker,
            "provider_mode": provider_mode,
        },
    )
    if row is None:
        return None
    return BegunRun(
        lease.item_id,
        lease.team_id,
        row["dry_run"],
        row["requested_budgets"],
        row["began_at"],
        row["seconds_used"],
        row["provider_mode"],
    )


async def note_inputs(writing: Writing, lease: Lease, inputs: RunInputs) -> None:
    """Leave on record what was read, so that a run that fails later still says so."""
    params = {
        "team_id": lease.team_id,
        "id": lease.item_id,
        "digest": inputs.digest,
        "generator_kind": inputs.generator_kind,
        "generator_version": inputs.generator_version,
        "prompt_version": None if inputs.model is None else inputs.generator_version,
        "model": inputs.model,
        "eligible": inputs.funnel.eligible,
        "premises": inputs.funnel.premises,
        "premise_sources": inputs.funnel.premise_sources,
        "over_input_budget": inputs.funnel.over_input_budget,
        "budgets": Jsonb(list(inputs.budgets)),
    }
    await writing.execute(_NOTE_INPUTS, params)


async def was_assessed(reading: Reading, team_id: str, digest: str) -> bool:
    """Say whether a run has assessed everything under this digest.

    Any earlier run counts: versions only rise, so an equal digest is an equal snapshot.
    """
    row = await reading.fetch_one(_WAS_ASSESSED, {"team_id": team_id, "digest": digest})
    return row is not None


async def end_run(writing: Writing, lease: Lease, end: RunEnd) -> None:
    """Leave the run ended, with the whole funnel; nothing about it changes any more."""
    rejections = [
        {"reason": rejection.reason, "count": rejection.count, "examples": list(rejection.examples)}
        for rejection in end.funnel.rejections
    ]
    params: dict[str, object] = {
        **end.funnel.counts(),
        "premise_sources": end.funnel.premise_sources,
        "over_input_budget": end.funnel.over_input_budget,
        "team_id": lease.team_id,
        "id": lease.item_id,
        "status": end.status,
        "reason": end.reason,
        "summary": end.summary,
        "rejections": Jsonb(rejections),
        "budgets": Jsonb(list(end.budgets)),
        "stopped_by": end.stopped_by,
        "output_split": Jsonb([asdict(share) for share in end.output_split]),
        "is_assessed": end.is_assessed,
        "generator_kind": end.generator_kind,
        "generator_version": end.generator_version,
        "would_persist": None if end.would_persist is None else Jsonb(list(end.would_persist)),
    }
    await writing.execute(_END, params)


async def fail_run(writing: Writing, lease: Lease, *, code: str, message: str) -> None:
    """Leave the run `failed`, with whatever it had recorded until then."""
    await _note_fault(writing, _FAIL, lease, code, message)


async def requeue_run(
    writing: Writing, lease: Lease, *, code: str | None = None, message: str | None = None
) -> None:
    """Leave the run `queued` again, with the fault that interrupted it, if any."""
    await _note_fault(writing, _REQUEUE, lease, code, message)


async def _note_fault(
    writing: Writing, query: LiteralString, lease: Lease, code: str | None, message: str | None
) -> None:
    params = {
        "team_id": lease.team_id,
        "id": lease.item_id,
        "epoch": lease.epoch,
        "attempt": lease.attempt,
        "code": code,
        "message": message,
    }
    await writing.execute(query, params)


_BEGIN: LiteralString = """
    UPDATE cycle_runs
    SET status = 'running', epoch = %(epoch)s, attempt = %(attempt)s, worker = %(worker)s,
        started_at = coalesce(started_at, clock_timestamp()), heartbeat_at = clock_timestamp(),
        provider_mode = coalesce(provider_mode, %(provider_mode)s)
    WHERE team_id = %(team_id)s AND id = %(id)s AND finished_at IS NULL
    RETURNING dry_run, requested_budgets, heartbeat_at AS began_at, seconds_used, provider_mode
"""

_NOTE_INPUTS: LiteralString = """
    UPDATE cycle_runs
    SET snapshot_digest = %(digest)s, generator_kind = %(generator_kind)s,
        generator_version = %(generator_version)s, prompt_version = %(prompt_version)s, model = %(model)s,
        eligible = %(eligible)s, premises = %(premises)s,
        premise_sources = %(premise_sources)s, over_input_budget = %(over_input_budget)s,
        budgets = %(budgets)s
    WHERE team_id = %(team_id)s AND id = %(id)s
"""

_WAS_ASSESSED: LiteralString = """
    SELECT id FROM cycle_runs
    WHERE team_id = %(team_id)s AND is_assessed AND snapshot_digest = %(digest)s LIMIT 1
"""

_END: LiteralString = """
    UPDATE cycle_runs
    SET status = %(status)s, reason = %(reason)s, summary = %(summary)s,
        eligible = %(eligible)s, premises = %(premises)s,
        premise_sources = %(premise_sources)s, over_input_budget = %(over_input_budget)s,
        groups = %(groups)s, generated = %(generated)s, rejected = %(rejected)s,
        deduplicated = %(deduplicated)s, reinforced = %(reinforced)s, persisted = %(persisted)s,
        rejections = %(rejections)s, budgets = %(budgets)s, stopped_by = %(stopped_by)s,
        generator_kind = coalesce(%(generator_kind)s, generator_kind),
        generator_version = coalesce(%(generator_version)s, generator_version),
        output_split = %(output_split)s, is_assessed = %(is_assessed)s, would_persist = %(would_persist)s,
        error_code = NULL, error_message = NULL, heartbeat_at = clock_timestamp(), finished_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = %(id)s
"""

_FAIL: LiteralString = """
    UPDATE cycle_runs
    SET status = 'failed', error_code = %(code)s, error_message = %(message)s, summary = 'Failed: ' || %(message)s,
        epoch = %(epoch)s, attempt = %(attempt)s, finished_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = %(id)s AND finished_at IS NULL
"""

_REQUEUE: LiteralString = """
    UPDATE cycle_runs
    SET status = 'queued', error_code = coalesce(%(code)s, error_code),
        error_message = coalesce(%(message)s, error_message), worker = NULL
    WHERE team_id = %(team_id)s AND id = %(id)s AND finished_at IS NULL
"""
