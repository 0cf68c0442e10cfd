"""The published contract is the code's, and the code keeps it."""

import json
from pathlib import Path

from app.api.app import build_openapi
from app.api.client_types import write_client_types
from app.api.openapi import write_contract
from tests.api.client import operations

_COMMITTED = Path(__file__).parents[2] / "openapi" / "densemem.json"
_CLIENT_TYPES = Path(__file__).parents[2] / "app" / "client" / "types.py"


def test_the_committed_contract_is_the_one_that_the_code_gives() -> None:
    assert _COMMITTED.read_text() == write_contract(build_openapi())


def test_the_types_of_the_client_are_those_of_the_contract() -> None:
    assert _CLIENT_TYPES.read_text() == write_client_types(build_openapi())


def test_the_contract_names_every_operation_of_the_spec() -> None:
    names = [operation.operation_id for operation in operations()]
    assert len(names) == len(set(names))
    assert set(names) >= {
        *("remember", "get_memory_placement", "recall_memory", "trace_memory"),
        *("list_dreams", "get_dream", "resolve_dream_feedback"),
    }


def test_every_reference_in_the_contract_leads_somewhere() -> None:
    document = build_openapi()
    text = json.dumps(document)
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named
    assert named <= set(document["components"]["schemas"])


def test_every_request_body_is_closed() -> None:
    schemas = build_openapi()["components"]["schemas"]
    bodies = {name: schema for name, schema in schemas.items() if name.endswith("Body")}
    assert len(bodies) > 10
    assert all(schema["additionalProperties"] is False for schema in bodies.values())


def test_every_number_that_speaks_for_a_guess_is_explained() -> None:
    schemas = build_openapi()["components"]["schemas"]
    guesses = [schema for schema in schemas.values() if "likelihood" in schema.get("properties", {})]
    assert len(guesses) == 4
    for schema in [*guesses, schemas["ExplainedPath"]]:
        for name, field in schema["properties"].items():
            if field.get("type") == "number" or name in ("instances", "support", "body"):
                assert field.get("description"), (schema["title"], name)


def test_every_answer_carries_every_field() -> None:
    schemas = build_openapi()["components"]["schemas"]
    answers = {name: schema for name, schema in schemas.items() if not name.endswith("Body")}
    for name, schema in answers.items():
        if "properties" in schema:
            assert sorted(schema.get("required", [])) == sorted(schema["properties"]), name
