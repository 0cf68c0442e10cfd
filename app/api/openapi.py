"""The published contract, derived from the routes: `openapi/densemem.json` is this document, committed."""

import json
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from app.api.queries import QueryOf
from app.api.wire.absence import AbsenceBody
from app.api.wire.admin import EraseBody, KeyBody, ProfileBody, TeamBody
from app.api.wire.cases import ResolveConflictBody, ResolveReviewBody
from app.api.wire.catalogue import PredicateBody, PredicateChangesBody
from app.api.wire.dreams import FeedbackBody
from app.api.wire.lifecycle import RetractBody
from app.api.wire.merges import MergeBody, UnmergeBody
from app.api.wire.problem import Problem
from app.api.wire.quarantine import DecideEvidenceBody
from app.api.wire.recall import RecallBody, RecallFeedbackBody
from app.api.wire.remember import RememberBody
from app.api.wire.runs import StartBody
from app.api.wire.settings import InstanceSettingsBody, SettingsBody
from app.api.wire.shapes import Closed

BODIES: Final[tuple[type[Closed], ...]] = (
    *(RememberBody, RecallBody, RecallFeedbackBody, FeedbackBody, StartBody),
    *(PredicateBody, PredicateChangesBody),
    *(RetractBody, DecideEvidenceBody, ResolveConflictBody, ResolveReviewBody, MergeBody, UnmergeBody),
    *(TeamBody, EraseBody, ProfileBody, KeyBody, AbsenceBody, SettingsBody, InstanceSettingsBody),
)
_REFERENCE: Final = "#/components/schemas/{model}"


def describe_routes(app: FastAPI) -> dict[str, Any]:  # An OpenAPI document.
    """Return the OpenAPI document of the application's routes; equal code gives equal text.

    FastAPI knows neither the bodies and queries, which our own dependencies read, nor the problems: they are added
    here.
    """
    document: dict[str, Any] = get_openapi(
        title="Dense-Mem Dreaming",
        version=app.version,
        description="A memory service for AI agents that dreams in a ledger of its own.",
        routes=app.routes,
    )
    _, bodies = models_json_schema([(body, "validation") for body in BODIES], ref_template=_REFERENCE)
    _, problems = models_json_schema([(Problem, "serialization")], ref_template=_REFERENCE)
    schemas = {**document["components"]["schemas"], **bodies["$defs"], **problems["$defs"]}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    for route in app.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            _describe_query(document, route)
    return document


def _describe_query(document: dict[str, Any], route: APIRoute) -> None:
    for read in (one.call for one in route.dependant.dependencies):
        if isinstance(read, QueryOf):
            for method in route.methods or ():
                described = document["paths"][route.path_format][method.lower()]
                others = described.get("parameters", [])
                in_path = [one for one in others if one["in"] == "path"]
                described["parameters"] = [*in_path, *read.describe(), *others[len(in_path) :]]


def write_contract(document: dict[str, Any]) -> str:
    """Return the document as the text that is committed."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
