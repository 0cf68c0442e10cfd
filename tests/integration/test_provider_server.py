"""The local server's batches, as the real SDK sees them: made once, ended when told, results in any order."""

from typing import TYPE_CHECKING

from app.llm.connection import open_client
from app.llm.key import Key
from tests.provider_server.batches import succeeded
from tests.provider_server.replies import MODEL, Said, message_of
from tests.provider_server.server import KEY, provider

if TYPE_CHECKING:
    from anthropic.types.messages.batch_create_params import Request


def request_of(custom_id: str) -> "Request":
    return {
        "custom_id": custom_id,
        "params": {"model": MODEL, "max_tokens": 10, "messages": [{"role": "user", "content": "Say it."}]},
    }


async def test_a_batch_is_made_polled_and_read_in_any_order() -> None:
    async with provider() as server:
        client = await open_client(Key(KEY, "a test"), server.url)
        made = await client.messages.batches.create(requests=[request_of("one"), request_of("two")])
        assert made.processing_status == "in_progress"
        [batch] = server.batches.made
        assert [request["custom_id"] for request in batch.requests] == ["one", "two"]
        batch.results = [succeeded(name, message_of(Said(text=name))) for name in ("one", "two")]
        ended = await client.messages.batches.retrieve(made.id)
        assert ended.processing_status == "ended"
        results = [result async for result in await client.messages.batches.results(made.id)]
        assert [result.custom_id for result in results] == ["two", "one"]
        assert {result.result.type for result in results} == {"succeeded"}
        listed = [each.id async for each in client.messages.batches.list()]
        assert listed == [made.id]
        await client.close()


async def test_a_cancelled_batch_says_so_until_it_has_ended() -> None:
    async with provider() as server:
        client = await open_client(Key(KEY, "a test"), server.url)
        made = await client.messages.batches.create(requests=[request_of("one")])
        assert (await client.messages.batches.cancel(made.id)).processing_status == "canceling"
        server.batches.made[0].results = []
        assert (await client.messages.batches.retrieve(made.id)).processing_status == "ended"
        await client.close()
