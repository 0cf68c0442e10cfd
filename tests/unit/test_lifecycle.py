"""The transition table of the Hypothesis lifecycle, written out a second time."""

from typing import get_args

import pytest

from app.hypotheses.lifecycle import (
    ALLOWED,
    ALLOWED_STATUS_CHANGES,
    INITIAL_STATUS,
    ClientEvent,
    Event,
    HypothesisStatus,
    SystemEvent,
    WrongState,
    next_status,
)

STATUSES: tuple[HypothesisStatus, ...] = get_args(HypothesisStatus)
CLIENT_EVENTS: tuple[ClientEvent, ...] = get_args(ClientEvent)
EVENTS: tuple[Event, ...] = (*get_args(SystemEvent), *CLIENT_EVENTS)

# One letter for each resulting status, "." for a wrong state, in the order of COLUMNS.
COLUMNS: tuple[HypothesisStatus | None, ...] = (
    None,
    "proposed",
    "reinforced",
    "stale",
    "submitted",
    "rejected",
)
TABLE: dict[Event, str] = {
    "accepted": "p.....",
    "regenerated": ".rrr..",
    "source_lost": ".ss...",
    "target_active": ".ss...",
    "target_contradicted": ".ss...",
    "target_unfit": ".ss...",
    "retention_expired": ".ss...",
    "not_reinforced": ".ss...",
    "reinforce": ".rr...",
    "stale": ".ss...",
    "reject": ".xxx..",
    "ignore": ".prsux",
    "confirm_true": ".uuuu.",
    "confirm_false": ".uuuu.",
}
LETTERS: dict[str, HypothesisStatus] = {
    "p": "proposed",
    "r": "reinforced",
    "s": "stale",
    "u": "submitted",
    "x": "rejected",
}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("status", COLUMNS)
def test_every_state_takes_exactly_the_events_of_the_table(
    status: HypothesisStatus | None, event: Event
) -> None:
    letter = TABLE[event][COLUMNS.index(status)]
    after = next_status(status, event, submission_ended=True)
    assert after == (WrongState(status, event) if letter == "." else LETTERS[letter])


def test_the_table_covers_every_status_and_every_event() -> None:
    assert set(TABLE) == set(EVENTS)
    assert set(COLUMNS) == {None, *STATUSES}
    assert len(ALLOWED) == sum(len(row) - row.count(".") for row in TABLE.values())


@pytest.mark.parametrize("event", ["confirm_true", "confirm_false"])
def test_a_submitted_hypothesis_is_confirmed_again_only_after_its_submission_ended(
    event: ClientEvent,
) -> None:
    assert next_status("submitted", event) == WrongState("submitted", event)
    assert next_status("submitted", event, submission_ended=True) == "submitted"


@pytest.mark.parametrize("event", EVENTS)
def test_rejected_is_terminal(event: Event) -> None:
    assert next_status("rejected", event) in ("rejected", WrongState("rejected", event))


def test_an_ended_submission_changes_nothing_but_a_second_confirmation() -> None:
    for status in COLUMNS:
        for event in EVENTS:
            if status != "submitted" or not event.startswith("confirm_"):
                assert next_status(status, event) == next_status(status, event, submission_ended=True)


def test_the_status_changes_for_the_database_are_those_of_the_table_and_no_self_loop() -> None:
    assert INITIAL_STATUS == "proposed"
    expected = {
        ("proposed", "reinforced"),
        ("proposed", "stale"),
        ("proposed", "rejected"),
        ("proposed", "submitted"),
        ("reinforced", "stale"),
        ("reinforced", "rejected"),
        ("reinforced", "submitted"),
        ("stale", "reinforced"),
        ("stale", "rejected"),
        ("stale", "submitted"),
    }
    assert expected == ALLOWED_STATUS_CHANGES


def test_a_wrong_state_says_in_words_what_it_refuses() -> None:
    assert WrongState("rejected", "confirm_true").message == (
        "A Hypothesis that is rejected does not take confirm_true, only ignore."
    )
    assert WrongState("stale", "reinforce").message == (
        "A Hypothesis that is stale does not take reinforce, only reject, ignore, confirm_true, confirm_false."
    )
    for event in CLIENT_EVENTS:
        assert WrongState("submitted", event).message == (
            f"A Hypothesis that is submitted does not take {event} now, only ignore; and, once what was submitted "
            "has ended without an active Relationship, confirm_true or confirm_false with other evidence."
        )
    assert WrongState("rejected", "regenerated").message == (
        "A Hypothesis that is rejected does not take regenerated."
    )
    assert "does not exist yet" in WrongState(None, "reject").message
