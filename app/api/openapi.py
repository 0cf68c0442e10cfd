"""The published contract, derived from the routes: `openapi/densemem.json` is this document, committed."""

import json
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

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

    FastAPI knows neither the bodies, which our own dependency reads, nor the problems: their schemas are
    added here.
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
    return document


def write_contract(document: dict[str, Any]) -> str:
    """Return the document as the text that is committed."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
