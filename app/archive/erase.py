"""A team gone for good, for privacy; what stays is that it was closed and erased, on the instance's account.

First the team is closed, in a transaction of its own: one that is written to would be in the way of its own end.
Then what is under way is waited for, and everything is deleted; where that does not come through it is tried
again, and in the end whoever asked is told what stands in the way. The team stays closed; asking again goes on.

A batch that a provider still has holds the team's names, will be paid for, and is known by the team's rows alone:
with them it would be lost. So nothing is closed until it has come back or was cancelled; the host may abandon it.
"""

from time import monotonic
from typing import Final, LiteralString

import psycopg

from app.archive import closing
from app.archive.closing import Hand, close_team, limit_waits, wait_for_others
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import Busy, FieldError, Forbidden, InvalidInput, NotFound
from app.tenancy.audit import record_audit
from app.tenancy.callers import HOST, Admin
from app.tenancy.keys import digest_secret
from app.tenancy.teams import NO_SUCH_TEAM, Team, find_team

MAX_ERASE_SECONDS: Final = 600


async def erase_team_as_owner(
    owner: Database, name_or_id: str, *, abandons_batches: bool = False
) -> tuple[Team, int]:
    """Leave no row of the team, and return what it was and how many rows it had.

    Args:
        owner: a database whose login may act as the owner.
        name_or_id: of the team.
        abandons_batches: whether to erase it although a provider has a batch of it, which nobody then cancels.

    Raises:
        NotFound: there is no such team.
        Busy: a provider has a batch of the team, which stays as it is; or something stands in the way of a team
            that is closed by then.
    """
    async with owner.reading(Scope("owner")) as reading:
        team = await find_team(reading, name_or_id)
    params = {"team_id": team.team_id}
    hand = Hand(owner, Scope("owner"), HOST, params, close=_CLOSE_AS_OWNER, erase=_ERASE_AS_OWNER)
    return team, await _end_team(hand, abandons_batches=abandons_batches)


async def erase_team(database: Database, admin: Admin, secret: str, team_id: str, *, name: str) -> int:
    """Leave no row of the team, and return how many there were.

    Args:
        database: of the service, which may delete nothing itself.
        admin: whose act it is.
        secret: the admin's key; the database looks at it again before it closes and before it erases.
        team_id: of the team.
        name: of the team, said again, so that nobody erases one by a slip.

    Raises:
        NotFound: there is no such team.
        InvalidInput: the team has another name.
        Forbidden: the key is no live admin key.
        Busy: a provider has a batch of the team, which stays as it is; or something stands in the way of a team
            that is closed by then.
    """
    async with database.reading(Scope("app")) as reading:
        team = await find_team(reading, team_id)
    if team.name != name:
        wrong = FieldError("name", "name_differs", "The team has another name.")
        raise InvalidInput("The request is not valid.", errors=(wrong,))
    params = {"team_id": team.team_id, "digest": digest_secret(secret)}
    hand = Hand(database, Scope("app"), admin, params, close=_CLOSE_AS_ADMIN, erase=_ERASE_AS_ADMIN)
    try:
        return await _end_team(hand, abandons_batches=False)
    except psycopg.errors.InsufficientPrivilege as error:
        raise Forbidden("The key lacks the scope admin.", code="missing_scope") from error


async def _end_team(hand: Hand, *, abandons_batches: bool) -> int:
    """Close the team and erase it, again and again for a while; return how many rows it had."""
    end = monotonic() + closing.PATIENCE_SECONDS
    is_closed, sessions = False, list[int]()
    while True:
        try:
            # Each time: a request that was under way may have made a key, and a worker have taken work.
            batches = await close_team(hand, abandons_batches=abandons_batches)
            is_closed = True
            sessions = await wait_for_others(hand)
            return await _erase(hand, batches)
        except psycopg.errors.ForeignKeyViolation:
            why = "something still wrote to it while its rows went"
        except psycopg.errors.QueryCanceled:
            why = "a statement took longer than it may"
        except (
            psycopg.errors.LockNotAvailable,
            psycopg.errors.DeadlockDetected,
            psycopg.errors.SerializationFailure,
        ):
            why = "another transaction holds rows of it"
        if monotonic() >= end:
            raise _stands_in_the_way(why, sessions, is_closed=is_closed)


async def _erase(hand: Hand, batches: int) -> int:
    async def erase(writing: Writing) -> int:
        # A whole team takes as long as it takes; only for a row of somebody else is not waited so long.
        await limit_waits(writing, statement_seconds=MAX_ERASE_SECONDS if hand.actor is not HOST else 0)
        row = await writing.fetch_one(hand.erase, hand.params)
        assert row is not None
        rows: int = row["rows"]
        if not rows:
            # Somebody else has erased it in between, and told how much there was.
            raise NotFound(NO_SUCH_TEAM)
        details = {"rows": rows} | ({"abandoned_batches": batches} if batches else {})
        await record_audit(writing, hand.actor, "team_erased", target_id=hand.team_id, details=details)
        return rows

    return await hand.database.unit_of_work(hand.scope, erase)


def _stands_in_the_way(why: str, sessions: list[int], *, is_closed: bool) -> Busy:
    if not is_closed:
        return Busy(f"The team could not be closed, because {why}; nothing of it is closed or erased.")
    named = ", ".join(map(str, sessions))
    since = f" These sessions of the database (pid) are at work since before that: {named}." if named else ""
    return Busy(
        "The team is closed: its keys are refused, and none of its work is begun. It is not erased yet, because "
        f"{why}.{since} The same request goes on with it."
    )


_CLOSE_AS_OWNER: LiteralString = "SELECT * FROM close_team_rows(%(team_id)s)"
_CLOSE_AS_ADMIN: LiteralString = "SELECT * FROM close_team(%(team_id)s, %(digest)s)"
_ERASE_AS_OWNER: LiteralString = "SELECT erase_team_rows(%(team_id)s) AS rows"
_ERASE_AS_ADMIN: LiteralString = "SELECT erase_team(%(team_id)s, %(digest)s) AS rows"
