"""Typed Values: one canonical spelling, the spellings that evidence may use, and what is refused."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.nodes.values import InvalidValue, parse_value, spellings
from app.ledger.vocabulary import TypedValue, ValueType


@pytest.mark.parametrize(
    ("value_type", "literal", "canonical"),
    [
        ("string", "  >=3.11 ", ">=3.11"),
        ("string", "Cafe\u0301", "Café"),
        ("number", 1500000, "1500000"),
        ("number", 1.50, "1.5"),
        ("number", -0.0, "0"),
        ("number", 1e3, "1000"),
        ("number", 0.1, "0.1"),
        ("number", Decimal("2.500"), "2.5"),
        ("boolean", True, "true"),
        ("boolean", False, "false"),
        ("date", "1991-02-20", "1991-02-20"),
        ("date_time", "2026-07-11T02:00:00+02:00", "2026-07-11T00:00:00Z"),
        ("date_time", "2026-07-11t00:00:00.500z", "2026-07-11T00:00:00.5Z"),
    ],
)
def test_a_literal_has_one_canonical_form(value_type: ValueType, literal: object, canonical: str) -> None:
    assert parse_value(value_type, literal) == TypedValue(value_type, canonical)


@pytest.mark.parametrize(
    ("value_type", "literal", "code"),
    [
        ("string", 1, "value_type_mismatch"),
        ("string", " ", "value_blank"),
        ("string", "x" * 1001, "value_too_long"),
        ("string", "a\0b", "value_malformed"),
        ("string", "\ud800", "value_malformed"),
        ("number", "1", "value_type_mismatch"),
        ("number", True, "value_type_mismatch"),
        ("number", None, "value_type_mismatch"),
        ("number", float("nan"), "value_out_of_range"),
        ("number", float("inf"), "value_out_of_range"),
        ("number", 10**60, "value_out_of_range"),
        ("number", Decimal("1e999999"), "value_out_of_range"),
        ("number", Decimal("NaN"), "value_out_of_range"),
        ("boolean", 1, "value_type_mismatch"),
        ("boolean", "true", "value_type_mismatch"),
        ("date", "1991-02-30", "value_out_of_range"),
        ("date", "20 February 1991", "value_malformed"),
        ("date", "19910220", "value_malformed"),
        ("date", "١٩٩١-٠٢-٢٠", "value_malformed"),
        ("date", 19910220, "value_type_mismatch"),
        ("date_time", "2026-07-11T00:00:00", "value_malformed"),
        ("date_time", "2026-07-11T25:00:00Z", "value_out_of_range"),
        ("date_time", "0001-01-01T00:00:00+23:00", "value_out_of_range"),
        ("date_time", ["2026"], "value_type_mismatch"),
    ],
)
def test_an_impossible_literal_is_refused_with_a_code(
    value_type: ValueType, literal: object, code: str
) -> None:
    with pytest.raises(InvalidValue) as refusal:
        parse_value(value_type, literal)

    assert refusal.value.code == code


def test_only_numbers_have_units() -> None:
    assert parse_value("number", 5, " km ") == TypedValue("number", "5", "km")
    assert parse_value("string", "x", " ") == TypedValue("string", "x")
    with pytest.raises(InvalidValue, match="unit_not_allowed"):
        parse_value("string", "x", "km")
    with pytest.raises(InvalidValue, match="unit_malformed"):
        parse_value("number", 5, "k\u0007m")


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (TypedValue("number", "2102650"), {"2102650", "2,102,650", "2 102 650", "2'102'650"}),
        (TypedValue("number", "-1234.5"), {"-1234.5", "-1,234.5"}),
        (TypedValue("number", "5", "km"), {"5 km", "5km"}),
        (
            TypedValue("date", "1991-02-20"),
            {"1991-02-20", "20 February 1991", "February 20, 1991", "Feb 20, 1991"},
        ),
        (TypedValue("date", "2001-01-01"), {"1 January 2001", "January 1st, 2001", "1st of January 2001"}),
        (TypedValue("date_time", "2026-07-11T00:00:00Z"), {"2026-07-11T00:00:00Z", "2026-07-11 00:00 UTC"}),
        (TypedValue("boolean", "true"), {"true"}),
        (TypedValue("string", ">=3.11"), {">=3.11"}),
    ],
)
def test_evidence_may_spell_a_value_in_these_ways(value: TypedValue, held: set[str]) -> None:
    assert held <= set(spellings(value))


def test_a_number_with_a_unit_is_never_spelled_without_it() -> None:
    assert all(form.endswith("km") for form in spellings(TypedValue("number", "5000", "km")))


def test_no_date_is_spelled_with_ambiguous_digits() -> None:
    assert not any("/" in form for form in spellings(TypedValue("date", "1991-02-03")))


@given(
    number=st.one_of(
        st.integers(-(10**30), 10**30),
        st.floats(-1e20, 1e20).filter(lambda number: number == 0 or abs(number) > 1e-20),
    )
)
def test_a_canonical_number_reads_back_as_itself(number: float) -> None:
    value = parse_value("number", number)

    assert parse_value("number", Decimal(value.canonical)) == value
    assert Decimal(value.canonical) == Decimal(repr(number))
    assert all(form for form in spellings(value))


@given(day=st.dates())
def test_every_date_has_its_canonical_form_first(day: date) -> None:
    assert spellings(parse_value("date", day.isoformat()))[0] == day.isoformat()
