"""What a verdict may cost: a permit that covers the dearest answer, settled with what was used."""

from decimal import Decimal

from app.ledger.vocabulary import Span
from app.llm.model import Outcome, OverBudget, Question, TimedOut, Unavailable
from app.llm.prices import BUILT_IN
from app.llm.scripted import ScriptedModel
from app.llm.usage import Tokens, Usage
from app.remember.claim import Citation, Judgement
from app.remember.provider.question import MAX_OUTPUT_TOKENS
from app.remember.provider.verifier import MOST_COUNTS, ProviderVerifier
from app.remember.verify import VerifierFailure
from tests.purses import VerdictPurse
from tests.unit.test_provider_verifier import CITATION, CLAIM, answering

SOUND = answering(lambda sound: sound)


def speak(question: Question) -> str:
    assert callable(SOUND.script)
    answer = SOUND.script(question)
    assert isinstance(answer, str)
    return answer


async def test_nobody_is_asked_without_a_permit() -> None:
    model = ScriptedModel([])
    verifier = ProviderVerifier(model, VerdictPurse(limit=Decimal(0)))
    assert await verifier.judge(CLAIM, CITATION) == VerifierFailure("verifier_over_budget", retryable=True)
    assert model.asked == []


async def test_a_permit_covers_the_longest_answer_of_both_models_and_all_of_the_input() -> None:
    purse = VerdictPurse()
    model = ScriptedModel(speak, name="claude-sonnet-5-5", has_fallbacks=True)
    await ProviderVerifier(model, purse).judge(CLAIM, CITATION)
    [permit], [question] = purse.permits, model.asked
    assert question.max_input_tokens == permit.bound.input_tokens
    assert question.max_output_tokens == permit.bound.output_tokens == MAX_OUTPUT_TOKENS
    both = {
        name: Tokens(cache_write=permit.bound.input_tokens, output=MAX_OUTPUT_TOKENS)
        for name in ("claude-sonnet-5-5", "claude-fable-5-2")
    }
    assert permit.bound.cost_usd == BUILT_IN.cost(Usage(both), asked="claude-sonnet-5-5") > purse.spent()


async def test_a_call_that_was_cut_stays_at_its_bound_and_one_that_cost_nothing_is_free() -> None:
    cut = TimedOut(Usage({"claude-opus-5-5": Tokens(input=9)}, turns=1, is_estimated=True))
    for outcome, is_open in ((cut, True), (Unavailable("connection"), False)):
        purse = VerdictPurse()
        await ProviderVerifier(ScriptedModel([outcome]), purse).judge(CLAIM, CITATION)
        [permit] = purse.permits
        assert purse.spent() == (permit.bound.cost_usd if is_open else 0)


async def test_a_question_that_is_longer_than_was_thought_is_asked_within_a_larger_bound() -> None:
    purse = VerdictPurse()

    def answer(question: Question) -> str | Outcome:
        is_first = len(purse.permits) == 1
        return OverBudget("max_input_tokens", 5_000) if is_first else speak(question)

    model = ScriptedModel(answer)
    assert await ProviderVerifier(model, purse).judge(CLAIM, CITATION) == Judgement(
        "entailed", 0.9, "It says so."
    )
    first, second = purse.permits
    assert purse.settled[first.permit_id] == Usage()
    assert second.bound.input_tokens > 5_000
    assert purse.used().turns == 1


async def test_a_question_that_only_grows_is_given_up() -> None:
    model = ScriptedModel(
        lambda question: OverBudget("max_input_tokens", 2 * (question.max_input_tokens or 0))
    )
    purse = VerdictPurse()
    verdict = await ProviderVerifier(model, purse).judge(CLAIM, CITATION)
    assert verdict == VerifierFailure("verifier_over_budget", retryable=True)
    assert len(model.asked) == MOST_COUNTS
    assert purse.spent() == 0


async def test_no_question_is_longer_than_the_models_price_holds() -> None:
    long = Citation("word " * 100_000, (Span(0, 4),))
    model = ScriptedModel([OverBudget("max_input_tokens", 120_000)], name="claude-haiku-5-5")
    verdict = await ProviderVerifier(model, VerdictPurse()).judge(CLAIM, long)
    assert verdict == VerifierFailure("verifier_too_long", retryable=True)
    assert model.asked[0].max_input_tokens == 100_000
