"""The loop that the README does by hand, with the files that it sends, and the script for agents."""

import asyncio
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from tests.api.agents import agents_door
from tests.api.client import Api
from tests.api.placing import place_all
from tests.api.serving import serve
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


async def test_the_script_for_agents_refutes_the_dream_and_bears_a_second_run(
    api: Api, settings: Settings, team: Caller, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = await api.client(team)
    await client.post("/v1/remember", json=_read("remember.json"))
    await place_all(api.database, team)
    await run_once(api.database, team)
    capsys.readouterr()  # What was logged until here.
    manual = (EXAMPLE.parent / "mcp.md").read_text(encoding="utf-8")
    [script] = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
    key = (await api.make_key(team)).secret
    file = tmp_path / "script.py"
    async with agents_door(api, settings) as app, serve(app) as port:
        file.write_text(
            script.replace("127.0.0.1:8420", f"127.0.0.1:{port}").replace("dm_…", key), encoding="utf-8"
        )
        for _ in range(2):
            await asyncio.to_thread(runpy.run_path, str(file))
    first, second = capsys.readouterr().out.splitlines()
    assert json.loads(first)["status"] == "submitted"
    assert second == "Nobody guesses that, or it has been judged."


def _read(name: str) -> Any:  # JSON.
    return json.loads((EXAMPLE / name).read_text(encoding="utf-8"))
