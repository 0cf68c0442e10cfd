"""Settling the positions of a predicate after a change of how many can hold: at once as far as that is quick.

What is left is a work item of the kind `predicate`, named by key and profile. A worker goes through all of them, a
transaction each portion, and from the start again where the predicate changes meanwhile or the worker dies: what
is settled stays as it is.
"""

from typing import Final

import structlog

from app.kernel.database import Database, Scope, Writing
from app.ledger.conflicts.crowding import REASON, changes_crowd, settle_crowd
from app.ledger.conflicts.entrance import Entrance
from app.ledger.predicates.registry import hold_predicates, list_predicates
from app.ledger.vocabulary import Predicate
from app.queue.leases import Lease, finish, hold, make_due
from app.tenancy.callers import Caller

PREDICATE: Final = "predicate"
_log = structlog.get_logger()


async def begin_settling(w: Writing, caller: Caller, before: Predicate | None, after: Predicate) -> None:
    """Leave some positions settled, and the rest due for a worker, if the new version changes how many can hold.

    Run it after the predicate changed, in the same transaction, which lets nobody else use the team's predicates.
    """
    if not changes_crowd(before, after):
        return
    team_id = caller.team_id
    entrance = Entrance(team_id, REASON, caller.profile_id, await list_predicates(w, team_id))
    if await settle_crowd(w, entrance, after.key) is not None:
        await make_due(w, team_id=team_id, kind=PREDICATE, item_id=item_of(caller, after.key))


def item_of(caller: Caller, key: str) -> str:
    """Return the name of the work item; who changed the predicate is the actor of all that follows."""
    return f"{key}/{caller.profile_id}"


async def settle_predicate(database: Database, lease: Lease) -> None:
    """Leave every position of the predicate settled and the item finished.

    Raises:
        LeaseLost: somebody else owns the item; what this worker settled stays settled.
    """
    key, _, profile_id = lease.item_id.partition("/")
    version, after = 0, ""

    async def settle_some(w: Writing) -> tuple[int, str | None]:
        await hold(w, lease)
        predicates = await hold_predicates(w, lease.team_id)
        now = predicates[key].version
        entrance = Entrance(lease.team_id, REASON, profile_id, predicates)
        next_after = await settle_crowd(w, entrance, key, after=after if now == version else "")
        if next_after is None:
            await finish(w, lease)
        return now, next_after

    scope = Scope("app", lease.team_id)
    if lease.attempts_are_exhausted:
        await database.unit_of_work(scope, lambda w: finish(w, lease))
        _log.warning("predicate given up", action=PREDICATE, team=lease.team_id, predicate=key)
        return
    while (settled := await database.unit_of_work(scope, settle_some))[1] is not None:
        version, after = settled[0], settled[1]
