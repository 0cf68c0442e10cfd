"""What recall answers as of a moment, and the conflicts that it shows."""

from datetime import UTC, datetime, timedelta

import pytest

from app.kernel.database import Database
from app.recall.model import RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests import case_factories, factories
from tests.conftest import MakeProfile
from tests.factories import CANDIDATE, Position
from tests.integration.recall_rows import Ledger, ask, statements
from tests.integration.submissions import remember, state

FACT = Position(tier="fact")


def moment(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "position",
    [
        CANDIDATE,
        Position(status="retracted"),
        Position(status="quarantined"),
        Position(status="needs_review"),
        Position(status="disputed"),
        Position(status="superseded"),
        Position(tier="candidate", status="rejected"),
        Position(valid_to=moment(2020)),
        Position(valid_from=moment(2999)),
    ],
)
async def test_only_what_is_active_and_valid_now_is_primary(ledger: Ledger, position: Position) -> None:
    await ledger.say("FastAPI", "depends_on", "Starlette", position)
    assert await statements(ledger, "FastAPI Starlette") == []


async def test_an_event_stays_true_after_it_ended(ledger: Ledger) -> None:
    past = Position(valid_from=moment(1843), valid_to=moment(1844))
    await ledger.say("Cold snap", "caused", "Ice", past)
    assert await statements(ledger, "Cold snap") == ["Cold snap caused Ice."]
    assert await statements(ledger, RecallQuery("Cold snap", valid_at=moment(1840))) == []


async def test_valid_at_answers_as_of_then_with_half_open_windows(ledger: Ledger) -> None:
    old = Position(status="superseded", valid_from=moment(2010), valid_to=moment(2020))
    await ledger.say("FastAPI", "licensed_under", "Apache", old)
    await ledger.say("FastAPI", "licensed_under", "MIT", Position(valid_from=moment(2020)))
    for year, licence in [(2010, "Apache"), (2019, "Apache"), (2020, "MIT")]:
        found = await statements(ledger, RecallQuery("FastAPI", valid_at=moment(year)))
        assert found == [f"FastAPI is licensed under {licence}."]
    assert await statements(ledger, RecallQuery("FastAPI", valid_at=moment(2009))) == []
    assert await statements(ledger, "FastAPI") == ["FastAPI is licensed under MIT."]


async def test_known_at_answers_with_what_was_known_then(ledger: Ledger) -> None:
    before = datetime.now(UTC)
    made = await ledger.say("FastAPI", "depends_on", "Starlette")
    between = datetime.now(UTC)
    await factories.change_relationship(
        ledger.database, ledger.caller, made.relationship_id, tier="fact", effect="harmless"
    )
    later = datetime.now(UTC)
    await factories.change_relationship(
        ledger.database, ledger.caller, made.relationship_id, status="retracted"
    )
    assert (await ask(ledger, "FastAPI")).results == ()
    tiers = {}
    for name, known_at in [("before", before), ("between", between), ("later", later)]:
        answer = await ask(ledger, RecallQuery("FastAPI", known_at=known_at))
        tiers[name] = [result.tier for result in answer.results]
    assert tiers == {"before": [], "between": ["validated_claim"], "later": ["fact"]}


async def test_evidence_that_came_later_was_not_known_before(database: Database, team: Caller) -> None:
    first, second = "The lock file says it.", "The changelog says it."

    async def add(content: str, *, source_group: str) -> None:
        said = state(
            "FastAPI", "depends_on", "Starlette", text=content, source_key=source_group, source_revision="1"
        )
        assert (await remember(database, team, said)).status == "active"

    async def quotes(known_at: datetime | None) -> list[str]:
        answer = await recall(
            database, team, RecallQuery("FastAPI", known_at=known_at), now=datetime.now(UTC)
        )
        return [quote.quote for result in answer.results for quote in result.evidence]

    before = datetime.now(UTC)
    await add(first, source_group="lock")
    between = datetime.now(UTC)
    await add(second, source_group="log")
    later = datetime.now(UTC)
    assert await quotes(between) == [first]
    # A new revision takes the second one's support away, from now on.
    newer = state("Flask", "depends_on", "Werkzeug", source_key="log", source_revision="2")
    await remember(database, team, newer)
    assert await quotes(before) == []
    assert await quotes(between) == [first]
    assert sorted(await quotes(later)) == sorted([first, second])
    assert await quotes(None) == [first]


async def test_an_end_set_by_a_later_supersession_was_not_known_before(ledger: Ledger) -> None:
    made = await ledger.say("FastAPI", "licensed_under", "Apache", Position(valid_from=moment(2010)))
    known = datetime.now(UTC)

    await factories.change_relationship(
        ledger.database, ledger.caller, made.relationship_id, status="superseded", valid_to=moment(2020)
    )
    assert await statements(ledger, "FastAPI") == []
    [found] = (await ask(ledger, RecallQuery("FastAPI", known_at=known))).results
    assert found.valid_to is None


async def test_conflicts_of_the_results_are_shown(ledger: Ledger, make_profile: MakeProfile) -> None:
    other = await make_profile(ledger.caller, "Other")
    mine = await ledger.say("FastAPI", "licensed_under", "MIT")
    theirs = await ledger.say("FastAPI", "licensed_under", "BSD", by=other)
    subject = ledger.nodes["FastAPI"]
    open_case = await case_factories.make_conflict(ledger.database, ledger.caller, subject, [mine, theirs])
    overdue = await case_factories.make_conflict(
        ledger.database, ledger.caller, subject, [mine], due_in=timedelta(days=-1)
    )
    resolved = await case_factories.make_conflict(
        ledger.database, ledger.caller, subject, [mine], status="resolved"
    )
    await case_factories.make_conflict(ledger.database, ledger.caller, subject, [mine], status="dismissed")
    answer = await ask(ledger, "FastAPI")
    assert len(answer.results) == 2
    assert {case.conflict_id: case.status for case in answer.conflicts} == {
        open_case: "open",
        overdue: "overdue",
        resolved: "resolved",
    }
    shown = next(case for case in answer.conflicts if case.conflict_id == open_case)
    assert {(one.relationship_ids, one.statement) for one in shown.positions} == {
        ((mine.relationship_id,), "FastAPI is licensed under MIT."),
        ((theirs.relationship_id,), "FastAPI is licensed under BSD."),
    }
    assert shown.preferred_position_id is None


async def test_a_case_that_opened_later_was_not_known_before(ledger: Ledger) -> None:
    made = await ledger.say("FastAPI", "licensed_under", "MIT")
    known = datetime.now(UTC)
    await case_factories.make_conflict(ledger.database, ledger.caller, ledger.nodes["FastAPI"], [made])
    answer = await ask(ledger, RecallQuery("FastAPI", known_at=known))
    assert len(answer.results) == 1
    assert answer.conflicts == ()
