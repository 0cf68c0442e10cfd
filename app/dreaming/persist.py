"""The finishing transaction: fenced, sources locked, all or nothing.

One bad item never sinks the rest: it is a value with a reason. An unexpected error sinks the transaction, and the
run is tried again. Source: Design, section 6, "Persist".
"""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.dreaming.funnel import build_funnel
from app.dreaming.generation import Generated, Generator
from app.dreaming.model import Inputs
from app.dreaming.outcome import Outcome, conclude
from app.dreaming.runs.lease import renew_with_heartbeat
from app.dreaming.runs.record import BegunRun, RunEnd, end_run
from app.dreaming.spending.budgets import Budgets
from app.dreaming.validation.current import lock_and_read_current
from app.dreaming.validation.drafts import draft_hypothesis, draft_regeneration, show_idea
from app.dreaming.validation.validate import validate
from app.dreaming.validation.validated import Current, Validated
from app.hypotheses.staleness import Sweep, stale_ended_hypotheses
from app.hypotheses.standing import lock_open_hypotheses
from app.hypotheses.writes import insert_hypotheses, note_reassessed, reinforce_hypotheses
from app.kernel.database import Writing
from app.kernel.ids import new_id
from app.queue.leases import Lease, finish


@dataclass(frozen=True, slots=True)
class Dream:
    """All that a cycle knows before it writes."""

    run: BegunRun
    inputs: Inputs
    budgets: Budgets
    generator: Generator
    generated: Generated
    expired_before: datetime
    seconds_used: float


async def persist_dream(writing: Writing, lease: Lease, dream: Dream, *, lease_seconds: float) -> Outcome:
    """Leave the accepted ideas in the hypothesis ledger and the run ended; a dry run leaves the run only.

    Raises:
        LeaseLost: the term is over; nothing was written.
    """
    await renew_with_heartbeat(writing, lease, lease_seconds=lease_seconds)
    inputs, proposals = dream.inputs, dream.generated.proposals
    current = await lock_and_read_current(writing, inputs, proposals, now=dream.run.began_at)
    validated = validate(proposals, inputs, current, max_outputs=dream.budgets.max_outputs)
    dry_run = dream.run.dry_run
    funnel = build_funnel(inputs, dream.generated.groups, validated, dry_run=dry_run)
    generated = dream.generated
    outcome = conclude(
        funnel,
        stopped_by=generated.stopped_by,
        dry_run=dry_run,
        is_substitute=generated.generator is not None,
        note=generated.note,
    )
    if not dry_run:
        await _write_ideas(writing, dream, validated, current)
        is_complete = generated.stopped_by is None and generated.generator is None
        await _sweep(writing, dream, validated, is_complete=is_complete)
        await _note_assessed(writing, dream)
    await end_run(
        writing,
        lease,
        RunEnd(
            status=outcome.status,
            reason=outcome.reason,
            summary=outcome.summary,
            generator_kind=dream.generator.kind,
            generator_version=dream.generator.version,
            funnel=funnel,
            budgets=dream.budgets.describe(_used(dream, validated)),
            stopped_by=dream.generated.stopped_by,
            output_split=dream.generated.output_split,
            is_assessed=outcome.is_assessed,
            would_persist=_show(dream, validated) if dry_run else None,
        ),
    )
    await finish(writing, lease)
    return outcome


async def persist_skip(
    writing: Writing, lease: Lease, dream: Dream, outcome: Outcome, *, lease_seconds: float
) -> None:
    """Leave the run `skipped`; what has run out becomes stale all the same, unless the run is dry.

    Raises:
        LeaseLost: the term is over; nothing was written.
    """
    await renew_with_heartbeat(writing, lease, lease_seconds=lease_seconds)
    nothing = Validated()
    if not dream.run.dry_run:
        await lock_open_hypotheses(writing, dream.run.team_id, subject_ids=())
        await _sweep(writing, dream, nothing, is_complete=False)
    await end_run(
        writing,
        lease,
        RunEnd(
            status=outcome.status,
            reason=outcome.reason,
            summary=outcome.summary,
            funnel=build_funnel(dream.inputs, (), nothing, dry_run=dream.run.dry_run),
            budgets=dream.budgets.describe(_used(dream, nothing)),
        ),
    )
    await finish(writing, lease)


async def _write_ideas(writing: Writing, dream: Dream, validated: Validated, current: Current) -> None:
    team_id, run_id, generator = dream.run.team_id, dream.run.run_id, dream.generator
    statuses = {live.hypothesis_id: live.status for live in current.standing.live.values()}
    await insert_hypotheses(
        writing,
        team_id,
        [
            draft_hypothesis(accepted, hypothesis_id=new_id("hyp"), run_id=run_id, generator=generator)
            for accepted in validated.accepted
        ],
    )
    await reinforce_hypotheses(
        writing,
        team_id,
        [
            draft_regeneration(
                reinforcement,
                status=statuses[reinforcement.hypothesis_id],
                run_id=run_id,
                generator=generator,
            )
            for reinforcement in validated.reinforced
        ],
    )
    await note_reassessed(writing, team_id, _confirmed_ids(validated))


async def _sweep(writing: Writing, dream: Dream, validated: Validated, *, is_complete: bool) -> None:
    reinforced_ids = [reinforcement.hypothesis_id for reinforcement in validated.reinforced]
    sweep = Sweep(
        cycle_run_id=dream.run.run_id,
        regenerated_ids=reinforced_ids + _confirmed_ids(validated),
        is_complete=is_complete,
        expired_before=dream.expired_before,
    )
    await stale_ended_hypotheses(writing, dream.run.team_id, sweep)


async def _note_assessed(writing: Writing, dream: Dream) -> None:
    """Count what was read, where the team knows more than that; elsewhere the order does not matter."""
    if dream.inputs.over_input_budget and dream.generated.stopped_by is None:
        params = {
            "team_id": dream.run.team_id,
            "group_keys": [premise.group_key for premise in dream.inputs.premises],
            "read_at": dream.run.began_at,
        }
        await writing.execute(_NOTE_ASSESSED, params)


def _confirmed_ids(validated: Validated) -> list[str]:
    """Return the live Hypotheses that were regenerated without anything new."""
    return [
        duplicate.hypothesis_id for duplicate in validated.duplicates if duplicate.hypothesis_id is not None
    ]


def _show(dream: Dream, validated: Validated) -> list[dict[str, object]]:
    fresh = [(accepted.idea, None) for accepted in validated.accepted]
    again = [(reinforcement.idea, reinforcement.hypothesis_id) for reinforcement in validated.reinforced]
    return [
        show_idea(
            idea,
            dream.inputs,
            run_id=dream.run.run_id,
            generator=dream.generator,
            hypothesis_id=hypothesis_id,
        )
        for idea, hypothesis_id in [*fresh, *again]
    ]


def _used(dream: Dream, validated: Validated) -> dict[str, float]:
    return {
        "max_premises": len(dream.inputs.premises),
        "max_groups": len(dream.generated.groups),
        "max_outputs": len(validated.accepted),
        "max_duration_seconds": round(dream.seconds_used, 3),
    }


_NOTE_ASSESSED: LiteralString = """
    INSERT INTO premise_assessments AS known (team_id, semantic_group_key, cycles, last_assessed_at)
    SELECT %(team_id)s, group_key, 1, %(read_at)s FROM unnest(%(group_keys)s::text[]) AS group_key
    ON CONFLICT (team_id, semantic_group_key)
    DO UPDATE SET cycles = known.cycles + 1, last_assessed_at = excluded.last_assessed_at
"""
