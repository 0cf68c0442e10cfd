"""How a run that was not interrupted ends, and why, in one sentence. Pure.

`failed`, `cancelled` and `missed` do not follow from a funnel; the cycle and the lease decide them.
"""

from dataclasses import dataclass
from typing import Literal

from app.dreaming.funnel import Funnel

OutcomeStatus = Literal["succeeded", "partially_rejected", "skipped"]
SkipReason = Literal["no_eligible_inputs", "inputs_unchanged"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A terminal run state. `reason` is a code and set only for a skipped run; `summary` is one sentence.

    `is_assessed`: the snapshot digest may be remembered, so that an equal one is skipped next time.
    """

    status: OutcomeStatus
    reason: SkipReason | None
    summary: str
    is_assessed: bool = False


def find_skip(
    *, eligible: int, digest: str, assessed_digest: str | None, dry_run: bool = False
) -> Outcome | None:
    """Return why there is nothing to generate, or None: then the cycle goes on.

    Args:
        eligible: eligible Relationships, before the input budget.
        digest: of this snapshot.
        assessed_digest: the last one that was assessed; None if there is none.
        dry_run: a dry run is never skipped as unchanged: it is asked for in order to see something.
    """
    if eligible == 0:
        return Outcome("skipped", "no_eligible_inputs", "Skipped: no Relationship is eligible.")
    if digest == assessed_digest and not dry_run:
        return Outcome(
            "skipped", "inputs_unchanged", "Skipped: nothing has changed since the last assessment."
        )
    return None


def conclude(
    funnel: Funnel,
    *,
    stopped_by: str | None = None,
    dry_run: bool = False,
    is_substitute: bool = False,
    note: str | None = None,
) -> Outcome:
    """Return the end of a run that came to its end.

    `partially_rejected` means a reject other than `output_budget`, also when every item was rejected. A run
    that ran into a budget has not assessed everything, nor has one whose generator was replaced by another, and a
    dry run marks nothing as assessed.

    Args:
        funnel: the counts of the run.
        stopped_by: the name of the budget that stopped the run before it had seen everything.
        dry_run: nothing was written.
        is_substitute: another generator did the work than was asked.
        note: a sentence of the generator's, for the summary.

    Source: Design, section 6, "Run states".
    """
    if funnel.eligible == 0 and funnel.generated == 0:
        return Outcome("skipped", "no_eligible_inputs", "Skipped: no Relationship is eligible.")
    reasons = {rejection.reason for rejection in funnel.rejections}
    is_rejecting = bool(reasons - {"output_budget"})
    return Outcome(
        status="partially_rejected" if is_rejecting else "succeeded",
        reason=None,
        summary=" ".join(filter(None, (_summarise(funnel, stopped_by, dry_run=dry_run), note))),
        is_assessed=(
            stopped_by is None and not dry_run and not is_substitute and "output_budget" not in reasons
        ),
    )


def _summarise(funnel: Funnel, stopped_by: str | None, *, dry_run: bool) -> str:
    stop = f"; stopped by {stopped_by}" if stopped_by else ""
    if funnel.generated == 0:
        why = stop or (": no pattern among them leads to a new idea" if funnel.premises else "")
        return f"Nothing was generated from {_count(funnel.premises, 'premise')}{why}."
    if dry_run:
        parts = [f"{funnel.would_persist} would be kept"]
    else:
        parts = [f"{funnel.persisted} new", f"{funnel.reinforced} reinforced"]
    parts.append(f"{funnel.deduplicated} already known")
    rejections = ", ".join(f"{rejection.reason} {rejection.count}" for rejection in funnel.rejections)
    parts.append(f"{funnel.rejected} rejected" + (f" ({rejections})" if rejections else ""))
    return f"Of {_count(funnel.generated, 'generated item')}: {', '.join(parts)}{stop}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
