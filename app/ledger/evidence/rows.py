"""Evidence and citations as rows. Evidence is immutable but for its state; only its submitter cites it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import LiteralString

from psycopg.types.json import Jsonb

from app.kernel.database import Reading, Row, Writing
from app.kernel.ids import new_id
from app.ledger.identity import digest
from app.ledger.vocabulary import EvidenceState, SourceType, Span
from app.tenancy.authority import Authority


@dataclass(frozen=True, slots=True)
class EvidenceDraft:
    """What evidence is stored from; `authority` is capped already. With a reason it is stored quarantined."""

    content: str
    source_type: SourceType
    authority: Authority
    source_group: str
    source_id: str | None = None
    source_revision: str | None = None
    supersedes_evidence_ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    metadata: dict[str, object] | None = None
    quarantine_reason: str | None = None


@dataclass(frozen=True, slots=True)
class CitationDraft:
    """Spans of one evidence item, in reading order."""

    evidence_id: str
    spans: tuple[Span, ...]
    quote: str


@dataclass(frozen=True, slots=True)
class EvidenceStanding:
    """What one evidence item weighs now; `is_current` is about its source revision.

    `source_group` and `counted_text` are what it counts as: see `supports.tier_of`.
    """

    profile_id: str
    authority: Authority
    source_group: str
    counted_text: str
    state: EvidenceState
    is_current: bool


async def insert_evidence(
    w: Writing, team_id: str, profile_id: str, drafts: Sequence[EvidenceDraft]
) -> list[str]:
    """Store the items as evidence of the profile and return their ids, in the drafts' order."""
    ids = [new_id("evd") for _ in drafts]
    rows: list[dict[str, object]] = [
        {
            "team_id": team_id,
            "id": evidence_id,
            "profile_id": profile_id,
            "content": draft.content,
            "content_digest": digest(draft.content),
            "source_type": draft.source_type,
            "authority": draft.authority,
            "source_group": draft.source_group,
            "source_id": draft.source_id,
            "source_revision": draft.source_revision,
            "supersedes_evidence_ids": list(draft.supersedes_evidence_ids),
            "labels": list(draft.labels),
            "metadata": Jsonb(draft.metadata or {}),
            "state": "active" if draft.quarantine_reason is None else "quarantined",
            "quarantine_reason": draft.quarantine_reason,
        }
        for evidence_id, draft in zip(ids, drafts, strict=True)
    ]
    await w.execute_many(_INSERT, list(rows))
    return ids


async def insert_citations(w: Writing, team_id: str, drafts: Collection[CitationDraft]) -> None:
    """Store the citations; the same spans of the same item are one citation."""
    distinct = dict.fromkeys(drafts)
    if distinct:
        await w.execute_many(
            _INSERT_CITATION,
            [
                {
                    "team_id": team_id,
                    "id": new_id("cit"),
                    "evidence_id": draft.evidence_id,
                    "starts": [span.start for span in draft.spans],
                    "ends": [span.end for span in draft.spans],
                    "quote": draft.quote,
                }
                for draft in distinct
            ],
        )


async def find_citations(
    reading: Reading, team_id: str, evidence_ids: Collection[str]
) -> dict[tuple[str, tuple[Span, ...]], str]:
    """Return the ids of all citations of these evidence items, by item and spans."""
    rows = await reading.fetch_all(_CITATIONS, {"team_id": team_id, "evidence_ids": list(evidence_ids)})
    return {(row["evidence_id"], read_spans(row)): row["id"] for row in rows}


async def lock_evidence(w: Writing, team_id: str, ids: Collection[str]) -> dict[str, EvidenceStanding]:
    """Return what each item weighs; none of it is retracted or replaced until the transaction ends."""
    rows = await w.fetch_all(_LOCK, {"team_id": team_id, "ids": sorted(ids)})
    return {
        row["id"]: EvidenceStanding(
            profile_id=row["profile_id"],
            authority=row["authority"],
            source_group=row["source_group"],
            counted_text=row["counted_text"],
            state=row["state"],
            is_current=row["is_current"],
        )
        for row in rows
    }


def read_spans(row: Row) -> tuple[Span, ...]:
    """Return the spans of a row with the columns `starts` and `ends`."""
    return tuple(Span(start, end) for start, end in zip(row["starts"], row["ends"], strict=True))


_INSERT: LiteralString = """
    INSERT INTO evidence (team_id, id, profile_id, content, content_digest, source_type, authority,
        source_group, source_id, source_revision, supersedes_evidence_ids, labels, metadata, state,
        quarantine_reason)
    VALUES (%(team_id)s, %(id)s, %(profile_id)s, %(content)s, %(content_digest)s, %(source_type)s,
        %(authority)s, %(source_group)s, %(source_id)s, %(source_revision)s, %(supersedes_evidence_ids)s,
        %(labels)s, %(metadata)s, %(state)s, %(quarantine_reason)s)
"""
_INSERT_CITATION: LiteralString = """
    INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)
    VALUES (%(team_id)s, %(id)s, %(evidence_id)s, %(starts)s, %(ends)s, %(quote)s)
    ON CONFLICT (team_id, evidence_id, starts, ends) DO NOTHING
"""
_CITATIONS: LiteralString = """
    SELECT id, evidence_id, starts, ends FROM citations
    WHERE team_id = %(team_id)s AND evidence_id = ANY (%(evidence_ids)s)
"""
# Two locked reads, because the optional side of an outer join can't be locked.
_LOCK: LiteralString = """
    WITH item AS (
        SELECT id, profile_id, authority, source_id, source_revision, state,
               counted_text(evidence) AS counted_text, counted_group(evidence) AS source_group
        FROM evidence WHERE team_id = %(team_id)s AND id = ANY (%(ids)s)
        ORDER BY id FOR SHARE
    ), revision AS (
        SELECT source_id, revision, is_current FROM source_revisions
        WHERE team_id = %(team_id)s
          AND (source_id, revision) IN (SELECT source_id, source_revision FROM item)
        FOR SHARE
    )
    SELECT item.id, item.profile_id, item.authority, item.source_group, item.counted_text, item.state,
           coalesce(revision.is_current, true) AS is_current
    FROM item LEFT JOIN revision
      ON revision.source_id = item.source_id AND revision.revision = item.source_revision
"""
