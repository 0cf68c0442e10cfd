"""What a placement says in a sentence beside the code of its reason."""

from app.tenancy.callers import Caller
from tests.api.client import Api, example_submission
from tests.api.placing import place_all


async def test_a_placement_says_in_a_sentence_what_the_verifier_misses(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = example_submission(evidence=[{"content": "FastAPI depends on Starlette. That is not true."}])
    ingest_id = (await client.post("/v1/remember", json=body)).json()["ingest_id"]
    (waiting,) = (await client.get(f"/v1/placements/{ingest_id}")).json()["relationship_outcomes"]
    await place_all(api.database, team)
    (outcome,) = (await client.get(f"/v1/placements/{ingest_id}")).json()["relationship_outcomes"]
    assert (waiting["reason"], waiting["message"]) == (None, None)
    assert outcome["reason"] == "taken_back"
    assert outcome["message"] == (
        "Words or marks beside the cited sentence might take it back; not all of them are known not to. "
        "Where they take nothing back, send the sentence as evidence of its own, or among plain statements that "
        "do not name both of its ends."
    )


async def test_what_is_known_stays_so_beside_a_citation_that_fails_and_the_message_says_it(
    api: Api, team: Caller
) -> None:
    client = await api.client(team)
    await client.post("/v1/remember", json=example_submission())
    await place_all(api.database, team)
    body = example_submission(evidence=[{"content": "Starlette depends on FastAPI."}])
    ingest_id = (await client.post("/v1/remember", json=body)).json()["ingest_id"]
    await place_all(api.database, team)
    (outcome,) = (await client.get(f"/v1/placements/{ingest_id}")).json()["relationship_outcomes"]
    assert (outcome["category"], outcome["verdict"]) == ("relationship_validated_claim", "insufficient")
    assert outcome["reason"] == "order_not_recognised"
    assert outcome["message"].startswith(
        "It is known from other evidence, and this adds nothing to it. The cited"
    )
