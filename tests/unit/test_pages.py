"""Cursors: what was encoded comes back, and nothing else does."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kernel.errors import InvalidInput
from app.kernel.pages import NewestFirst, decode_cursor, encode_cursor

MOMENT = datetime(2026, 11, 29, 12, tzinfo=UTC)
FILTERS = {"team_id": "team_1", "status": ["open"]}
PAGING = NewestFirst("list_things", FILTERS)
Thing = tuple[datetime, str]


def place(thing: Thing) -> Thing:
    return thing


@given(st.lists(st.text() | st.integers(-(2**53), 2**53) | st.none(), max_size=5))
def test_position_survives_the_cursor(position: list[object]) -> None:
    cursor = encode_cursor("list_things", FILTERS, position)
    if len(cursor) <= 1000:
        assert decode_cursor(cursor, "list_things", FILTERS) == position


@pytest.mark.parametrize("operation", ["list_others", ""])
def test_cursor_of_another_operation_is_refused(operation: str) -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(encode_cursor("list_things", FILTERS, ["a"]), operation, FILTERS)


def test_cursor_of_another_filter_is_refused() -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(encode_cursor("list_things", FILTERS, ["a"]), "list_things", FILTERS | {"status": []})


@given(st.text(max_size=60))
def test_anything_else_is_refused_without_a_crash(cursor: str) -> None:
    with pytest.raises(InvalidInput):
        PAGING.position(cursor)


@pytest.mark.parametrize(
    "position",
    [[], ["x"], ["yesterday", "id"], [1, "id"], [MOMENT.isoformat(), 2], [None, None], ["", "", ""]],
)
def test_forged_position_is_refused(position: list[object]) -> None:
    with pytest.raises(InvalidInput):
        PAGING.position(encode_cursor("list_things", FILTERS, position))


def test_page_ends_with_a_cursor_to_its_last_item_only_when_there_is_more() -> None:
    things = [(MOMENT, f"id_{number}") for number in range(3)]
    page = PAGING.page(things, 2, place)
    assert page.items == tuple(things[:2])
    assert PAGING.position(page.next_cursor) == (MOMENT, "id_1")
    assert PAGING.page(things, 3, place).next_cursor is None


def test_a_walk_goes_on_at_a_process_of_another_version() -> None:
    # Written by the first version that served lists.
    cursor = "xSk0LH2VZjKVWyIyMDI2LTAxLTAyVDAzOjA0OjA1KzAwOjAwIiwiaHlwX1x1MDBlOSIsMC4yNV0"
    filters = {"team_id": "team_x", "statuses": ("a", "ü"), "limit": None}
    position = ["2026-01-02T03:04:05+00:00", "hyp_é", 0.25]
    assert encode_cursor("list_things", filters, position) == cursor
    assert decode_cursor(cursor, "list_things", filters) == position
