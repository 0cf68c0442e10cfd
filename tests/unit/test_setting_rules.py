"""What a setting may be, and what holds where several levels have a say."""

from dataclasses import asdict
from pathlib import Path

import pytest

from app.tenancy.configuration import (
    BUDGETS,
    SETTING_NAMES,
    Configuration,
    Effective,
    combine_levels,
    is_enabled,
)
from app.tenancy.setting_rules import BOUNDS, INSTANCE_SETTING_NAMES, find_excesses, find_faults


def fault(name: str, value: object, *, names: tuple[str, ...] = SETTING_NAMES) -> str | None:
    found = find_faults({name: value}, names=names)
    assert [error.field for error in found] in ([], [name])
    return found[0].code if found else None


def test_the_built_in_values_are_within_their_own_bounds() -> None:
    assert find_faults(asdict(Configuration()), names=SETTING_NAMES) == []
    assert {*BUDGETS, "retention_days", "write_threshold"} == BOUNDS.keys()


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_inclusive_and_nothing_is_beyond_them(name: str) -> None:
    bounds = BOUNDS[name]
    step = 1 if bounds.is_whole else 0.001
    assert fault(name, bounds.least) is None
    assert fault(name, bounds.largest) is None
    assert fault(name, bounds.least - step) == "out_of_range"
    assert fault(name, bounds.largest + step) == "out_of_range"
    assert fault(name, 10**400) == "out_of_range"
    kinds: tuple[object, ...] = (True, "5", float("nan"), float("inf"), [], {})
    for wrong in kinds:
        assert fault(name, wrong) == "number_type"
    if bounds.is_whole:
        assert fault(name, 1.5) == "number_type"


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("enabled", "true", "bool_type"),
        ("enabled", 1, "bool_type"),
        ("generator", "magic", "unknown_choice"),
        ("generator", "", "string_type"),
        ("timezone", 3, "string_type"),
        ("cron", "0 3 * * *" + " " * 200, "string_type"),
        ("colour", "blue", "unknown_setting"),
        ("force_enabled", True, "unknown_setting"),
    ],
)
def test_a_value_of_another_kind_is_refused_under_its_name(name: str, value: object, code: str) -> None:
    assert fault(name, value) == code
    assert fault("force_enabled", True, names=INSTANCE_SETTING_NAMES) is None


def test_every_wrong_value_is_named_at_once_and_null_is_never_wrong() -> None:
    wrong = find_faults({"max_outputs": 51, "enabled": None, "retention_days": 0}, names=SETTING_NAMES)
    assert [error.field for error in wrong] == ["max_outputs", "retention_days"]
    assert find_faults(dict.fromkeys(SETTING_NAMES), names=SETTING_NAMES) == []


def test_a_team_stays_within_what_the_instance_has_set() -> None:
    excesses = find_excesses({"max_outputs": 9, "max_cost_usd": 0.5}, {"max_outputs": 8, "max_cost_usd": 0.5})
    assert [(error.field, error.code) for error in excesses] == [("max_outputs", "above_instance")]
    effective = combine_levels(
        team={"max_outputs": 9, "max_turns": 1}, instance={"max_outputs": 8, "max_turns": 2}
    )
    assert effective["max_outputs"] == Effective(8, "instance")
    assert effective["max_turns"] == Effective(1, "team")
    assert effective["max_groups"] == Effective(40, "built_in")


@pytest.mark.parametrize(
    ("team", "instance", "expected"),
    [
        ({}, {}, Effective(True, "built_in")),
        ({"enabled": False}, {}, Effective(False, "team")),
        ({"enabled": None}, {"enabled": False}, Effective(False, "instance")),
        ({"enabled": True}, {"enabled": False}, Effective(False, "instance")),
        ({"enabled": True}, {"enabled": False, "force_enabled": True}, Effective(False, "instance")),
        ({"enabled": False}, {"force_enabled": True}, Effective(True, "instance")),
        ({"enabled": False}, {"enabled": True}, Effective(False, "team")),
        ({"enabled": False}, {"force_enabled": False}, Effective(False, "team")),
        ({}, {"enabled": True}, Effective(True, "instance")),
    ],
)
def test_instance_off_outweighs_force_which_outweighs_the_team(
    team: dict[str, object], instance: dict[str, object], expected: Effective
) -> None:
    assert combine_levels(team=team, instance=instance)["enabled"] == expected
    levels = {"team": team, "instance": instance}
    rows = [
        {"level": level, "name": name, "value": value}
        for level, values in levels.items()
        for name, value in values.items()
    ]
    assert is_enabled(rows) == expected.value


def test_where_nothing_is_set_dreaming_is_on() -> None:
    assert is_enabled(None)


def test_the_closest_level_that_names_a_time_decides_between_cron_and_local_time() -> None:
    both = combine_levels(team={"cron": "0 5 * * *"}, instance={"local_time": "04:00"})
    assert both["cron"] == Effective("0 5 * * *", "team")
    back = combine_levels(team={"local_time": "04:00"}, instance={"cron": "0 5 * * *"})
    assert (back["cron"], back["local_time"]) == (Effective(None, "team"), Effective("04:00", "team"))
    inherited = combine_levels(team={}, instance={"cron": "0 5 * * *"})
    assert inherited["cron"] == Effective("0 5 * * *", "instance")


def test_the_documentation_names_every_setting_with_its_built_in_value_and_bounds() -> None:
    page = Path(__file__, "../../../docs/schedules.md").resolve().read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line[:3] == "| `"
    ]
    told = {row[0].strip("`"): row for row in rows}
    assert list(told) == list(SETTING_NAMES)
    built_in = asdict(Configuration())
    for name, row in told.items():
        value = built_in[name]
        assert row[2] == ("none" if value is None else str(value).replace("True", "true"))
        bounds = BOUNDS.get(name)
        limits = ["", ""] if bounds is None else [f"{bounds.least:.0f}", f"{bounds.largest:.0f}"]
        assert row[3:] == limits
