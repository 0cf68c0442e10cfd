"""The Python client against the served door."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import pytest

from app.client import DenseMem, Refused
from app.client.types import EvidenceBody, ProposalBody
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.api.placing import place_all
from tests.api.serving import serve

T = TypeVar("T")
_TEXT = "Starlette depends on AnyIO."
_EVIDENCE: list[EvidenceBody] = [{"content": _TEXT}]
_PROPOSAL: ProposalBody = {
    "entities": [{"ref": "s", "name": "Starlette"}, {"ref": "a", "name": "AnyIO"}],
    "relationships": [
        {
            "proposal_id": "p1",
            "subject_ref": "s",
            "predicate": "depends_on",
            "object_ref": "a",
            "evidence": [{"evidence_index": 0, "start": 0, "end": len(_TEXT)}],
        }
    ],
}


async def test_what_is_remembered_through_the_client_is_placed_recalled_and_traced(
    api: Api, team: Caller
) -> None:
    key = (await api.make_key(team)).secret

    def submit(memory: DenseMem) -> tuple[str, str]:
        first = memory.remember(_EVIDENCE, _PROPOSAL, idempotency_key="once")
        again = memory.remember(_EVIDENCE, _PROPOSAL, idempotency_key="once")
        return first["ingest_id"], again["ingest_id"]

    def read_back(memory: DenseMem) -> None:
        placement = memory.get_memory_placement(ingest_id)
        relationship_id = placement["relationship_outcomes"][0]["relationship_id"]
        assert relationship_id is not None
        recalled = memory.recall_memory("What does Starlette depend on?")
        assert [result["relationship_id"] for result in recalled["results"]] == [relationship_id]
        traced = memory.trace_memory(relationship_id)
        assert [support["quote"] for support in traced["supports"]] == [_TEXT]
        assert list(memory.iterate_dreams()) == []

    async with serve(api.app) as port:
        ingest_id, replayed = await _in_thread(port, key, submit)
        assert ingest_id == replayed
        await place_all(api.database, team)
        await _in_thread(port, key, read_back)


async def test_a_cycle_is_started_joined_and_cancelled_through_the_client(api: Api, team: Caller) -> None:
    key = (await api.make_key(team)).secret

    def operate(memory: DenseMem) -> None:
        run = memory.start_cycle(note="by hand")
        assert memory.start_cycle()["run_id"] == run["run_id"]
        assert memory.cancel_cycle(run["run_id"])["status"] == "cancelled"
        assert [listed["run_id"] for listed in memory.list_cycle_runs(status=["cancelled"])["items"]] == [
            run["run_id"]
        ]
        assert memory.get_cycle_run(run["run_id"])["note"] == "by hand"
        assert set(memory.get_dreaming_status()["open_hypotheses"].values()) == {0}

    async with serve(api.app) as port:
        await _in_thread(port, key, operate)


async def test_a_refusal_carries_what_the_server_said(api: Api, team: Caller) -> None:
    key = (await api.make_key(team, scopes=["read"])).secret

    def ask(memory: DenseMem) -> None:
        with pytest.raises(Refused) as missing:
            memory.get_dream("hyp_nothing")
        assert (missing.value.status, missing.value.code, missing.value.retryable) == (
            404,
            "not_found",
            False,
        )
        with pytest.raises(Refused) as forbidden:
            memory.resolve_dream_feedback("hyp_nothing", "reject")
        assert forbidden.value.status == 403

    async with serve(api.app) as port:
        await _in_thread(port, key, ask)


async def _in_thread(port: int, key: str, work: Callable[[DenseMem], T]) -> T:
    def run() -> T:
        with DenseMem(f"http://127.0.0.1:{port}", key) as memory:
            return work(memory)

    return await asyncio.to_thread(run)
