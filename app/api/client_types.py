"""The types of the Python client, derived from the published contract so that no record is declared twice."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

OPERATIONS: Final = (
    "remember",
    "get_memory_placement",
    "recall_memory",
    "submit_recall_feedback",
    "trace_memory",
    "list_dreams",
    "get_dream",
    "resolve_dream_feedback",
    "get_dream_outcomes",
    "explain_absence",
    "start_cycle",
    "list_cycle_runs",
    "get_cycle_run",
    "cancel_cycle",
    "get_dreaming_status",
)
_HEADER: Final = '''"""What the client sends and gets, generated from the HTTP contract by `make openapi`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict
'''
_SIMPLE: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, object]",
}
Schema = Mapping[str, Any]  # A JSON schema as the OpenAPI document holds it.


def write_client_types(document: Schema) -> str:
    """Return a module with one TypedDict for each schema that the client's operations reach, by name."""
    schemas = document["components"]["schemas"]
    waiting, reached = list(_start(document)), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_references(schemas[name]))
    words = _name_enumerations({name: schemas[name] for name in sorted(reached)})
    aliases = [_write_alias(name, values) for values, name in sorted(words.items(), key=lambda item: item[1])]
    records = [_write_record(name, schemas[name], words) for name in sorted(reached, key=_class_name)]
    return _HEADER + "\n" + "\n".join(aliases) + "\n\n\n" + "\n\n\n".join(records) + "\n"


def _start(document: Schema) -> Iterator[str]:
    for methods in document["paths"].values():
        for operation in methods.values():
            if operation["operationId"] in OPERATIONS:
                yield from _references(operation.get("requestBody", {}))
                for status, response in operation["responses"].items():
                    if status.startswith("2"):
                        yield from _references(response)


def _references(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if "$ref" in node:
            yield str(node["$ref"]).rpartition("/")[2]
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


def _name_enumerations(schemas: Mapping[str, Schema]) -> dict[tuple[str, ...], str]:
    """Name each set of words after its field; where fields of one name take several sets, after the record too."""
    takers: dict[str, dict[tuple[str, ...], str]] = {}
    for record, schema in schemas.items():
        for field, kind in schema.get("properties", {}).items():
            for values in _enumerations(kind):
                takers.setdefault(_class_name(field), {}).setdefault(values, record)
    names: dict[tuple[str, ...], str] = {}
    for field, sets in takers.items():
        for values, record in sets.items():
            prefix = _class_name(re.sub("(Answer|Body|Reply)$", "", record)) if len(sets) > 1 else ""
            names.setdefault(values, prefix + field)
    return names


def _enumerations(node: object) -> Iterator[tuple[str, ...]]:
    if isinstance(node, Mapping):
        if "enum" in node:
            yield tuple(node["enum"])
        for inner in node.values():
            yield from _enumerations(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _enumerations(inner)


def _write_alias(name: str, values: tuple[str, ...]) -> str:
    return f"{name} = Literal[\n" + "".join(f'    "{value}",\n' for value in values) + "]"


def _write_record(name: str, schema: Schema, words: Mapping[tuple[str, ...], str]) -> str:
    required = schema.get("required", ())
    lines = [f"class {_class_name(name)}(TypedDict):"]
    if "description" in schema:
        first = schema["description"].splitlines()[0]
        lines += [f'    """{first}"""', ""]
    for field, kind in schema.get("properties", {}).items():
        written = _write_type(kind, words)
        lines.append(f"    {field}: {written if field in required else f'NotRequired[{written}]'}")
    return "\n".join(lines)


def _write_type(kind: Schema, words: Mapping[tuple[str, ...], str]) -> str:
    if "$ref" in kind:
        return _class_name(str(kind["$ref"]).rpartition("/")[2])
    if "anyOf" in kind:
        return " | ".join(dict.fromkeys(_write_type(option, words) for option in kind["anyOf"]))
    if "enum" in kind:
        return words[tuple(kind["enum"])]
    if "const" in kind:
        return f'Literal["{kind["const"]}"]'
    match kind.get("type"):
        case "array":
            return f"list[{_write_type(kind.get('items', {}), words)}]"
        case "object" if isinstance(kind.get("additionalProperties"), Mapping):
            return f"dict[str, {_write_type(kind['additionalProperties'], words)}]"
        case str() as name:
            return _SIMPLE[name]
        case list() as names:
            return " | ".join(_SIMPLE[name] for name in names)
        case _:
            return "object"


def _class_name(name: str) -> str:
    return "".join(part[0].upper() + part[1:] for part in re.split(r"_+", name) if part)
