"""What tokens cost, to the millionth of a dollar."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from app.kernel.errors import SetupError
from app.llm.prices import BUILT_IN, OTHER_MODEL, PriceTable, load_prices
from app.llm.usage import Tally, Tokens, Usage

MILLION = 1_000_000
EACH = Tokens(input=MILLION, output=MILLION, cache_read=MILLION, cache_write=MILLION)


def used(model: str, tokens: Tokens = EACH, *, is_batch: bool = False) -> Usage:
    return Usage({model: tokens}, turns=1, is_batch=is_batch)


def cost(usage: Usage, table: PriceTable = BUILT_IN) -> Decimal:
    return table.cost(usage, asked=next(iter(usage.by_model), "claude-opus-5-5"))


def test_each_kind_of_token_has_its_own_price() -> None:
    assert cost(used("claude-opus-5-5", Tokens(input=MILLION))) == 4
    assert cost(used("claude-opus-5-5", Tokens(output=MILLION))) == 20
    assert cost(used("claude-opus-5-5", Tokens(cache_read=MILLION))) == Decimal("0.20")
    assert cost(used("claude-opus-5-5", Tokens(cache_write=MILLION))) == 5
    assert cost(used("claude-opus-5-5")) == Decimal("29.20")


def test_a_batch_costs_half_of_everything() -> None:
    assert cost(used("claude-opus-5-5", is_batch=True)) == Decimal("14.60")


def test_a_fallback_model_is_charged_at_its_own_price() -> None:
    usage = used("claude-opus-5-5", Tokens(input=MILLION)) + used("claude-opus-4-8", Tokens(input=MILLION))
    assert cost(usage) == 9
    assert usage.turns == 2
    assert usage.tokens == Tokens(input=2 * MILLION)


@pytest.mark.parametrize(
    ("asked", "named", "dollars"),
    [
        ("claude-opus-5-5", "claude-haiku-5-5", "29.20"),
        ("claude-haiku-5-5", "claude-opus-5-5", "29.20"),
        ("claude-opus-5-5", "claude-opus-5-5-20260901", "29.20"),
        ("claude-opus-5-5", "claude-opus-4-8", "36.75"),
        # Whichever is the dearer one, kind by kind.
        ("claude-sonnet-5-5", "claude-haiku-4-5", "14.60"),
        ("claude-opus-5-5", "claude-new-9", "73.50"),
    ],
)
def test_an_answer_is_never_cheaper_than_one_of_the_model_that_was_asked(
    asked: str, named: str, dollars: str
) -> None:
    assert BUILT_IN.cost(used(named), asked=asked) == Decimal(dollars)


def test_cents_are_not_lost_to_rounding() -> None:
    assert cost(used("claude-sonnet-5-5", Tokens(cache_read=1))) == Decimal("0.000001")
    assert cost(Usage()) == 0


def test_a_dated_name_has_the_price_of_its_model_and_an_unknown_one_the_dearest() -> None:
    assert BUILT_IN.find("claude-opus-5-5-20260901") == BUILT_IN.prices["claude-opus-5-5"]
    assert BUILT_IN.find("claude-haiku-4-5-20251001") == BUILT_IN.prices["claude-haiku-4-5"]
    assert BUILT_IN.find("claude-opus-5-latest") == BUILT_IN.prices["claude-opus-5"]
    assert BUILT_IN.find("claude-opus-4-8@20260901") == BUILT_IN.prices["claude-opus-4-8"]
    assert BUILT_IN.find("claude-new-9").output == max(price.output for price in BUILT_IN.prices.values())


@pytest.mark.parametrize(
    "name",
    [
        *("claude-opus-5-2", "claude-opus-5-2027", "claude-sonnet-5-20270101-fast", "claude-opus-5-22"),
        *("claude-haiku-5-5-fast", "Claude-haiku-5-5", "claude-haiku-5-5-2x", "claude-haiku-5-5-20２60901"),
        *(
            "claude-opus-5-20261301",
            "claude-opus-5-20260230",
            "claude-opus-5@20260001",
            "claude-opus-5-20260900",
        ),
        *("claude-haiku-5-5\n", "claude-haiku-5-5-20260901\n", "claude-haiku", "-20260901", ""),
    ],
)
def test_a_name_that_only_begins_like_a_known_one_is_unknown(name: str) -> None:
    assert BUILT_IN.find(name) == BUILT_IN.find_dearest()


def test_a_name_of_an_answer_is_kept_where_it_was_asked_for_or_is_in_the_table() -> None:
    known = ("claude-new-9", "claude-new-9-20270101", "claude-opus-4-8", "claude-opus-4-8-20260901")
    assert [BUILT_IN.name_model(name, asked="claude-new-9") for name in known] == [*known]
    unknown = ("claude-new-8", "sk-ant-0123456789abcdef", "claude-opus-4-8-sk-ant-0123456789abcdef", "")
    assert {BUILT_IN.name_model(name, asked="claude-new-9") for name in unknown} == {OTHER_MODEL}


def test_an_unknown_model_costs_the_highest_of_each_price(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(
        '{"as_of": "2025-01-31", "models":'
        ' {"claude-odd-1": {"input": 1000, "output": 1, "cache_read": 0, "cache_write": 0}}}'
    )
    dearest = load_prices(path).find("claude-new-9")
    assert (dearest.input, dearest.output) == (Decimal(1000), BUILT_IN.find_dearest().output)


def test_a_price_says_up_to_what_length_it_holds() -> None:
    assert BUILT_IN.find("claude-haiku-5-5-20261001").most_input == 100_000
    assert BUILT_IN.find("claude-haiku-5-5").in_batch().most_input == 100_000
    assert BUILT_IN.find("claude-opus-5-5").most_input is None


def test_a_file_may_say_up_to_what_length_a_price_holds(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    price = '{"input": 1, "output": 1, "cache_read": 1, "cache_write": 1, "most_input": 200000}'
    path.write_text(f'{{"as_of": "2025-01-31", "models": {{"claude-new-1": {price}}}}}')
    assert load_prices(path).find("claude-new-1").most_input == 200_000


def test_a_file_overrides_the_table(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(
        '{"as_of": "2025-01-31", "models":'
        ' {"claude-opus-5-5": {"input": 0.1, "output": 2, "cache_read": 3, "cache_write": 4}}}'
    )
    table = load_prices(path)
    assert table.as_of == "2025-01-31"
    assert cost(used("claude-opus-5-5"), table) == Decimal("9.1")
    assert table.find("claude-sonnet-5-5") == BUILT_IN.prices["claude-sonnet-5-5"]
    assert load_prices(None) is BUILT_IN


REST = '"output": 1, "cache_read": 1, "cache_write": 1'


def write_file(price: str, as_of: str = '"2025-01-31"') -> str:
    return f'{{"as_of": {as_of}, "models": {{"m": {{{price}}}}}}}'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"as_of": "2025-01-31", "models": {}}',
        write_file(f'"input": 1, {REST}', as_of="[]"),
        write_file(f'"input": 1, {REST}', as_of='"yesterday"'),
        *(
            write_file(f'"input": 1, {REST}', as_of=day)
            for day in (
                *("1", "86400", "0.0", "true", '"1"', '"20250131"', '"2025-01-31T00:00:00"', '" 2025-01-31"'),
                *('"2025-02-30"', '"2025-W48-1"', '"２025-01-31"', '"2019-12-31"', '"9999-12-31"'),
            )
        ),
        write_file(f'"input": -1, {REST}'),
        write_file(f'"input": "1", {REST}'),
        write_file('"input": 1'),
        write_file(f'"input": NaN, {REST}'),
        write_file(f'"input": 1e400, {REST}'),
        write_file(f'"input": 1e99999999999999999999, {REST}'),
        write_file(f'"input": 1, {REST}, "x": 1'),
        write_file(f'"input": 1, {REST}, "most_input": 0'),
        write_file(f'"input": 1, {REST}, "most_input": 0.5'),
        write_file(f'"input": true, {REST}'),
        write_file(f'"input": 1, "input": 0, {REST}'),
        write_file(f'"input": 1, {REST}}}, "m": {{"input": 0, {REST}'),
        write_file(f'"input": 1, {REST}', as_of='"2025-01-31", "as_of": "2025-01-31"'),
        write_file(f'"input": 1, {REST}').replace('"m"', '""'),
        write_file(f'"input": 1, {REST}').replace('"m"', '"m "'),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(content)
    with pytest.raises(SetupError):
        load_prices(path)


def test_the_same_file_without_the_fault_is_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(write_file(f'"input": 1, {REST}'))
    assert load_prices(path).find("m").input == 1


def test_a_file_is_of_a_day_that_has_begun_somewhere(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    now = datetime(2026, 11, 30, 9, 59, tzinfo=UTC)
    for day, is_read in (("2020-01-01", True), ("2026-11-30", True), ("2026-12-01", False)):
        path.write_text(write_file(f'"input": 1, {REST}', as_of=f'"{day}"'))
        if is_read:
            assert load_prices(path, now=now).as_of == day
        else:
            with pytest.raises(SetupError, match="no day from 2020 to today"):
                load_prices(path, now=now)
            assert load_prices(path, now=now + timedelta(minutes=1)).as_of == day


def test_a_tally_adds_up() -> None:
    tally = Tally()
    tally.add(used("a", Tokens(input=1)))
    tally.add(Usage({"a": Tokens(output=2)}, turns=1, is_estimated=True))
    assert tally.usage == Usage({"a": Tokens(input=1, output=2)}, turns=2, is_estimated=True)
