"""A short run of Schemathesis against the served contract: whatever is sent, the contract describes the answer."""

import asyncio
import sys
from pathlib import Path
from typing import Final

import pytest

from app.queue.leases import WAKE_CHANNEL
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.api.placing import place_all
from tests.api.serving import serve

_CHECKS: Final = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_schema_conformance", "unsupported_method"),
)
_ADMIN_PATHS: Final = "^/v1/(teams|keys)"
# A stream has no end that a generated request could wait for.
_NOT_A_TEAMS: Final = "^/v1/(teams|keys|events)"


@pytest.mark.parametrize("holder", ["team", "admin"])
async def test_generated_requests_are_answered_as_the_contract_says(
    api: Api, team: Caller, tmp_path: Path, holder: str
) -> None:
    is_admin = holder == "admin"
    client = await (api.admin() if is_admin else api.client(team))
    async with serve(api.app) as port:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{port}/openapi.json"),
            *(("--include-path-regex", _ADMIN_PATHS) if is_admin else ("--exclude-path-regex", _NOT_A_TEAMS)),
            *("--header", f"Authorization: {client.headers['Authorization']}"),
            *("--checks", ",".join(_CHECKS)),
            *("--phases", "coverage,fuzzing", "--mode", "all", "--max-examples", "3", "--seed", "1"),
            *("--no-color", "--generation-database", "none", "--suppress-health-check", "all"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        placing = asyncio.create_task(_place_as_it_comes(api, team))
        output, _ = await process.communicate()
        placing.cancel()
        await asyncio.gather(placing, return_exceptions=True)
    report = output.decode()
    assert process.returncode == 0, report[-6000:]
    assert "Fuzzing" in report


async def _place_as_it_comes(api: Api, team: Caller) -> None:
    """Do a worker's part, so that no generated request waits in vain for its placement."""
    async with api.database.listening(WAKE_CHANNEL) as connection:
        async for _ in connection.notifies():
            await place_all(api.database, team)
