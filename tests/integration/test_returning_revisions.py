"""A revision that was replaced comes back: it takes the current one's place, and is read anew."""

import asyncio
from datetime import UTC, datetime

from app.kernel.database import Database
from app.kernel.errors import WrongState
from app.ledger.evidence.detail import get_evidence_detail
from app.tenancy.callers import Caller
from tests.integration.changes import standing, story
from tests.integration.documents import document, revised, revisions
from tests.integration.submissions import is_eligible, remember, rows, scope, submit


async def named(database: Database, caller: Caller) -> dict[str, str]:
    """Return what evidence says of its revision, by what it holds."""
    items = await rows(database, caller, "SELECT id FROM evidence WHERE team_id = %(team_id)s")
    async with database.reading(scope(caller)) as reading:
        found = [await get_evidence_detail(reading, caller, item["id"]) for item in items]
    return {one.content or "": f"{one.source_revision}{'' if one.is_current else ', old'}" for one in found}


async def effective(
    database: Database, caller: Caller, relationship_id: str | None, known: datetime | None = None
) -> tuple[datetime, set[str]]:
    """Return which supports of a Relationship counted at that moment, now by default, and the moment."""
    known = known or datetime.now(UTC)
    found = await rows(
        database,
        caller,
        "SELECT citation_id FROM supports_known(%(team_id)s, %(id)s, %(known)s) WHERE is_effective",
        id=relationship_id,
        known=known,
    )
    return known, {row["citation_id"] for row in found}


async def test_an_older_revision_that_follows_the_current_one_comes_back(
    database: Database, team: Caller
) -> None:
    old = await remember(database, team, revised("Starlette", "1"))
    new = await remember(database, team, revised("Pydantic", "2", previous="1"))
    again = await remember(database, team, revised("Starlette", "1", previous="2"))
    assert (again.relationship_id, again.category) == (old.relationship_id, "relationship_validated_claim")
    assert await is_eligible(database, team, old.relationship_id)
    assert await standing(database, team, new.relationship_id) == ("candidate", "pending_evidence")
    assert [reason for reason, _, _ in await story(database, team, new.relationship_id)] == [
        "remembered",
        "source_revision_replaced",
    ]
    third = await remember(database, team, revised("Uvicorn", "3", previous="1"))
    assert await is_eligible(database, team, third.relationship_id)
    assert await standing(database, team, old.relationship_id) == ("candidate", "pending_evidence")


async def test_what_comes_back_is_read_anew_and_nothing_counts_that_it_does_not_say_again(
    database: Database, team: Caller
) -> None:
    dropped = await remember(database, team, revised("Starlette", "1"))
    await remember(database, team, revised("Pydantic", "2", previous="1"))
    other = await remember(database, team, revised("Uvicorn", "1", previous="2"))
    assert await is_eligible(database, team, other.relationship_id)
    assert await standing(database, team, dropped.relationship_id) == ("candidate", "pending_evidence")
    assert await named(database, team) == {
        "FastAPI depends on Starlette.": "1, old",
        "FastAPI depends on Pydantic.": "2, old",
        "FastAPI depends on Uvicorn.": "1",
    }


async def test_an_older_revision_with_the_words_of_the_current_one_is_another_name_of_it(
    database: Database, team: Caller
) -> None:
    await submit(database, team, document("1", "one"))
    await submit(database, team, document("2", "two", previous="1"))
    await submit(database, team, document("1", "two", previous="2"))
    assert await revisions(database, team) == {"1": False, "2": True, "1 (2)": "2"}
    await submit(database, team, document("3", "three", previous="1"))
    assert await revisions(database, team) == {"1": False, "2": False, "1 (2)": "2", "3": True}


async def test_without_the_one_that_it_follows_an_older_revision_stays_as_it_is(
    database: Database, team: Caller
) -> None:
    await submit(database, team, document("1", "one"))
    await submit(database, team, document("2", "two", previous="1"))
    await submit(database, team, document("1", "one"))
    assert await revisions(database, team) == {"1": False, "2": True}


async def test_a_revision_comes_back_as_often_as_it_likes_whatever_others_are_called(
    database: Database, team: Caller
) -> None:
    await submit(database, team, document("1", "0"))
    for number, (revision, previous) in enumerate(
        [("1 (2)", "1"), ("1", "1 (2)"), ("1 (2)", "1"), ("1", "1 (2)"), ("1 (3)", "1")], start=1
    ):
        await submit(database, team, document(revision, str(number), previous=previous))
    assert await named(database, team) == {
        "0": "1, old",
        "1": "1 (2), old",
        "2": "1, old",
        "3": "1 (2), old",
        "4": "1, old",
        "5": "1 (3)",
    }


async def test_what_counted_at_a_past_moment_is_known_of_a_revision_that_has_come_back(
    database: Database, team: Caller
) -> None:
    said = await remember(database, team, revised("Starlette", "1"))
    counted = [await effective(database, team, said.relationship_id)]
    # Another name of the revision takes nobody's place.
    for revision, previous, name in [
        ("1b", "1", "Starlette"),
        ("2", "1b", "Pydantic"),
        ("1", "2", "Starlette"),
    ]:
        await remember(database, team, revised(name, revision, previous=previous))
        counted.append(await effective(database, team, said.relationship_id))
    assert [len(ids) for _, ids in counted] == [1, 2, 0, 1]
    for moment, ids in counted:
        assert (await effective(database, team, said.relationship_id, moment))[1] == ids


async def test_of_many_that_bring_an_older_revision_back_one_wins(database: Database, team: Caller) -> None:
    for number in (1, 2, 3):
        await submit(database, team, document(str(number), str(number)))
    answers = await asyncio.gather(
        *(submit(database, team, document(f"{1 + n % 2}", f"again {n}", previous="3")) for n in range(8)),
        return_exceptions=True,
    )
    refusals = [one for one in answers if isinstance(one, BaseException)]
    assert {type(one) for one in refusals} == {WrongState}
    # Whoever says the same revision as the winner sends more of it.
    assert len(refusals) == 4
    assert len([one for one in (await revisions(database, team)).values() if one is True]) == 1
