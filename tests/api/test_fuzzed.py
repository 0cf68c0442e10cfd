"""Schemathesis against the served contract: whatever is sent, the contract describes the answer.

The short form draws a few requests an operation, and plays through the boundaries of every field of the operations
that are small; with DENSEMEM_FUZZ_EXAMPLES all operations are, and that many requests are drawn.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Final

from app.queue.leases import WAKE_CHANNEL
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.api.placing import place_all
from tests.api.serving import serve

_EXAMPLES: Final = os.environ.get("DENSEMEM_FUZZ_EXAMPLES")
_CONFIG: Final = Path(__file__).with_name("schemathesis.toml")
# The boundaries of these dozen operations are twice as many as those of all others together.
_SHORT: Final = """
[[operations]]
include-operation-id = [
    "remember", "recall_memory", "submit_recall_feedback", "resolve_dream_feedback", "list_dreams", "start_cycle",
    "register_predicate", "change_predicate", "change_dreaming_settings", "change_instance_settings",
    "list_cycle_runs", "list_entities",
]
phases = { coverage = { enabled = false } }
"""


async def test_generated_requests_are_answered_as_the_contract_says(
    api: Api, team: Caller, tmp_path: Path
) -> None:
    holders = {"TEAM_KEY": await api.client(team), "ADMIN_KEY": await api.admin()}
    keys = {name: client.headers["Authorization"].split()[1] for name, client in holders.items()}
    config = tmp_path / "schemathesis.toml"
    config.write_text(_CONFIG.read_text() + ("" if _EXAMPLES else _SHORT))
    hooks = _CONFIG.with_name("fuzz_hooks.py")
    (tmp_path / hooks.name).write_text(hooks.read_text())
    async with serve(api.app) as port:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{port}/openapi.json"),
            *("--max-examples", _EXAMPLES or "3", "--no-color"),
            cwd=tmp_path,
            env=os.environ | keys | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        placing = asyncio.create_task(_place_as_it_comes(api, team))
        output, _ = await process.communicate()
        placing.cancel()
        await asyncio.gather(placing, return_exceptions=True)
    report = output.decode()
    assert process.returncode == 0, report[-6000:]
    assert "Stateful" in report


async def _place_as_it_comes(api: Api, team: Caller) -> None:
    """Do a worker's part, so that no generated request waits in vain for its placement."""
    async with api.database.listening(WAKE_CHANNEL) as connection:
        async for _ in connection.notifies():
            await place_all(api.database, team)
