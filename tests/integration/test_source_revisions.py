"""Revisions of a source: compared and set, unchanged documents are none, the old one counts no longer at once."""

import asyncio

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, WrongState
from app.remember.submission import Submission
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.integration.changes import guess_from, guess_status, standing, story
from tests.integration.documents import document, revised, revisions
from tests.integration.submissions import is_eligible, placement, remember, rows, run, submit


async def test_a_revision_that_follows_the_current_one_takes_its_place(
    database: Database, team: Caller
) -> None:
    await submit(database, team, document("1", "one"))
    await submit(database, team, document("2", "two", previous="1"))
    assert await revisions(database, team) == {"1": False, "2": True}


@pytest.mark.parametrize("previous", ["0", "3", "1 "])
async def test_a_revision_that_follows_another_than_the_current_one_is_refused_and_stores_nothing(
    database: Database, team: Caller, previous: str
) -> None:
    await submit(database, team, document("1", "one"))
    with pytest.raises(WrongState) as refused:
        await submit(database, team, document("2", "two", previous=previous))
    assert refused.value.code == "stale_revision"
    assert await revisions(database, team) == {"1": True}
    assert len(await rows(database, team, "SELECT 1 FROM evidence WHERE team_id = %(team_id)s")) == 1


async def test_a_first_revision_follows_nothing(database: Database, team: Caller) -> None:
    with pytest.raises(WrongState, match="the source has none yet"):
        await submit(database, team, document("2", "two", previous="1"))
    assert await revisions(database, team) == {}


@pytest.mark.parametrize(
    ("previous", "says"),
    [
        ("1", "names '1' as the one that it follows; the source is at '2'"),
        ("3", "names '3' as the one that it follows; the source is at '2'"),
    ],
)
async def test_a_refusal_names_what_was_compared(
    database: Database, team: Caller, previous: str, says: str
) -> None:
    await submit(database, team, document("1", "one"))
    await submit(database, team, document("2", "two", previous="1"))
    for revision in ("1", "4"):
        with pytest.raises(WrongState, match=says) as refused:
            await submit(database, team, document(revision, "other", previous=previous))
        assert refused.value.code == "stale_revision"
    assert await revisions(database, team) == {"1": False, "2": True}


async def test_more_of_the_current_revision_may_be_sent_with_the_same_words(
    database: Database, team: Caller
) -> None:
    await submit(database, team, document("1", "one"))
    await submit(database, team, document("2", "two", previous="1"))
    await submit(database, team, document("2", "two, page two", previous="1"))
    assert await revisions(database, team) == {"1": False, "2": True}


async def test_of_many_successors_of_one_revision_one_wins(database: Database, team: Caller) -> None:
    await submit(database, team, document("1", "one"))
    answers = await asyncio.gather(
        *(submit(database, team, document(f"2.{n}", f"two {n}", previous="1")) for n in range(8)),
        return_exceptions=True,
    )
    refusals = [one for one in answers if isinstance(one, BaseException)]
    assert [type(one) for one in refusals] == [WrongState] * 7
    found = await revisions(database, team)
    assert (found["1"], list(found.values()).count(True), len(found)) == (False, 1, 2)


async def test_a_document_that_comes_back_unchanged_is_no_new_revision(
    database: Database, team: Caller
) -> None:
    outcome = await remember(database, team, revised("Starlette", "1"))
    await remember(database, team, revised("Starlette", "2", previous="1"))
    assert await revisions(database, team) == {"1": True, "2": "1"}
    assert await is_eligible(database, team, outcome.relationship_id)
    assert [reason for reason, _, _ in await story(database, team, outcome.relationship_id)] == [
        "remembered",
        "remembered",
    ]
    items = await rows(database, team, "SELECT source_revision FROM evidence WHERE team_id = %(team_id)s")
    assert [row["source_revision"] for row in items] == ["1", "1"]


async def test_the_next_revision_may_follow_either_name_of_an_unchanged_one(
    database: Database, team: Caller
) -> None:
    await submit(database, team, document("1", "one"))
    await submit(database, team, document("2", "one", previous="1"))
    await submit(database, team, document("3", "three", previous="2"))
    assert await revisions(database, team) == {"1": False, "2": "1", "3": True}


async def test_a_document_that_lost_or_gained_a_part_is_changed(database: Database, team: Caller) -> None:
    await submit(database, team, document("1", "one", "another"))
    await submit(database, team, document("2", "another", "one"))
    assert await revisions(database, team) == {"1": True, "2": "1"}
    await submit(database, team, document("3", "one"))
    await submit(database, team, document("4", "one", "another"))
    assert await revisions(database, team) == {"1": False, "2": "1", "3": False, "4": True}


async def test_a_document_of_another_profile_is_another_source(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    colleague = await make_profile(team, "Second")
    await submit(database, team, document("1", "one"))
    await submit(database, colleague, document("2", "two"))
    assert await revisions(database, team) == {"1": True, "2": True}


async def test_items_of_one_source_agree_on_its_revision(database: Database, team: Caller) -> None:
    both = Submission((*document("1", "one").evidence, *document("2", "two").evidence))
    with pytest.raises(InvalidInput) as refused:
        await submit(database, team, both)
    assert [(error.field, error.code) for error in refused.value.errors] == [
        ("evidence.1.source_revision", "revisions_differ")
    ]


@pytest.mark.parametrize("state_of_new", ["active", "quarantined"])
async def test_the_old_revision_is_out_while_the_new_one_waits_or_is_quarantined(
    database: Database, team: Caller, state_of_new: str
) -> None:
    old = await remember(database, team, revised("Starlette", "1"))
    guess = await guess_from(database, team, old.relationship_id)
    ingest_id = await submit(database, team, revised("Pydantic", "2", previous="1"))
    await run(
        database,
        team,
        """UPDATE evidence SET state = %(state)s
           WHERE team_id = %(team_id)s AND source_revision = '2' RETURNING id""",
        state=state_of_new,
    )
    assert (await placement(database, team, ingest_id)).processing_state == "queued"
    assert await standing(database, team, old.relationship_id) == ("candidate", "pending_evidence")
    assert not await is_eligible(database, team, old.relationship_id)
    assert await guess_status(database, team, guess) == "stale"


async def test_what_an_even_older_revision_said_is_not_weighed_again(
    database: Database, team: Caller
) -> None:
    first = await remember(database, team, revised("Starlette", "1"))
    for number in ("2", "3", "4"):
        await submit(database, team, revised(f"Package{number}", number))
    assert [reason for reason, _, _ in await story(database, team, first.relationship_id)] == [
        "remembered",
        "source_revision_replaced",
    ]


async def test_submissions_over_the_same_sources_in_opposite_order_do_not_deadlock(
    database: Database, team: Caller
) -> None:
    keys = [f"https://example.org/{number}" for number in range(6)]

    def all_of(revision: int, order: list[str]) -> Submission:
        items = [document(str(revision), f"{key} {revision}", source_key=key).evidence[0] for key in order]
        return Submission(tuple(items))

    await asyncio.gather(
        *(submit(database, team, all_of(number, keys if number % 2 else keys[::-1])) for number in range(12))
    )
    current = await rows(
        database, team, "SELECT 1 FROM source_revisions WHERE team_id = %(team_id)s AND is_current"
    )
    assert len(current) == len(keys)


async def test_a_document_that_differs_only_in_what_is_masked_is_unchanged(
    database: Database, team: Caller
) -> None:
    said = "FastAPI depends on Starlette. password = "
    await submit(database, team, document("1", f"{said}swordfish-1984"))
    await submit(database, team, document("2", f"{said}swordfish-1985", previous="1"))
    assert await revisions(database, team) == {"1": True, "2": "1"}
