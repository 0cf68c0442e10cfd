"""A bridge for clients that start a program: the protocol on standard input and output, the server elsewhere."""

import httpx2
from mcp.server.stdio import stdio_server

from app.client.access import require_access
from app.kernel.errors import Unavailable
from app.mcp.server import build_server


async def serve_stdio(url: str, key: str, *, version: str) -> None:
    """Pass calls on to the server at `url` with the key until standard input ends.

    Raises:
        Unusable: the address or the key can't be one.
        Unavailable: no server of this API answers there.
    """
    require_access(url, key)
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(base_url=url, trust_env=False) as http:
        try:
            response = await http.get("/openapi.json")
            contract = response.json()
            server = build_server(http, contract, version=version, headers=lambda _: headers)
        except (httpx2.TransportError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(
                f"No server of this API answers at {url}. Is `densemem serve` running?"
            ) from error
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
