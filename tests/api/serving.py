"""The door behind a real HTTP server on a free loopback port."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette


@asynccontextmanager
async def serve(app: Starlette, *, port: int = 0, grace: int | None = None) -> AsyncIterator[int]:
    """Give the port of a server that takes connections until the block is left; 0 picks a free one.

    Then it waits for what it has begun, at most the seconds of grace.
    """
    # asyncio sends small answers without delay only where the protocol is named: 40 ms a request otherwise.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        # A listening socket queues connections, so nobody has to wait for the server to have started.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(512)
        config = uvicorn.Config(
            app, lifespan="off", ws="none", log_level="critical", timeout_graceful_shutdown=grace
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            await serving
