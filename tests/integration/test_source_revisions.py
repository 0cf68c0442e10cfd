"""Revisions of a source: compared and set, unchanged documents are none, the old one counts no longer at once."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, WrongState
from app.ledger.evidence.detail import get_evidence_detail
from app.remember.submission import EvidenceItem, Submission
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.integration.changes import guess_from, guess_status, standing, story
from tests.integration.submissions import is_eligible, placement, remember, rows, run, scope, state, submit


def document(
    revision: str | None,
    *texts: str,
    previous: str | None = None,
    source_key: str = "https://example.org/docs",
) -> Submission:
    """A document of one source, in as many evidence items as there are texts."""
    return Submission(
        tuple(
            EvidenceItem(
                text,
                source_key=source_key,
                source_revision=revision,
                previous_source_revision=previous,
            )
            for text in texts
        )
    )


def revised(object_name: str, revision: str, *, previous: str | None = None) -> Submission:
    """`FastAPI depends on …`, as one revision of the document says."""
    stated = state("FastAPI", "depends_on", object_name, source_key="docs", source_revision=revision)
    return replace(stated, evidence=(replace(stated.evidence[0], previous_source_revision=previous),))


async def revisions(database: Database, caller: Caller) -> dict[str, str | bool]:
    """Return for each key whether it is current, or which revision it is another name of."""
    found = await rows(
        database,
        caller,
        "SELECT revision, is_current, same_as FROM source_revisions WHERE team_id = %(team_id)s",
    )
    return {row["revision"]: row["same_as"] or row["is_current"] for row in found}


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
