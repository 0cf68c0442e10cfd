"""An answer whose cost cannot be read is no answer, and is paid for at its estimate: it is never free."""

import json

import pytest

from app.kernel.database import Database
from app.llm.model import Answered, Malformed
from app.llm.prices import BUILT_IN
from app.llm.usage import Tokens
from app.tenancy.callers import Caller
from tests.cycles import Pattern
from tests.integration.provider.asking import LONG, SHORT, USED, Asker
from tests.integration.provider.batching import PERMITS, Batched, custom_id_of
from tests.integration.provider.dreaming import Dreaming, dream
from tests.integration.provider.unreadable import UNREADABLE
from tests.provider_server.batches import Batch, succeeded
from tests.provider_server.replies import MODEL, Reply, Said, message_of


@pytest.mark.parametrize("most", [LONG, SHORT])
@pytest.mark.parametrize("said", UNREADABLE.values(), ids=UNREADABLE)
async def test_what_cannot_be_charged_is_malformed_and_presumed_to_have_cost_all_it_might(
    asker: Asker, said: Said, most: int
) -> None:
    outcome = await asker.ask(said, most=most)
    assert isinstance(outcome, Malformed)
    assert outcome.usage.is_estimated
    assert outcome.usage == asker.tally.usage
    assert [*outcome.usage.by_model] == [MODEL], "it is charged as the one that was asked"
    assert outcome.usage.tokens.input > 0
    assert outcome.usage.tokens.output == most
    assert BUILT_IN.cost(outcome.usage, asked=MODEL) > 0


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_a_refusal_may_be_free(asker: Asker, most: int) -> None:
    usage = {"input_tokens": 0, "output_tokens": 0}
    outcome = await asker.ask(Said(text="", stop_reason="refusal", usage=usage), most=most)
    assert not isinstance(outcome, Malformed)
    assert outcome.usage.tokens == Tokens()


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_no_word_of_the_provider_makes_an_answer_at_once_half_as_dear(asker: Asker, most: int) -> None:
    usage = {"input_tokens": 120, "output_tokens": 40, "service_tier": "batch"}
    outcome = await asker.ask(Said(usage=usage), most=most)
    assert isinstance(outcome, Answered)
    assert outcome.usage == USED


@pytest.mark.parametrize("name", ["a model with NUL", "input beyond reason", "hops without counts"])
async def test_a_run_is_charged_at_its_permits(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming, name: str
) -> None:
    dreaming.server.speak = lambda body: UNREADABLE[name]
    run = await dream(database, team, dreaming)
    assert run.status == "succeeded"
    assert run.generator_kind == "rules"
    assert run.usage.turns == len(dreaming.server.messages)
    assert 0 < run.usage.cost_usd < 10


@pytest.mark.parametrize("name", ["a model with NUL", "input beyond reason", "nothing counted"])
async def test_a_batch_stays_at_its_estimate(batched: Batched, name: str) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    [permit] = await batched.fetch(PERMITS)
    batched.batch.results = [succeeded(custom_id_of(batched.batch), message_of(UNREADABLE[name]))]
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind) == ("succeeded", "rules")
    assert run.summary is not None
    assert "batch_malformed" in run.summary
    assert run.usage.cost_usd == pytest.approx(float(permit["cost_usd"]))
    assert run.usage.cost_usd > 0


async def test_a_batch_whose_name_cannot_be_kept_is_found_and_stays_at_its_estimate(batched: Batched) -> None:
    def misname(batch: Batch) -> Reply:
        batch.batch_id = "msgbatch_\x00"
        return Reply(body=json.dumps({"id": batch.batch_id}).encode())

    batched.server.batches.on_create = misname
    run_id = await batched.start()
    await batched.look(run_id)
    assert (await batched.look(run_id)).status == "waiting"
    batched.batch.results = [succeeded(custom_id_of(batched.batch), message_of(Said()))]
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind) == ("succeeded", "rules")
    assert run.usage.cost_usd > 0
