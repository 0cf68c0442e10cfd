"""What evidence carries of a scope and of dates: the forms that count, and what only looks like them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.ledger.vocabulary import Span
from app.remember.carried import CitedItem, carries_moment, carries_scope, find_uncarried
from app.remember.submission import CitedSpan, RelationshipProposal

DAY = datetime(2025, 3, 4, tzinfo=UTC)


def cited(*texts: str, record: tuple[object, ...] = ()) -> list[CitedItem]:
    return [CitedItem(text, (Span(0, len(text)),), record) for text in texts]


@pytest.mark.parametrize(
    ("text", "scope", "carried"),
    [
        ("In production, FastAPI depends on Starlette.", "production", True),
        ("FastAPI depends on Starlette (Production cluster).", "  production\tCLUSTER ", True),
        ("FastAPI depends on Starlette in the EU.", "eu", True),
        ("FastAPI depends on Starlette.", "production", False),
        ("FastAPI depends on Starlette in preproduction.", "production", False),
        ("FastAPI depends on Starlette in production.", "production cluster", False),
    ],
)
def test_every_word_of_a_scope_stands_in_the_citation(text: str, scope: str, carried: bool) -> None:
    assert carries_scope(cited(text), scope) is carried


def test_a_scope_outside_the_spans_or_in_one_of_two_citations_is_not_carried() -> None:
    text = "FastAPI depends on Starlette. In production."
    assert not carries_scope([CitedItem(text, (Span(0, 29),))], "production")
    assert carries_scope([CitedItem(text, (Span(0, 29), Span(30, 44)))], "production")
    assert not carries_scope(cited("In production.", "FastAPI depends on Starlette."), "production")


@pytest.mark.parametrize(
    "text",
    [
        "since 2025-03-04.",
        "at 2025-03-04T10:00:00Z",
        "since 4 March 2025",
        "SINCE MARCH 4, 2025!",
        "since 4th of March 2025",
        "since Mar. 4, 2025",
    ],
)
def test_a_day_is_carried_in_any_form_of_a_date(text: str) -> None:
    assert carries_moment(cited(text), DAY)


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI depends on Starlette.",
        "since 2025-03-05",
        "since 12025-03-04",
        "since 2025-03-041",
        "since 14 March 2025",
        "since March 2025",
        "since 2025",
        "since 4 May 2025",
    ],
)
def test_another_day_is_not_this_one(text: str) -> None:
    assert not carries_moment(cited(text), DAY)


@pytest.mark.parametrize(
    ("text", "moment", "carried"),
    [
        ("since March 2025", datetime(2025, 3, 1, tzinfo=UTC), True),
        ("since 2025-03", datetime(2025, 3, 1, tzinfo=UTC), True),
        ("since 4 March 2025", datetime(2025, 3, 1, tzinfo=UTC), False),
        ("since 2025-03-04", datetime(2025, 3, 1, tzinfo=UTC), False),
        ("since 2025", datetime(2025, 1, 1, tzinfo=UTC), True),
        ("since March 2025", datetime(2025, 1, 1, tzinfo=UTC), False),
        ("since March 4, 2025", datetime(2025, 1, 1, tzinfo=UTC), False),
        ("since version 2025.3", datetime(2025, 1, 1, tzinfo=UTC), False),
    ],
)
def test_a_month_or_a_year_gives_its_first_day_only(text: str, moment: datetime, carried: bool) -> None:
    assert carries_moment(cited(text), moment) is carried


def test_a_midnight_further_east_is_the_day_there() -> None:
    for hours, carried in ((-8, True), (0, True), (1, True), (14, True)):
        local = datetime(2025, 3, 4, tzinfo=timezone(timedelta(hours=hours)))
        assert carries_moment(cited("since 4 March 2025"), local.astimezone(UTC)) is carried
    assert not carries_moment(cited("since 4 March 2025"), datetime(2025, 3, 3, 23, 7, tzinfo=UTC))
    assert not carries_moment(cited("since 1 January 9999"), datetime.max.replace(tzinfo=UTC))


def test_the_record_of_a_source_carries_a_day_too() -> None:
    said = "FastAPI depends on Starlette."
    assert carries_moment(cited(said, record=("2025-03-04", {})), DAY)
    assert carries_moment(cited(said, record=("7", {"dates": [{"published": "4 March 2025"}]})), DAY)
    assert not carries_moment(cited(said, record=("7", {"2025-03-04": 1})), DAY)


def test_each_cited_item_carries_the_day() -> None:
    assert not carries_moment(cited("since 4 March 2025", "FastAPI depends on Starlette."), DAY)


def test_what_a_review_has_decided_is_not_asked_again() -> None:
    said = cited("FastAPI depends on Starlette.")

    def ask(*, scope_decided: bool, window_decided: bool) -> str | None:
        held = find_uncarried(
            RelationshipProposal(
                "p1",
                "s",
                "depends_on",
                (CitedSpan(0, 0, 29),),
                scope="production",
                valid_to=DAY,
                is_scope_decided=scope_decided,
                is_window_decided=window_decided,
            ),
            said,
        )
        return None if held is None else held.review

    assert ask(scope_decided=False, window_decided=False) == "scope"
    assert ask(scope_decided=True, window_decided=False) == "temporal"
    assert ask(scope_decided=True, window_decided=True) is None
