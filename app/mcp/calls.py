"""One tool call as one HTTP request, and its answer as a tool result."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from mcp_types import CallToolResult, TextContent

from app.kernel.errors import FIELD_MESSAGES
from app.mcp.tools import JsonObject, Tool

TIMEOUT_SECONDS: Final = 60.0
_PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,128}")
_LONGEST_NAME: Final = 128
# What the routes say of a request with wrong fields.
_WRONG_ARGUMENTS: Final = {
    "code": "invalid_input",
    "detail": "The request is not valid.",
    "next_action": "Correct the request and send it again.",
    "retryable": False,
}
# What a list of dreams says in words: 25 of them must leave a model room to think.
DREAM_WORDS: Final = ("hypothesis_id", "statement", "status", "likelihood", "confidence")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: the operation's answer, or its problem."""

    is_refusal: bool
    body: JsonObject


async def ask(
    http: httpx2.AsyncClient, method: str, path: str, *, headers: Mapping[str, str], **rest: Any
) -> Reply:
    """Return what the route says; `rest` is the request's query or content. No answer is a problem too."""
    try:
        response = await http.request(
            method,
            path,
            headers={**headers, "Content-Type": "application/json"},
            timeout=TIMEOUT_SECONDS,
            **rest,
        )
        return Reply(not response.is_success, response.json())
    except (httpx2.InvalidURL, UnicodeEncodeError):
        # A body may hold this, and its route refuses it; an address can't even be written with it.
        return Reply(
            True, {"code": "invalid_input", "detail": "An argument is too long, or holds a lone surrogate."}
        )
    except (httpx2.TransportError, ValueError):
        return Reply(
            True,
            {
                "code": "unreachable",
                "detail": "The memory service does not answer.",
                "next_action": "Try again later; what was sent may have taken effect.",
                "retryable": True,
            },
        )


async def call_tool(
    http: httpx2.AsyncClient, tool: Tool, arguments: Mapping[str, Any], *, headers: Mapping[str, str]
) -> CallToolResult:
    """Return the operation's answer, or its refusal as an error that a model can read and act on.

    The structured content is the HTTP answer, field for field. The text is the same without what is null or
    empty inside of it; a list of dreams is cut down to `DREAM_WORDS`. Arguments that are missing or unheard of
    are refused here: a route whose path lacks its id could only say that it finds nothing.
    """
    if wrong := find_wrong_arguments(tool, arguments):
        return _refuse({**_WRONG_ARGUMENTS, "errors": wrong})
    reply = await ask(http, tool.method, _path(tool, arguments), headers=headers, **_rest(tool, arguments))
    if reply.is_refusal:
        return _refuse(reply.body)
    answer = reply.body
    shown = cut_items(answer, DREAM_WORDS) if tool.name == "list_dreams" else answer
    return CallToolResult(
        content=[TextContent(type="text", text=write_brief(shown))], structured_content=answer
    )


def find_wrong_arguments(tool: Tool, arguments: Mapping[str, Any]) -> list[JsonObject]:
    """Return what the tool needs and was not given, then what it doesn't take, as a problem names wrong fields.

    Of values those that travel in the path are looked at, for their type: no route would see it.
    """
    missing = [name for name in tool.input_schema["required"] if name not in arguments]
    wrong = [name for name in tool.path_arguments if not isinstance(arguments.get(name, ""), str)]
    unknown = [name for name in arguments if name not in tool.input_schema["properties"]]
    return [
        *(_wrong(name, "missing", FIELD_MESSAGES["missing"]) for name in missing),
        *(_wrong(name, "string_type", "Input should be a valid string") for name in wrong),
        *(_wrong(_quote(name), "extra_forbidden", FIELD_MESSAGES["extra_forbidden"]) for name in unknown),
    ]


def shorten_problem(problem: Mapping[str, Any]) -> JsonObject:
    """Return what a model can act on of a problem."""
    kept = ("code", "detail", "errors", "next_action", "retryable")
    return {name: problem[name] for name in kept if problem.get(name) not in (None, [], "")}


def cut_items(listed: JsonObject, words: Collection[str]) -> JsonObject:
    """Return the list with these fields of each item."""
    return {**listed, "items": [{word: item[word] for word in words} for item in listed["items"]]}


def write_brief(answer: Mapping[str, Any]) -> str:
    """Return the JSON without what is null or empty, but for lists of its own: that nothing was found is said."""
    told = {key: _without_nothing(inner) for key, inner in answer.items() if inner not in (None, {})}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _refuse(problem: JsonObject) -> CallToolResult:
    told = write_brief(shorten_problem(problem))
    return CallToolResult(content=[TextContent(type="text", text=told)], is_error=True)


def _wrong(field: str, code: str, message: str) -> JsonObject:
    return {"field": field, "code": code, "message": message}


def _quote(name: str) -> str:
    # A name may be as long as a message, and hold what no answer can be written with.
    return name[:_LONGEST_NAME].encode(errors="backslashreplace").decode()


def _path(tool: Tool, arguments: Mapping[str, Any]) -> str:
    return tool.path.format_map({name: _segment(arguments.get(name)) for name in tool.path_arguments})


def _segment(argument: object) -> str:
    # What has no shape of an id names nothing and must not become another path: the operation's own 404.
    is_plain = isinstance(argument, str) and _PLAIN.fullmatch(argument) is not None
    return str(argument) if is_plain else "none"


def _rest(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in arguments.items() if name not in tool.path_arguments}
    if tool.has_body:
        # Escaped, so that a lone surrogate reaches the check that refuses it.
        return {"content": json.dumps(rest, ensure_ascii=True).encode()}
    return {"params": {name: _query_value(value) for name, value in rest.items() if value is not None}}


def _query_value(value: object) -> object:
    if isinstance(value, list):
        return [_query_value(item) for item in value]
    return value if isinstance(value, str) else json.dumps(value)


def _without_nothing(node: object) -> object:
    if isinstance(node, dict):
        return {key: _without_nothing(inner) for key, inner in node.items() if inner not in (None, [], {})}
    if isinstance(node, list):
        return [_without_nothing(inner) for inner in node]
    return node
