"""Relationships as rows: every change is one version and one transition, in one statement.

Lock order everywhere: Relationships by id, then Hypotheses. Whoever changes one has locked it (`neighbours`,
`lock_relationships`), so the version in the WHERE clause is a proof of that, not a way to lose quietly.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import VersionMismatch
from app.kernel.ids import is_id
from app.ledger.vocabulary import LIVING, Modality, Polarity, Status, Tier, TransitionEffect


@dataclass(frozen=True, slots=True)
class StoredRelationship:
    """One profile's position as it stands. `valid_from` and `valid_to` are a half-open window, None is open."""

    relationship_id: str
    owner_profile_id: str
    subject_entity_id: str
    predicate_key: str
    predicate_version: int
    object_entity_id: str | None
    object_value_id: str | None
    polarity: Polarity
    modality: Modality
    scope: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    semantic_group_key: str
    target_identity: str
    tier: Tier
    status: Status
    version: int
    eligible_since: datetime | None
    client_comment: str | None

    @property
    def object_id(self) -> str:
        return self.object_entity_id or self.object_value_id or ""

    def overlaps(self, valid_from: datetime | None, valid_to: datetime | None) -> bool:
        """Whether its window and the given one share a moment."""
        starts_before_end = valid_to is None or self.valid_from is None or self.valid_from < valid_to
        ends_after_start = valid_from is None or self.valid_to is None or valid_from < self.valid_to
        return starts_before_end and ends_after_start


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a Relationship, why, and what it means for Hypotheses. None leaves a field as it is.

    `is_assessed` says of a pending candidate whether its latest valid verdict is insufficient. `restarts` counts
    its eligibility from now: something had held it. `reopens` takes the end of its window away. `note` is what
    the actor said about it.
    """

    reason: str
    effect: TransitionEffect
    actor_profile_id: str | None
    tier: Tier | None = None
    status: Status | None = None
    valid_to: datetime | None = None
    modality: Modality | None = None
    is_assessed: bool | None = None
    restarts: bool = False
    reopens: bool = False
    note: str | None = None


def effect_of(before: Status, after: Status) -> TransitionEffect:
    """Return what the change means for Hypotheses; the trigger looks whether a source is really lost."""
    if after == "active":
        return "harmless" if before == "active" else "became_active"
    return "source_lost" if before in LIVING else "harmless"


async def insert_relationship(
    w: Writing, team_id: str, new: StoredRelationship, *, reason: str, effect: TransitionEffect, document: str
) -> None:
    """Store a Relationship as version 1 with its first transition and its search document.

    Its owner is the actor. `eligible_since` counts from now if `new` has any, whatever moment it names.
    """
    await w.execute(
        _INSERT,
        {
            **_identity_params(team_id, new),
            "tier": new.tier,
            "status": new.status,
            "is_eligible": new.eligible_since is not None,
            "reason": reason,
            "effect": effect,
            "body": document,
        },
    )


async def change_relationship(
    w: Writing, team_id: str, stored: StoredRelationship, change: Change
) -> StoredRelationship:
    """Leave the Relationship changed, one version higher, with the transition that says so.

    The transition's effect is carried out by a trigger when the transaction ends.

    Raises:
        VersionMismatch: the row is not locked and somebody else changed it.
    """
    changed = replace(
        stored,
        tier=change.tier or stored.tier,
        status=change.status or stored.status,
        valid_to=None if change.reopens else change.valid_to or stored.valid_to,
        modality=change.modality or stored.modality,
        version=stored.version + 1,
    )
    row = await w.fetch_one(
        _CHANGE,
        {
            "team_id": team_id,
            "id": stored.relationship_id,
            "from_version": stored.version,
            "from_tier": stored.tier,
            "from_status": stored.status,
            "tier": changed.tier,
            "status": changed.status,
            "modality": changed.modality,
            "from_valid_to": stored.valid_to,
            "valid_to": changed.valid_to,
            "is_eligible": _counts_as_eligible(changed, change.is_assessed),
            "restarts": change.restarts,
            "reason": change.reason,
            "note": change.note,
            "effect": change.effect,
            "actor_profile_id": change.actor_profile_id,
        },
    )
    if row is None:
        raise VersionMismatch("The Relationship has changed since it was read.")
    return replace(changed, eligible_since=row["eligible_since"])


async def lock_relationships(w: Writing, team_id: str, ids: Collection[str]) -> list[StoredRelationship]:
    """Lock and return the team's Relationships with these ids, in the order of the ids."""
    rows = await w.fetch_all(_BY_ID_LOCKED, {"team_id": team_id, "ids": sorted(ids)})
    return [read_relationship(row) for row in rows]


async def find_relationships(
    reading: Reading, team_id: str, ids: Collection[str]
) -> list[StoredRelationship]:
    """Return the team's Relationships with these ids, in the order of the ids; any text may be asked for."""
    known_shape = sorted({one for one in ids if is_id(one, "rel")})
    if not known_shape:
        return []
    rows = await reading.fetch_all(_BY_ID, {"team_id": team_id, "ids": known_shape})
    return [read_relationship(row) for row in rows]


def read_relationship(row: Row) -> StoredRelationship:
    """Return the row of `RELATIONSHIP_COLUMNS` as a value."""
    return StoredRelationship(relationship_id=row["id"], **{name: row[name] for name in _FIELDS})


def _counts_as_eligible(changed: StoredRelationship, is_assessed: bool | None) -> bool:
    if changed.status == "active":
        return True
    if changed.status != "pending_evidence" or changed.modality != "statement":
        return False
    return changed.eligible_since is not None if is_assessed is None else is_assessed


def _identity_params(team_id: str, new: StoredRelationship) -> dict[str, object]:
    return {
        "team_id": team_id,
        "id": new.relationship_id,
        "owner_profile_id": new.owner_profile_id,
        "subject_entity_id": new.subject_entity_id,
        "predicate_key": new.predicate_key,
        "predicate_version": new.predicate_version,
        "object_entity_id": new.object_entity_id,
        "object_value_id": new.object_value_id,
        "polarity": new.polarity,
        "modality": new.modality,
        "scope": new.scope,
        "valid_from": new.valid_from,
        "valid_to": new.valid_to,
        "semantic_group_key": new.semantic_group_key,
        "target_identity": new.target_identity,
        "client_comment": new.client_comment,
    }


_FIELDS = (
    *("owner_profile_id", "subject_entity_id", "predicate_key", "predicate_version", "object_entity_id"),
    *("object_value_id", "polarity", "modality", "scope", "valid_from", "valid_to", "semantic_group_key"),
    *("target_identity", "tier", "status", "version", "eligible_since", "client_comment"),
)
RELATIONSHIP_COLUMNS: LiteralString = """
    id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
    object_value_id, polarity, modality, scope, valid_from, valid_to, semantic_group_key, target_identity,
    tier, status, version, eligible_since, client_comment
"""
_BY_ID: LiteralString = (
    "SELECT "
    + RELATIONSHIP_COLUMNS
    + " FROM relationships WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) ORDER BY id"
)
# NO KEY UPDATE, because a Hypothesis that cites a Relationship needs its key only.
_BY_ID_LOCKED: LiteralString = _BY_ID + " FOR NO KEY UPDATE"
_INSERT: LiteralString = """
    WITH inserted AS (
        INSERT INTO relationships (
            team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version,
            object_entity_id, object_value_id, polarity, modality, scope, valid_from, valid_to,
            semantic_group_key, target_identity, tier, status, version, eligible_since, client_comment)
        VALUES (
            %(team_id)s, %(id)s, %(owner_profile_id)s, %(subject_entity_id)s, %(predicate_key)s,
            %(predicate_version)s, %(object_entity_id)s, %(object_value_id)s, %(polarity)s, %(modality)s,
            %(scope)s, %(valid_from)s, %(valid_to)s, %(semantic_group_key)s, %(target_identity)s, %(tier)s,
            %(status)s, 1, CASE WHEN %(is_eligible)s THEN clock_timestamp() END, %(client_comment)s)
    ), documented AS (
        INSERT INTO relationship_documents (team_id, relationship_id, body)
        VALUES (%(team_id)s, %(id)s, %(body)s)
    )
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, to_tier, to_status, to_valid_to, reason, effect, actor_profile_id)
    VALUES (%(team_id)s, %(id)s, 1, %(tier)s, %(status)s, %(valid_to)s, %(reason)s, %(effect)s,
            %(owner_profile_id)s)
"""
_CHANGE: LiteralString = """
    WITH changed AS (
        UPDATE relationships
        SET tier = %(tier)s, status = %(status)s, modality = %(modality)s, valid_to = %(valid_to)s,
            version = version + 1, changed_at = clock_timestamp(),
            eligible_since = CASE WHEN %(is_eligible)s AND %(restarts)s THEN clock_timestamp()
                                  WHEN %(is_eligible)s THEN coalesce(eligible_since, clock_timestamp()) END
        WHERE team_id = %(team_id)s AND id = %(id)s AND version = %(from_version)s
        RETURNING team_id, id, version, eligible_since
    ), noted AS (
        INSERT INTO relationship_transitions
            (team_id, relationship_id, version, from_tier, to_tier, from_status, to_status, from_valid_to,
             to_valid_to, reason, note, effect, actor_profile_id)
        SELECT team_id, id, version, %(from_tier)s, %(tier)s, %(from_status)s, %(status)s, %(from_valid_to)s,
               %(valid_to)s, %(reason)s, %(note)s, %(effect)s, %(actor_profile_id)s
        FROM changed
    )
    SELECT eligible_since FROM changed
"""
