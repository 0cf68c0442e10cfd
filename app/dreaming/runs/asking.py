"""Asking for a cycle by hand, and giving one up. Done as the application, which can do no more than that."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, LiteralString

from psycopg.types.json import Jsonb

from app.dreaming.runs.history import Run, get_run
from app.dreaming.spending.budgets import check_request, team_budgets
from app.kernel.database import Writing
from app.kernel.errors import Busy, FieldError, InvalidInput, NotFound, WrongState
from app.kernel.ids import is_id, new_id
from app.queue.leases import cancel, enqueue
from app.tenancy.audit import Detail, record_audit
from app.tenancy.callers import Caller
from app.tenancy.configuration import ProviderMode, effective_configuration, effective_settings

CYCLE: Final = "cycle"
MAX_NOTE_LENGTH: Final = 1000
_MAX_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A wish for a cycle. `budgets` can only lower the team's; `note` has at most 1000 code points.

    `provider_mode`: whoever waits for a run is answered directly, whatever the team has chosen for its schedule.
    """

    dry_run: bool = False
    budgets: Mapping[str, float] = field(default_factory=dict)
    note: str | None = None
    provider_mode: ProviderMode = "direct"


async def start_run(writing: Writing, caller: Caller, request: StartRequest) -> tuple[Run, bool]:
    """Leave the team with one live run, and return it and whether it is new.

    A team has one live run at most: whoever asks while there is one is given that one, as it is.

    Raises:
        InvalidInput: a budget above the team's, an unknown one, or too long a note.
        WrongState: `dreaming_disabled`.
    """
    configuration = await effective_configuration(writing, caller.team_id)
    if not configuration.enabled:
        level = (await effective_settings(writing, caller.team_id))["enabled"].source
        raise WrongState(
            f"Dreaming is switched off by the setting `enabled` of the {level}.", code="dreaming_disabled"
        )
    check_request(team_budgets(configuration), request.budgets)
    if request.note is not None and len(request.note) > MAX_NOTE_LENGTH:
        error = FieldError("note", "too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
        raise InvalidInput("The note is too long.", errors=(error,))
    for _ in range(_MAX_TRIES):
        run_id = new_id("run")
        if await _insert_run(writing, caller, request, run_id):
            await enqueue(writing, team_id=caller.team_id, kind=CYCLE, item_id=run_id)
            details: dict[str, Detail] = {"dry_run": request.dry_run}
            await record_audit(writing, caller, "cycle_started", target_id=run_id, details=details)
            return await get_run(writing, caller.team_id, run_id), True
        live = await writing.fetch_one(_FIND_LIVE, {"team_id": caller.team_id})
        # It may have ended between the two statements; then there is room for ours.
        if live is not None:
            return await get_run(writing, caller.team_id, live["id"]), False
    raise Busy("Cycle runs of this team come and go right now.")


async def cancel_run(writing: Writing, caller: Caller, run_id: str) -> Run:
    """Leave the run `cancelled`; whoever works on it finds its lease gone and writes nothing more.

    Raises:
        NotFound: the team has no such run.
        WrongState: it has ended otherwise. A cancelled run is returned as it is.
    """
    if not is_id(run_id, "run"):
        raise NotFound("There is no such cycle run.")
    # The work item is locked before the run, as its owner does.
    await cancel(writing, team_id=caller.team_id, kind=CYCLE, item_id=run_id)
    if await writing.execute(_CANCEL, {"team_id": caller.team_id, "id": run_id}):
        await record_audit(writing, caller, "cycle_cancelled", target_id=run_id)
    run = await get_run(writing, caller.team_id, run_id)
    if run.status != "cancelled":
        raise WrongState(f"The cycle run has ended already: it is {run.status}.")
    return run


async def _insert_run(writing: Writing, caller: Caller, request: StartRequest, run_id: str) -> bool:
    params = {
        "team_id": caller.team_id,
        "id": run_id,
        "window_key": f"manual:{run_id}",
        "dry_run": request.dry_run,
        "note": request.note,
        "profile_id": caller.profile_id,
        "requested_budgets": Jsonb(dict(request.budgets)),
        "provider_mode": request.provider_mode,
    }
    return await writing.execute(_INSERT, params) > 0


# An insert that meets another's uncommitted one waits for it, so fifty at once still make one run.
_INSERT: LiteralString = """
    INSERT INTO cycle_runs
        (team_id, id, window_key, trigger, dry_run, status, note, started_by_profile_id, scheduled_for,
         requested_budgets, provider_mode)
    VALUES
        (%(team_id)s, %(id)s, %(window_key)s, 'manual', %(dry_run)s, 'queued', %(note)s, %(profile_id)s,
         clock_timestamp(), %(requested_budgets)s, %(provider_mode)s)
    ON CONFLICT (team_id) WHERE status IN ('queued', 'running', 'waiting') DO NOTHING
"""

_FIND_LIVE: LiteralString = """
    SELECT id FROM cycle_runs
    WHERE team_id = %(team_id)s AND status IN ('queued', 'running', 'waiting')
"""

_CANCEL: LiteralString = """
    UPDATE cycle_runs
    SET status = 'cancelled', summary = 'Cancelled by an operator.', finished_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = %(id)s AND finished_at IS NULL
"""
