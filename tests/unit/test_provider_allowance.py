"""How large a call may be, and what it may cost at most."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.provider.allowance import LEAST_OUTPUT_TOKENS, Allowance, Exceeded, allow_call
from app.dreaming.provider.generator import PROMPT
from app.dreaming.provider.pairs import plan_pairs
from app.dreaming.provider.sheet import write_sheet
from app.dreaming.spending.purse import Remaining
from app.dreaming.spending.purse import Usage as Spending
from app.llm.prices import BUILT_IN, PriceTable
from app.llm.prompts import estimate_tokens, load_prompt
from app.llm.rates import rate_call
from app.llm.scripted import SCRIPTED_NAME
from app.llm.usage import Tokens, Usage
from tests.unit.conversing import PRICE
from tests.unit.graphs import make_inputs


@given(
    st.integers(0, 300_000),
    st.integers(1, 100),
    st.integers(0, 300_000),
    st.integers(0, 60_000),
    st.integers(0, 5),
    st.integers(0, 3_000_000).map(lambda micro: micro / 1_000_000),
    st.sampled_from(["alone", "with fallbacks", "in a batch"]),
)
def test_an_allowed_call_stays_within_everything_that_remains_whoever_answers(
    needed: int, groups: int, input_left: int, output_left: int, turns: int, cost: float, way: str
) -> None:
    left = Spending(input_tokens=input_left, output_tokens=output_left, turns=turns, cost_usd=cost)
    prices = PriceTable("2026-01-01", {SCRIPTED_NAME: PRICE, **BUILT_IN.prices})
    is_batch = way == "in a batch"
    rate = rate_call(prices, SCRIPTED_NAME, has_fallbacks=way != "alone", is_batch=is_batch)
    allowed = allow_call(needed, groups, Remaining(left), rate)
    if isinstance(allowed, Exceeded):
        return
    assert isinstance(allowed, Allowance)
    assert allowed.input_tokens == needed
    assert allowed.output_tokens >= LEAST_OUTPUT_TOKENS
    estimate = allowed.as_estimate()
    assert estimate.input_tokens <= input_left
    assert estimate.output_tokens <= output_left
    assert estimate.cost_usd <= cost + 1e-9
    # Refused after the last token, then answered by whichever model the provider likes.
    each = Tokens(cache_write=needed, output=allowed.output_tokens)
    worst = Usage({SCRIPTED_NAME: each}, is_batch=is_batch)
    others = [worst + Usage({name: each}) for name in BUILT_IN.prices] if way == "with fallbacks" else []
    for usage in (worst, *others):
        assert float(prices.cost(usage, asked=SCRIPTED_NAME)) <= estimate.cost_usd + 1e-6
        assert usage.tokens.all_input <= estimate.input_tokens
        assert usage.tokens.output <= estimate.output_tokens


def test_no_question_is_longer_than_the_models_price_holds() -> None:
    rate = rate_call(BUILT_IN, "claude-haiku-5-5", has_fallbacks=False)
    ample = Remaining(Spending(input_tokens=500_000, output_tokens=100_000, turns=3, cost_usd=9.0))
    assert isinstance(allow_call(100_000, 1, ample, rate), Allowance)
    assert allow_call(100_001, 1, ample, rate) == Exceeded("max_input_tokens")


def test_a_cycle_of_forty_groups_costs_cents() -> None:
    triples = [f"package-{n} depends_on library-{n % 13}" for n in range(80)]
    triples += [f"package-{n} uses library-{n % 7}" for n in range(40)]
    inputs = make_inputs(*triples)
    plan = plan_pairs(inputs, max_groups=40, max_outputs=5)
    assert len(plan.pairs) == 40
    sheet = write_sheet(inputs, plan.pairs, plan.hints, request="r", most_ideas=10)
    tokens = estimate_tokens(load_prompt(PROMPT).instructions, sheet.text)
    assert tokens < 12_000
    usage = Usage({"claude-opus-5-5": Tokens(input=tokens, output=4_000)})
    assert BUILT_IN.cost(usage, asked="claude-opus-5-5") < Decimal("0.15")
