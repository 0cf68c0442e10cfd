"""A predicate that lets one hold only, or many again: what stands then waits for reviews, or stands in cases."""

import asyncio
from collections.abc import Sequence

import pytest

from app.kernel.database import Database
from app.ledger.conflicts import crowding
from app.ledger.predicates.changes import change_predicate, register_predicate
from app.ledger.predicates.draft import PredicateChanges, PredicateDraft
from app.ledger.vocabulary import Cardinality
from app.queue.leases import MAX_ATTEMPTS, Lease
from app.remember.claim import Citation, Claim, Judgement
from app.remember.placements import RelationshipOutcome
from app.tenancy.callers import Caller
from app.worker.steps import predicate_kind
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile
from tests.integration.changes import (
    answer,
    cases,
    decide,
    guess_from,
    guess_status,
    open_reviews,
    retract,
    standing,
    story,
)
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    placement,
    remember,
    rows,
    run,
    scope,
    state,
    submit,
)

ONE = PredicateChanges(current_cardinality="one")
MANY = PredicateChanges(current_cardinality="many")


async def register(
    database: Database,
    team: Caller,
    key: str = "hosts",
    *,
    cardinality: Cardinality = "many",
    symmetric: bool = False,
    inverse_key: str | None = None,
) -> None:
    draft = PredicateDraft(
        key,
        key.capitalize(),
        key,
        current_cardinality=cardinality,
        symmetric=symmetric,
        inverse_key=inverse_key,
    )
    await database.unit_of_work(scope(team), lambda w: register_predicate(w, team, draft))


async def change(database: Database, team: Caller, changes: PredicateChanges, key: str = "hosts") -> None:
    await database.unit_of_work(scope(team), lambda w: change_predicate(w, team, key, changes))


async def hosts(
    database: Database, caller: Caller, subject: str, object_name: str, key: str = "hosts"
) -> RelationshipOutcome:
    return await remember(database, caller, state(subject, key, object_name))


async def statuses(database: Database, team: Caller, said: Sequence[RelationshipOutcome]) -> list[str]:
    return [(await standing(database, team, one.relationship_id))[1] for one in said]


async def work(database: Database, team: Caller, *, attempt: int = 0) -> int:
    """Do what is due for predicates; return how many items there were."""
    kind = predicate_kind(database, lease_seconds=60)
    leased = await run(
        database,
        team,
        """UPDATE work_items SET epoch = epoch + 1, worker = 'test',
               lease_expires_at = clock_timestamp() + interval '1 minute'
           WHERE team_id = %(team_id)s AND kind = 'predicate' AND finished_at IS NULL
           RETURNING item_id, epoch""",
    )
    for row in leased:
        await kind.step(Lease(team.team_id, kind.name, row["item_id"], row["epoch"], attempt, "test"))
    return len(leased)


async def test_positions_that_stand_meet_when_their_predicate_lets_one_hold_only(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Second")
    await register(database, team)
    first = await hosts(database, team, "Xenon", "Yarrow")
    second = await hosts(database, team, "Xenon", "Walnut")
    theirs = await hosts(database, other, "Xenon", "Zinc")
    same = await hosts(database, other, "Xenon", "Yarrow")
    elsewhere = await hosts(database, team, "Vanadium", "Yarrow")
    guess = await guess_from(database, team, second.relationship_id)
    await change(database, team, ONE)
    said = (first, second, theirs, same, elsewhere)
    assert await statuses(database, team, said) == [
        *("active", "needs_review", "active", "needs_review", "active"),
    ]
    assert {(one.kind, one.reason, one.relationship_id) for one in await open_reviews(database, team)} == {
        ("temporal", "predicate_changed", held.relationship_id) for held in (second, same)
    }
    [case] = await cases(database, team)
    assert (case.kind, case.state, len(case.positions)) == ("other_object", "open", 2)
    assert not await is_eligible(database, team, first.relationship_id)
    assert await is_eligible(database, team, elsewhere.relationship_id)
    assert await guess_status(database, team, guess) == "stale"
    assert (await story(database, team, first.relationship_id))[-1][0] == "conflict_opened"
    assert await find_broken(database, team.team_id) == {}
    assert await work(database, team) == 0
    again = await hosts(database, team, "Xenon", "Yarrow")
    assert again.status == "active"
    assert [one.state for one in await cases(database, team)] == ["open"]


async def test_an_accepted_one_takes_the_place_of_the_one_that_stood(
    database: Database, team: Caller
) -> None:
    await register(database, team)
    said = [await hosts(database, team, "Xenon", name) for name in ("Yarrow", "Walnut")]
    await change(database, team, ONE)
    [review] = await open_reviews(database, team)
    await answer(database, team, review.review_id, "accept")
    assert await statuses(database, team, said) == ["superseded", "active"]


@pytest.mark.parametrize("way", ["inverse changed", "inverse registered", "symmetric", "event becomes state"])
async def test_slots_are_filled_from_each_side(
    database: Database, team: Caller, make_profile: MakeProfile, way: str
) -> None:
    other = await make_profile(team, "Second")
    await register(database, team, "boards", symmetric=way == "symmetric")
    if way == "inverse changed":
        await register(database, team, inverse_key="boards")
    if way == "event becomes state":
        event = PredicateChanges(relationship_kind="event", current_cardinality="one")
        await change(database, team, event, "boards")
        await hosts(database, team, "Argon", "Cobalt", "boards")
        await hosts(database, other, "Argon", "Dubnium", "boards")
    else:
        await hosts(database, team, "Argon", "Cobalt", "boards")
        ends = ("Cobalt", "Dubnium") if way == "symmetric" else ("Boron", "Cobalt")
        await hosts(database, other, *ends, "boards")
    assert await cases(database, team) == []
    if way == "inverse changed":
        await change(database, team, ONE)
    elif way == "inverse registered":
        await register(database, team, cardinality="one", inverse_key="boards")
    elif way == "symmetric":
        await change(database, team, ONE, "boards")
    else:
        await change(database, team, PredicateChanges(relationship_kind="state"), "boards")
    assert [(one.kind, len(one.positions)) for one in await cases(database, team)] == [("other_object", 2)]


async def test_cases_without_a_reason_close_where_many_can_hold_again(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Second")
    await register(database, team, cardinality="one")
    mine = await hosts(database, team, "Xenon", "Yarrow")
    theirs = await hosts(database, other, "Xenon", "Zinc")
    held = await hosts(database, team, "Xenon", "Walnut")
    denied = await remember(database, other, state("Xenon", "hosts", "Yarrow", polarity="-"))
    await change(database, team, MANY)
    assert {one.kind: one.state for one in await cases(database, team)} == {
        "other_object": "dismissed",
        "opposite_polarity": "open",
    }
    assert await is_eligible(database, team, theirs.relationship_id)
    assert not await is_eligible(database, team, mine.relationship_id)
    assert held.status == "needs_review"
    await answer(database, team, held.review_id, "accept")
    assert await statuses(database, team, (mine, held)) == ["active", "active"]
    await retract(database, other, denied.relationship_id)
    assert await is_eligible(database, team, mine.relationship_id)
    await change(database, team, ONE)
    assert sorted(one.state for one in await cases(database, team)) == ["dismissed", "dismissed", "open"]
    assert await find_broken(database, team.team_id) == {}


async def test_a_decided_case_stays_decided_when_all_is_looked_at_again(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Second")
    await register(database, team)
    mine = await hosts(database, team, "Xenon", "Yarrow")
    await hosts(database, other, "Xenon", "Zinc")
    await change(database, team, ONE)
    [case] = await cases(database, team)
    await decide(database, team, case)
    await change(database, team, PredicateChanges(label="Harbours"))
    assert [one.state for one in await cases(database, team)] == ["dismissed"]
    assert await is_eligible(database, team, mine.relationship_id)


@pytest.mark.parametrize("cardinality", ["one", "many"])
async def test_a_worker_settles_what_is_too_much_for_one_transaction(
    database: Database,
    team: Caller,
    make_profile: MakeProfile,
    monkeypatch: pytest.MonkeyPatch,
    cardinality: str,
) -> None:
    monkeypatch.setattr(crowding, "PORTION", 2)
    other = await make_profile(team, "Second")
    await register(database, team, cardinality="many" if cardinality == "one" else "one")
    for subject in ("Argon", "Boron", "Cobalt"):
        await hosts(database, team, subject, "Yarrow")
        await hosts(database, other, subject, "Zinc")
    before = len([one for one in await cases(database, team) if one.state == "open"])
    await change(database, team, ONE if cardinality == "one" else MANY)
    between = len([one for one in await cases(database, team) if one.state == "open"])
    assert await work(database, team) == 1
    after = len([one for one in await cases(database, team) if one.state == "open"])
    assert (before, between, after) == ((0, 1, 3) if cardinality == "one" else (3, 1, 0))
    assert await work(database, team) == 0
    await change(database, team, MANY if cardinality == "one" else ONE)
    assert await work(database, team) == 1
    assert len([one for one in await cases(database, team) if one.state == "open"]) == before
    [item] = await rows(
        database,
        team,
        "SELECT finished_at FROM work_items WHERE team_id = %(team_id)s AND kind = 'predicate'",
    )
    assert item["finished_at"] is not None


async def test_what_no_worker_survives_is_given_up_and_begun_again_by_the_next_change(
    database: Database, team: Caller, make_profile: MakeProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowding, "PORTION", 1)
    other = await make_profile(team, "Second")
    await register(database, team)
    await hosts(database, team, "Xenon", "Yarrow")
    await hosts(database, other, "Xenon", "Zinc")
    await change(database, team, ONE)
    assert await work(database, team, attempt=MAX_ATTEMPTS) == 1
    assert await cases(database, team) == []
    await change(database, team, MANY)
    await change(database, team, ONE)
    assert await work(database, team) == 1
    assert [one.state for one in await cases(database, team)] == ["open"]


async def test_a_proposal_examined_before_the_change_is_placed_by_what_holds_now(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    await register(database, team)
    await hosts(database, team, "Xenon", "Yarrow")
    mine = await submit(database, team, state("Xenon", "hosts", "Walnut"))
    await hosts(database, await make_profile(team, "Second"), "Xenon", "Zinc")

    class Changing(ScriptedVerifier):
        async def judge(self, claim: Claim, citation: Citation) -> Judgement:
            assert claim.predicate.current_cardinality == "many"
            await change(database, team, ONE)
            return Judgement("entailed", 1.0, "It says so.", "entailed")

    await place(database, team, mine, verifier=Changing())
    [outcome] = (await placement(database, team, mine)).relationship_outcomes
    assert (outcome.status, outcome.reason) == ("needs_review", "supersession_without_dates")
    assert [one.state for one in await cases(database, team)] == ["open"]


async def test_what_is_placed_during_the_change_is_not_overlooked(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Second")
    await register(database, team)
    for count, place_name in enumerate(("Argon", "Boron", "Cobalt"), start=1):
        mine = await submit(database, team, state(place_name, "hosts", "Yarrow"))
        theirs = await submit(database, other, state(place_name, "hosts", "Zinc"))
        await change(database, team, MANY)
        await asyncio.gather(
            place(database, team, mine), change(database, team, ONE), place(database, other, theirs)
        )
        assert [one.state for one in await cases(database, team)].count("open") == count
        await change(database, team, MANY)
        assert [one.state for one in await cases(database, team)].count("open") == 0
