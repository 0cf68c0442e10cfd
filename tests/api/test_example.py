"""The loop that the README does by hand, with the files that it sends."""

import json
from pathlib import Path
from typing import Any

from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.api.placing import place_all
from tests.cycles import run_once

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"


async def test_the_files_of_the_readme_lead_to_one_dream_and_to_what_recall_answers(
    api: Api, team: Caller
) -> None:
    client = await api.client(team)
    remembered = await client.post("/v1/remember", json=_read("remember.json"))
    await place_all(api.database, team)
    placement = (await client.get(f"/v1/placements/{remembered.json()['ingest_id']}")).json()
    categories = [outcome["category"] for outcome in placement["relationship_outcomes"]]
    assert categories == ["relationship_validated_claim"] * 5
    await run_once(api.database, team)
    dreams = (await client.get("/v1/dreams")).json()["items"]
    assert [dream["statement"] for dream in dreams] == ["Django may depend on asgiref."]
    confirmed = await client.post(
        f"/v1/dreams/{dreams[0]['hypothesis_id']}/feedback", json=_read("confirm.json")
    )
    assert (confirmed.status_code, confirmed.json()["status"]) == (200, "submitted")
    await place_all(api.database, team)
    recalled = await client.post("/v1/recall", json={"query": "What does Django depend on?"})
    assert recalled.json()["results"][0]["statement"] == "Django depends on asgiref."


def _read(name: str) -> Any:  # JSON.
    return json.loads((EXAMPLE / name).read_text(encoding="utf-8"))
