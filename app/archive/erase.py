"""A team gone for good, for privacy; what stays is that it was erased, on the instance's account.

A batch that a provider still has holds the team's names, will be paid for, and is known by the team's rows alone:
with them it would be lost. So nothing is erased until it has come back or was cancelled; the host may abandon it.
"""

from typing import Final, LiteralString

import psycopg

from app.archive.export import NO_TIME_LIMIT
from app.kernel.database import Database, Params, Reading, Scope, Writing
from app.kernel.errors import Busy, FieldError, Forbidden, InvalidInput
from app.tenancy.audit import record_audit
from app.tenancy.callers import HOST, Admin
from app.tenancy.keys import digest_secret
from app.tenancy.teams import Team, find_team

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
        Busy: somebody works in the team, or a provider has a batch of it; nothing is erased.
    """

    async def erase(writing: Writing) -> tuple[Team, int]:
        team = await find_team(writing, name_or_id)
        await writing.fetch_one(NO_TIME_LIMIT)
        batches = await _count_open_batches(writing, team.team_id)
        if batches and not abandons_batches:
            raise _has_batch()
        details = {"rows": await _erase(writing, _AS_OWNER, {"team_id": team.team_id})}
        rows = details["rows"]
        if batches:
            details["abandoned_batches"] = batches
        await record_audit(writing, HOST, "team_erased", target_id=team.team_id, details=details)
        return team, rows

    return await owner.unit_of_work(Scope("owner"), erase)


async def erase_team(database: Database, admin: Admin, secret: str, team_id: str, *, name: str) -> int:
    """Leave no row of the team, and return how many there were.

    Args:
        database: of the service, which may delete nothing itself.
        admin: whose act it is.
        secret: the admin's key; the database looks at it again before it erases.
        team_id: of the team.
        name: of the team, said again, so that nobody erases one by a slip.

    Raises:
        NotFound: there is no such team.
        InvalidInput: the team has another name.
        Forbidden: the key is no live admin key.
        Busy: somebody works in the team, or a provider has a batch of it; nothing is erased.
    """

    async def erase(writing: Writing) -> int:
        team = await find_team(writing, team_id)
        if team.name != name:
            wrong = FieldError("name", "name_differs", "The team has another name.")
            raise InvalidInput("The request is not valid.", errors=(wrong,))
        await writing.fetch_one(_LONG, {"milliseconds": str(MAX_ERASE_SECONDS * 1000)})
        params = {"team_id": team.team_id, "digest": digest_secret(secret)}
        try:
            rows = await _erase(writing, _AS_ADMIN, params)
        except psycopg.errors.InsufficientPrivilege as error:
            raise Forbidden("The key lacks the scope admin.", code="missing_scope") from error
        await record_audit(writing, admin, "team_erased", target_id=team.team_id, details={"rows": rows})
        return rows

    # The team's rows are seen in the team's scope only. Who hands a batch in after this finds the run gone, and
    # cancels it.
    async with database.reading(Scope("app", team_id)) as reading:
        if await _count_open_batches(reading, team_id):
            raise _has_batch()
    return await database.unit_of_work(Scope("app"), erase)


def _has_batch() -> Busy:
    return Busy(
        "A provider has a batch of the team: cancel the run that waits for it (densemem runs cancel), and try "
        "again once a worker has seen the batch end."
    )


async def _count_open_batches(reading: Reading, team_id: str) -> int:
    row = await reading.fetch_one(_OPEN_BATCHES, {"team_id": team_id})
    assert row is not None
    batches: int = row["batches"]
    return batches


async def _erase(writing: Writing, query: LiteralString, params: Params) -> int:
    try:
        row = await writing.fetch_one(query, params)
    except psycopg.errors.ForeignKeyViolation as error:
        # A request of the team committed a row after the statement had begun.
        raise Busy("Somebody works in the team right now; revoke its keys and try again.") from error
    assert row is not None
    rows: int = row["rows"]
    return rows


_OPEN_BATCHES: LiteralString = """
    SELECT count(*)::int AS batches FROM provider_batches WHERE team_id = %(team_id)s AND outcome IS NULL
"""
_AS_OWNER: LiteralString = "SELECT erase_team_rows(%(team_id)s) AS rows"
_AS_ADMIN: LiteralString = "SELECT erase_team(%(team_id)s, %(digest)s) AS rows"
_LONG: LiteralString = "SELECT set_config('statement_timeout', %(milliseconds)s, true)"
