"""Ledger rows by direct SQL, valid unless a test says otherwise, for tests that are not about `remember`.

Everything is written as the application's role in one transaction a call, as `remember` would leave it. Verdict
and support follow from the tier: an established position has one granted support, which makes a fact by its
authority, a candidate has one insufficient verdict and none.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

from app.kernel.database import Database, Scope, Writing
from app.kernel.ids import new_id
from app.ledger.identity import Edge, digest, semantic_group_key, target_identity
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import (
    EntityKind,
    EvidenceState,
    Modality,
    Polarity,
    Status,
    Tier,
    TransitionEffect,
    ValueType,
    Verdict,
)
from app.tenancy.authority import Authority
from app.tenancy.callers import Caller
from tests import factory_statements as sql
from tests.voices import add_voice

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made:
    """A Relationship that was made, with what a test asks about later."""

    relationship_id: str
    group_key: str
    target_identity: str
    evidence_id: str
    citation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What may be unusual about a Relationship.

    `verdict` None follows the tier; "none" leaves no verdict at all. `has_support` None follows the tier too.
    `source_revision` makes a source of its own with that revision, current or not. No `effect` follows the status,
    no `authority` the tier.
    """

    tier: Tier = "validated_claim"
    status: Status = "active"
    polarity: Polarity = "+"
    modality: Modality = "statement"
    scope: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    verdict: Verdict | Literal["none"] | None = None
    schema_valid: bool = True
    has_support: bool | None = None
    evidence_state: EvidenceState = "active"
    source_revision: str | None = None
    revision_is_current: bool = True
    authority: Authority | None = None
    source_group: str | None = None
    content: str = "As it is written."
    effect: TransitionEffect | None = None


ESTABLISHED = Position()
CANDIDATE = Position(tier="candidate", status="pending_evidence")
ENDED = ("retracted", "rejected")


async def make_entity(
    database: Database,
    caller: Caller,
    name: str,
    *,
    kind: EntityKind = "product",
    aliases: Sequence[str] = (),
) -> str:
    """Store an entity and its names, and return its id."""
    entity_id = new_id("ent")

    async def write(writing: Writing) -> None:
        base = {"team_id": caller.team_id, "id": entity_id}
        await writing.execute(
            sql.ENTITY, base | {"kind": kind, "name": name, "profile_id": caller.profile_id}
        )
        for each in dict.fromkeys((name, *aliases)):
            folded = each.casefold()
            await writing.execute(
                sql.ENTITY_NAME, base | {"name": each, "folded": folded, "is_alias": each != name}
            )

    await _as_app(database, caller, write)
    return entity_id


async def make_value(
    database: Database, caller: Caller, canonical: str, *, value_type: ValueType = "string", unit: str = ""
) -> str:
    """Store a typed value, and return its id."""
    value_id = new_id("val")
    params = {
        "team_id": caller.team_id,
        "id": value_id,
        "value_type": value_type,
        "canonical": canonical,
        "unit": unit,
    }
    await _as_app(database, caller, lambda writing: writing.execute(sql.VALUE, params))
    return value_id


async def make_relationship(
    database: Database,
    caller: Caller,
    subject_id: str,
    predicate_key: str,
    object_id: str,
    position: Position = ESTABLISHED,
) -> Made:
    """Store a Relationship of the caller's with its evidence, citation, verdict, support and first transition."""
    relationship_id, evidence_id, citation_id = new_id("rel"), new_id("evd"), new_id("cit")

    async def write(writing: Writing) -> Made:
        predicate = (await list_predicates(writing, caller.team_id))[predicate_key]
        edge = Edge(subject_id, predicate_key, object_id)
        group_key = semantic_group_key(
            caller.team_id, edge, predicate, polarity=position.polarity, scope=position.scope
        )
        identity = target_identity(edge, predicate)
        is_candidate = position.tier == "candidate"
        params: dict[str, object] = {
            "team_id": caller.team_id,
            "id": relationship_id,
            "profile_id": caller.profile_id,
            "subject_id": subject_id,
            "predicate_key": predicate_key,
            "predicate_version": predicate.version,
            "object_entity_id": object_id if object_id.startswith("ent_") else None,
            "object_value_id": object_id if object_id.startswith("val_") else None,
            "polarity": position.polarity,
            "modality": position.modality,
            "scope": position.scope,
            "valid_from": position.valid_from,
            "valid_to": position.valid_to,
            "group_key": group_key,
            "target_identity": identity,
            "tier": position.tier,
            "status": position.status,
            "evidence_id": evidence_id,
            "citation_id": citation_id,
            "content": position.content,
            "content_digest": digest(position.content),
            "authority": position.authority or ("authoritative" if position.tier == "fact" else "primary"),
            "source_group": position.source_group or caller.profile_id,
            "evidence_state": position.evidence_state,
            "source_id": None if position.source_revision is None else new_id("src"),
            "source_revision": position.source_revision,
            "is_current": position.revision_is_current,
            "verification_id": new_id("ver"),
            "verdict": position.verdict or ("insufficient" if is_candidate else "entailed"),
            "schema_valid": position.schema_valid,
            "effect": position.effect or ("became_active" if position.status == "active" else "harmless"),
        }
        if position.source_revision is not None:
            await writing.execute(sql.SOURCE, params)
            await writing.execute(sql.REVISION, params)
        await writing.execute(sql.EVIDENCE, params)
        await writing.execute(sql.CITATION, params)
        await writing.execute(sql.RELATIONSHIP, params)
        if position.verdict != "none":
            await writing.execute(sql.VERDICT, params)
        # What has ended has lost its support.
        is_supported = not is_candidate and position.status not in ENDED
        if position.has_support if position.has_support is not None else is_supported:
            await writing.execute(sql.SUPPORT, params)
            await writing.execute(sql.SUPPORT_EVENT, params)
        await writing.execute(sql.FIRST_TRANSITION, params)
        return Made(relationship_id, group_key, identity, evidence_id, citation_id)

    return await _as_app(database, caller, write)


async def change_relationship(
    database: Database,
    caller: Caller,
    relationship_id: str,
    *,
    status: Status | None = None,
    tier: Tier | None = None,
    valid_to: datetime | None = None,
    effect: TransitionEffect | None = None,
) -> None:
    """Raise the version of a Relationship, with its transition; nothing given leaves all as it is.

    What becomes a fact, or active, gets an authoritative support for it; what is retracted or rejected loses all,
    and gets none.
    No `effect` follows the status.
    """
    await _as_app(
        database,
        caller,
        lambda writing: change_within(
            writing, caller, relationship_id, status=status, tier=tier, valid_to=valid_to, effect=effect
        ),
    )


async def change_within(
    writing: Writing,
    caller: Caller,
    relationship_id: str,
    *,
    status: Status | None = None,
    tier: Tier | None = None,
    valid_to: datetime | None = None,
    effect: TransitionEffect | None = None,
) -> None:
    """Do what `change_relationship` does within a transaction that the test holds open."""
    params: dict[str, object] = {
        "team_id": caller.team_id,
        "id": relationship_id,
        "status": status,
        "tier": tier,
        "valid_to": valid_to,
        "effect": effect,
    }
    await writing.execute(sql.CHANGE, params)
    standing = await writing.fetch_one(sql.STANDING, params)
    assert standing is not None
    if standing["status"] in ENDED:
        await writing.execute(sql.REVOKE, params)
    elif tier == "fact" or status == "active":
        await add_voice(writing, caller, relationship_id)


async def _as_app(database: Database, caller: Caller, work: Callable[[Writing], Awaitable[T]]) -> T:
    return await database.unit_of_work(Scope("app", caller.team_id), work)
