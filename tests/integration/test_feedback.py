"""A client's decision about a Hypothesis."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import LiteralString, get_args

import pytest

from app.hypotheses.lifecycle import ALLOWED, ClientEvent, HypothesisStatus
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import Busy, InvalidInput, NotFound, VersionMismatch, WrongState
from app.review import feedback as reviewing
from app.review.feedback import Feedback, FeedbackResult
from app.tenancy.callers import Caller
from tests import case_factories
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.feedback_case import Case, make_case, refusal

STATUSES: tuple[HypothesisStatus, ...] = get_args(HypothesisStatus)
DECISIONS: tuple[ClientEvent, ...] = get_args(ClientEvent)


@pytest.fixture
async def case(database: Database, team: Caller) -> Case:
    return await make_case(database, team)


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("status", STATUSES)
async def test_every_decision_in_every_state_follows_the_table(
    case: Case, status: HypothesisStatus, decision: ClientEvent
) -> None:
    await case.bring_to(status)
    before = await case.hypothesis()
    assert before["status"] == status
    expected = ALLOWED.get((status, decision))
    if status == "submitted" and decision in ("confirm_true", "confirm_false"):
        expected = None  # Its placement has not ended.
    if expected is None:
        assert isinstance(await refusal(case, case.answer(decision)), WrongState)
        return
    result = await case.decide(case.answer(decision))
    after = await case.hypothesis()
    assert (result.status, after["status"]) == (expected, expected)
    assert after["row_version"] == before["row_version"] + (decision != "ignore")
    [event] = await case.read(_LAST_EVENT)
    assert event["id"] == result.event_id
    assert (event["event"], event["from_status"], event["to_status"]) == (decision, status, expected)
    assert (event["actor_kind"], event["actor_profile_id"]) == ("client", case.caller.profile_id)
    assert event["versions_seen"] == {case.source.relationship_id: 1}
    assert event["ingest_id"] == result.ingest_id
    assert (result.ingest_id is not None) == (expected == "submitted" and decision != "ignore")


async def test_a_decision_touches_no_knowledge(case: Case) -> None:
    before = await case.read(_KNOWLEDGE)
    decisions: Sequence[ClientEvent] = ("reinforce", "stale", "ignore", "reject")
    for decision in decisions:
        await case.decide(Feedback(decision))
    assert await case.read(_KNOWLEDGE) == before


async def test_reinforcing_starts_retention_anew_and_nothing_else_does(case: Case) -> None:
    made = (await case.hypothesis())["reinforced_at"]
    await case.decide(Feedback("ignore"))
    assert (await case.hypothesis())["reinforced_at"] == made
    await case.decide(Feedback("reinforce"))
    reinforced = (await case.hypothesis())["reinforced_at"]
    assert reinforced > made
    await case.decide(Feedback("stale"))
    assert (await case.hypothesis())["reinforced_at"] == reinforced


async def test_what_lost_a_source_without_an_event_is_not_reinforced(case: Case) -> None:
    # A review holds the source; nobody has told its dependents.
    await case_factories.make_review(case.database, case.caller, case.source.relationship_id)
    assert (await case.hypothesis())["status"] == "proposed"
    assert isinstance(await refusal(case, Feedback("reinforce")), WrongState)
    assert (await case.decide(Feedback("stale"))).status == "stale"


async def test_another_version_than_the_one_seen_is_refused(case: Case) -> None:
    assert isinstance(await refusal(case, Feedback("reject", expected_version=7)), VersionMismatch)
    confirm = Feedback("confirm_true", submission=case.confirmation(), expected_version=7)
    assert isinstance(await refusal(case, confirm), VersionMismatch)
    assert (await case.decide(Feedback("reject", expected_version=1))).status == "rejected"
    # The version is looked at before the state.
    assert isinstance(await refusal(case, Feedback("reinforce", expected_version=1)), VersionMismatch)


async def test_a_reason_has_a_bound(case: Case) -> None:
    assert isinstance(await refusal(case, Feedback("reject", "x" * 1001)), InvalidInput)
    await case.decide(Feedback("reject", "x" * 1000))
    [event] = await case.read(_LAST_EVENT)
    assert event["reason"] == "x" * 1000


async def test_missing_malformed_and_foreign_hypotheses_are_one_answer(
    case: Case, make_team: MakeTeam
) -> None:
    feedback = case.answer("confirm_true")
    others = ("hyp_00000000000000000000000000", case.hypothesis_id.lower(), "'; --")
    errors = [await refusal(case, feedback, by=await make_team())]
    errors += [await refusal(replace(case, hypothesis_id=other), feedback) for other in others]
    assert {(type(error), str(error)) for error in errors} == {(NotFound, str(errors[0]))}


async def test_a_hypothesis_that_somebody_holds_answers_busy(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewing, "LOCK_TIMEOUT_MILLISECONDS", 50)
    held, done = asyncio.Event(), asyncio.Event()

    async def hold(w: Writing) -> None:
        await w.fetch_one(_HOLD, {"team_id": case.caller.team_id, "id": case.hypothesis_id})
        held.set()
        await done.wait()

    holder = asyncio.create_task(case.database.unit_of_work(Scope("dreamer", case.caller.team_id), hold))
    await held.wait()
    try:
        error = await refusal(case, case.answer("confirm_true"))
    finally:
        done.set()
        await holder
    assert isinstance(error, Busy)


async def test_of_eight_confirmations_at_once_one_is_taken(case: Case) -> None:
    results = await asyncio.gather(
        *(case.decide(case.answer("confirm_true")) for _ in range(8)), return_exceptions=True
    )
    taken = [result for result in results if isinstance(result, FeedbackResult)]
    assert len(taken) == 1
    assert all(isinstance(result, FeedbackResult | WrongState) for result in results)
    counts = (await case.read(_COUNTS))[0]
    assert (counts["submissions"], counts["ingests"]) == (1, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("reject", "confirm_true"),
        ("reject", "reinforce"),
        ("stale", "reinforce"),
        ("confirm_true", "confirm_false"),
    ],
)
async def test_of_two_reviewers_at_once_each_sees_what_the_other_did(
    case: Case, make_profile: MakeProfile, first: ClientEvent, second: ClientEvent
) -> None:
    other = await make_profile(case.caller, "Second")
    results = await asyncio.gather(
        case.decide(case.answer(first)), case.decide(case.answer(second), by=other), return_exceptions=True
    )
    assert all(isinstance(result, FeedbackResult | WrongState) for result in results)
    events = await case.read(_CLIENT_EVENTS)
    assert len(events) == sum(isinstance(result, FeedbackResult) for result in results) >= 1
    status: HypothesisStatus = "proposed"
    for event in events:
        assert event["from_status"] == status
        assert ALLOWED[status, event["event"]] == event["to_status"]
        status = event["to_status"]
    hypothesis = await case.hypothesis()
    assert (hypothesis["status"], hypothesis["row_version"]) == (status, 1 + len(events))


_CLIENT_EVENTS: LiteralString = """
    SELECT * FROM hypothesis_events
    WHERE team_id = %(team_id)s AND hypothesis_id = %(id)s AND actor_kind = 'client' ORDER BY id
"""
_COUNTS: LiteralString = """
    SELECT (SELECT count(*) FROM hypothesis_events WHERE team_id = %(team_id)s) AS events,
           (SELECT count(*) FROM hypothesis_submissions WHERE team_id = %(team_id)s) AS submissions,
           (SELECT count(*) FROM ingests WHERE team_id = %(team_id)s) AS ingests,
           (SELECT count(*) FROM evidence WHERE team_id = %(team_id)s) AS evidence,
           (SELECT count(*) FROM work_items WHERE team_id = %(team_id)s) AS work_items
"""
_KNOWLEDGE: LiteralString = """
    SELECT (SELECT md5(string_agg(r::text, '' ORDER BY r.id)) FROM relationships AS r
            WHERE r.team_id = %(team_id)s) AS relationships,
           (SELECT count(*) FROM supports WHERE team_id = %(team_id)s) AS supports,
           (SELECT count(*) FROM evidence WHERE team_id = %(team_id)s) AS evidence,
           (SELECT count(*) FROM relationship_transitions WHERE team_id = %(team_id)s) AS transitions
"""
_HOLD: LiteralString = """
    SELECT id FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s FOR UPDATE
"""
_LAST_EVENT: LiteralString = """
    SELECT * FROM hypothesis_events WHERE team_id = %(team_id)s AND hypothesis_id = %(id)s
    ORDER BY id DESC LIMIT 1
"""
