"""Supports of positions by direct SQL: one citation of one evidence item, entailed and granted."""

from dataclasses import dataclass
from typing import Final

from app.kernel.database import Writing
from app.kernel.ids import new_id
from app.ledger.identity import digest
from app.ledger.vocabulary import EvidenceState
from app.tenancy.authority import Authority
from app.tenancy.callers import Caller
from tests import factory_statements as sql


@dataclass(frozen=True, slots=True)
class Voice:
    """What is said for a position, by whom, and whether it counts."""

    content: str
    authority: Authority
    source_group: str
    evidence_state: EvidenceState = "active"


AUTHORITY: Final = Voice("As the authority has it.", "authoritative", "authority")


async def add_voice(writing: Writing, caller: Caller, relationship_id: str, voice: Voice = AUTHORITY) -> None:
    """Leave the caller's position supported by the voice as well; its tier stays."""
    params: dict[str, object] = {
        "team_id": caller.team_id,
        "id": relationship_id,
        "profile_id": caller.profile_id,
        "evidence_id": new_id("evd"),
        "citation_id": new_id("cit"),
        "verification_id": new_id("ver"),
        "content": voice.content,
        "content_digest": digest(voice.content),
        "authority": voice.authority,
        "source_group": voice.source_group,
        "source_id": None,
        "source_revision": None,
        "evidence_state": voice.evidence_state,
        "verdict": "entailed",
        "schema_valid": True,
    }
    for statement in (sql.EVIDENCE, sql.CITATION, sql.VERDICT, sql.SUPPORT, sql.SUPPORT_EVENT):
        await writing.execute(statement, params)
