"""What an agent reads without a tool: the predicates that a proposal may name."""

import re
from collections.abc import Mapping
from typing import Final

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from app.mcp.calls import ask, cut_items, shorten_problem, write_brief

PREDICATES: Final = Resource(
    uri="densemem://predicates",
    name="predicates",
    title="Predicates",
    description="The relations that a proposal of `remember` may name, by key, at most 100: how each is written "
    "and what it takes on either side, any entity where it lists nothing. A retired one is not taken. Where "
    "`next_cursor` is given, there are more.",
    mime_type="application/json",
)
MORE_PREDICATES: Final = ResourceTemplate(
    uri_template="densemem://predicates{?cursor}",
    name="more predicates",
    title="More predicates",
    description="The predicates after `next_cursor`.",
    mime_type=PREDICATES.mime_type,
)
# What a proposal needs to know: a hundred of them must leave a model room to think.
PREDICATE_WORDS: Final = (
    *("predicate_key", "label", "verb_phrase", "aliases", "allowed_subject_kinds", "allowed_object_kinds"),
    *("allowed_value_types", "inverse_key", "lifecycle_state"),
)
_ADDRESS: Final = re.compile(re.escape(PREDICATES.uri) + r"(?:\?cursor=([A-Za-z0-9_=-]{1,1000}))?")
_LIMIT: Final = 100


async def read_resource(
    http: httpx2.AsyncClient, uri: str, *, headers: Mapping[str, str]
) -> ReadResourceResult:
    """Return a page of the team's predicates as `GET /v1/predicates` lists them, cut to `PREDICATE_WORDS`.

    Raises:
        MCPError: there is no such resource, or the route refuses; its data is then the problem.
    """
    address = _ADDRESS.fullmatch(uri)
    if address is None:
        raise MCPError(INVALID_PARAMS, "There is no such resource.", {"uri": uri})
    query = {"limit": _LIMIT} | ({} if address[1] is None else {"cursor": address[1]})
    reply = await ask(http, "GET", "/v1/predicates", headers=headers, params=query)
    if reply.is_refusal:
        problem = shorten_problem(reply.body)
        code = INTERNAL_ERROR if problem.get("retryable") else INVALID_PARAMS
        raise MCPError(code, f"{problem.get('code')}: {problem.get('detail')}", problem)
    text = write_brief(cut_items(reply.body, PREDICATE_WORDS))
    contents = TextResourceContents(uri=uri, mime_type=PREDICATES.mime_type, text=text)
    return ReadResourceResult(contents=[contents])
