"""The registry of predicates."""

from dataclasses import replace
from typing import LiteralString

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound, VersionMismatch, WrongState
from app.ledger.predicates.changes import change_predicate, register_predicate
from app.ledger.predicates.draft import PredicateChanges, PredicateDraft
from app.ledger.predicates.registry import (
    find_predicate,
    list_predicates,
    nearest_predicates,
    page_predicates,
)
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.vocabulary import Predicate
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.integration.submissions import is_eligible, remember, run, scope, state

DRAFT = PredicateDraft("mentors", "Mentors", "mentors", aliases=("is the mentor of",))

_SEWS: LiteralString = """
    INSERT INTO predicates (team_id, predicate_key, version, is_current, label, aliases,
        allowed_subject_kinds, allowed_object_kinds, allowed_value_types, relationship_kind,
        current_cardinality, is_symmetric, verb_phrase, lifecycle_state)
    VALUES (%(team_id)s, 'sews', 1, true, 'Sews', '{}', '{}', '{}', '{}', 'state', 'many', false, 'sews', 'active')
    RETURNING version
"""


async def register(database: Database, caller: Caller, draft: PredicateDraft) -> Predicate:
    return await database.unit_of_work(scope(caller), lambda w: register_predicate(w, caller, draft))


async def change(database: Database, caller: Caller, key: str, changes: PredicateChanges) -> Predicate:
    return await database.unit_of_work(
        scope(caller),
        lambda w: change_predicate(w, caller, key, changes),
    )


async def current(database: Database, caller: Caller) -> dict[str, Predicate]:
    async with database.reading(scope(caller)) as reading:
        return await list_predicates(reading, caller.team_id)


async def test_new_team_has_the_seeded_predicates(database: Database, team: Caller) -> None:
    assert tuple((await current(database, team)).values()) == SEEDED_PREDICATES


async def test_registered_predicate_is_the_teams_own(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    registered = await register(database, team, DRAFT)
    assert (await current(database, team))["mentors"] == registered == DRAFT.as_predicate()
    assert "mentors" not in await current(database, await make_team())


async def test_registered_predicate_can_be_stated_by_its_alias(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    outcome = await remember(database, team, state("Ada Lovelace", "IS THE mentor of", "Analytical Engine"))
    assert outcome.status == "active"


@pytest.mark.parametrize(
    "draft",
    [
        replace(DRAFT, predicate_key="depends_on"),
        replace(DRAFT, aliases=("DEPENDS_ON",)),
        replace(DRAFT, aliases=("Relies  On",)),
        replace(DRAFT, aliases=("depends on",)),
        replace(DRAFT, aliases=("is depending on",)),
        replace(DRAFT, aliases=("requires_dist",)),
        replace(DRAFT, aliases=("is required by",)),
        replace(DRAFT, aliases=("funds",)),
        replace(DRAFT, label="Depends on"),
        replace(DRAFT, verb_phrase="depends on"),
        replace(DRAFT, predicate_key="depend_on"),
    ],
)
async def test_taken_name_is_refused(database: Database, team: Caller, draft: PredicateDraft) -> None:
    with pytest.raises(WrongState) as raised:
        await register(database, team, draft)
    assert raised.value.code == "name_taken"


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (replace(DRAFT, predicate_key="Mentors"), "predicate_key"),
        (replace(DRAFT, predicate_key="x" * 65), "predicate_key"),
        (replace(DRAFT, label=" "), "label"),
        (replace(DRAFT, verb_phrase="a\nb"), "verb_phrase"),
        (replace(DRAFT, verb_phrase="is"), "verb_phrase"),
        (replace(DRAFT, verb_phrase="."), "verb_phrase"),
        (replace(DRAFT, verb_phrase="does not like"), "verb_phrase"),
        (replace(DRAFT, verb_phrase="mentor"), "verb_phrase"),
        (replace(DRAFT, predicate_key="does_not_mentor"), "predicate_key"),
        (replace(DRAFT, label="never mentors"), "label"),
        (replace(DRAFT, aliases=("Name",)), "aliases.0"),
        (replace(DRAFT, aliases=("guides", "may mentor")), "aliases.1"),
        (replace(DRAFT, aliases=("mentors",)), "aliases"),
        (replace(DRAFT, symmetric=True, inverse_key="depends_on"), "inverse_key"),
        (replace(DRAFT, symmetric=True, allowed_subject_kinds=("person",)), "allowed_object_kinds"),
        (replace(DRAFT, symmetric=True, allowed_value_types=("string",)), "allowed_value_types"),
        (replace(DRAFT, inverse_key="nothing"), "inverse_key"),
        (replace(DRAFT, inverse_key="has_part"), "inverse_key"),
        (replace(DRAFT, inverse_key="uses"), "inverse_key"),
    ],
)
async def test_draft_that_does_not_fit_together_is_refused(
    database: Database, team: Caller, draft: PredicateDraft, field: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        await register(database, team, draft)
    assert field in {error.field for error in raised.value.errors}


async def test_inverse_is_mutual(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    await register(
        database, team, PredicateDraft("was_taught_by", "Taught by", "was taught by", inverse_key="mentors")
    )
    predicates = await current(database, team)
    assert predicates["mentors"].inverse_key == "was_taught_by"
    assert predicates["mentors"].version == 2


async def test_change_is_a_new_version(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    changed = await change(database, team, "mentors", PredicateChanges(aliases=("guides",)))
    assert (changed.version, changed.aliases) == (2, ("guides",))
    assert (await current(database, team))["mentors"] == changed
    same = await change(database, team, "mentors", PredicateChanges(aliases=("guides",)))
    assert same.version == 2


async def test_dropped_alias_is_not_given_to_another(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    await change(database, team, "mentors", PredicateChanges(aliases=()))
    assert find_predicate(await current(database, team), "is the mentor of") is None
    with pytest.raises(WrongState):
        await register(database, team, PredicateDraft("guides", "G", "guides", aliases=DRAFT.aliases))
    again = await change(database, team, "mentors", PredicateChanges(aliases=DRAFT.aliases))
    assert again.version == 3


async def test_change_of_an_unseen_version_is_refused(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    with pytest.raises(VersionMismatch):
        await change(database, team, "mentors", PredicateChanges(label="M", expected_version=2))
    with pytest.raises(NotFound):
        await change(database, team, "no_such", PredicateChanges(label="M"))


async def test_no_form_of_a_dropped_word_is_given_away(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    await change(
        database, team, "mentors", PredicateChanges(label="Teaching", verb_phrase="teaches", aliases=())
    )
    for stolen in ("mentors", "mentor", "is mentored by", "is the mentor of"):
        with pytest.raises(WrongState) as raised:
            await register(database, team, PredicateDraft("guides", "Guide", "guides", aliases=(stolen,)))
        assert raised.value.code == "name_taken"
    await register(database, team, PredicateDraft("guides", "Guide", "guides"))
    with pytest.raises(WrongState):
        await change(database, team, "guides", PredicateChanges(label="Taught"))


async def test_inverse_shares_the_passive_and_nothing_else(database: Database, team: Caller) -> None:
    await register(database, team, DRAFT)
    mentored = PredicateDraft("was_mentored_by", "Mentored by", "was mentored by")
    with pytest.raises(WrongState):
        await register(database, team, mentored)
    with pytest.raises(WrongState):
        await register(
            database, team, replace(mentored, inverse_key="mentors", aliases=("is the mentor of",))
        )
    await register(database, team, replace(mentored, inverse_key="mentors"))
    changed = await change(database, team, "was_mentored_by", PredicateChanges(label="Was mentored by"))
    assert changed.version == 2


async def test_words_of_a_team_without_registered_forms_are_protected_too(
    database: Database, team: Caller
) -> None:
    await run(database, team, _SEWS)
    with pytest.raises(WrongState):
        await register(database, team, PredicateDraft("stitches", "S", "stitches", aliases=("is sewing",)))


async def test_pages_of_predicates_are_the_list(database: Database, team: Caller) -> None:
    found: list[Predicate] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        async with database.reading(scope(team)) as reading:
            page = await page_predicates(reading, team.team_id, limit=25, cursor=cursor)
        found += page.items
        cursor, pages = page.next_cursor, pages + 1
    assert tuple(found) == SEEDED_PREDICATES
    assert pages == -(-len(SEEDED_PREDICATES) // 25)


async def test_retired_predicate_is_neither_found_nor_eligible(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    await change(database, team, "depends_on", PredicateChanges(lifecycle_state="retired"))
    predicates = await current(database, team)
    assert find_predicate(predicates, "relies on") is None
    assert "depends_on" not in nearest_predicates(predicates, "depends_on")
    assert not await is_eligible(database, team, outcome.relationship_id)
