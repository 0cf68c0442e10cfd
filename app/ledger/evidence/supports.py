"""What stands behind a Relationship: verdicts, granted supports, and the tier that follows from them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Reading, Writing
from app.kernel.ids import new_id
from app.ledger.vocabulary import Tier, Verdict
from app.tenancy.authority import Authority


@dataclass(frozen=True, slots=True)
class Weight:
    """What one effective support counts: whose evidence, out of which group, how strong, in which words."""

    profile_id: str
    source_group: str
    authority: Authority
    counted_text: str


@dataclass(frozen=True, slots=True)
class VerdictDraft:
    """A schema-valid verdict on one citation; `is_granted` says whether it makes a support."""

    citation_id: str
    verdict: Verdict
    confidence: float
    rationale: str
    verifier_kind: str
    verifier_version: str
    is_granted: bool


def tier_of(weights: Collection[Weight]) -> Tier:
    """Return the tier of effective supports.

    None is a candidate; one authoritative, or two of distinct (profile, source group), make a fact; anything
    between is a validated claim. One text that a profile sends under two groups is still one voice, whatever its
    spaces, case and punctuation, and so are all manual and conversation texts of a profile that have no source
    key: their groups are names that it made up. Placing asks it before anything is stored; of what is stored the
    function `supported_tier` of the database says the same, and holds every commit to it.
    Source: Design, section 4, step 6.
    """
    if not weights:
        return "candidate"
    by_profile: dict[str, list[Weight]] = {}
    for weight in weights:
        by_profile.setdefault(weight.profile_id, []).append(weight)
    voices = sum(
        min(len({one.source_group for one in own}), len({one.counted_text for one in own}))
        for own in by_profile.values()
    )
    is_fact = voices >= 2 or any(weight.authority == "authoritative" for weight in weights)
    return "fact" if is_fact else "validated_claim"


async def weigh_supports(reading: Reading, team_id: str, relationship_id: str) -> Tier:
    """Return the tier that the stored supports of a Relationship carry, as the database counts at commit."""
    row = await reading.fetch_one(_WEIGH, {"team_id": team_id, "relationship_id": relationship_id})
    assert row is not None
    tier: Tier = row["tier"]
    return tier


async def effective_weights(reading: Reading, team_id: str, relationship_id: str) -> dict[str, Weight]:
    """Return the effective supports of a Relationship, by citation."""
    rows = await reading.fetch_all(_EFFECTIVE, {"team_id": team_id, "relationship_id": relationship_id})
    return {
        row["citation_id"]: Weight(
            row["profile_id"], row["source_group"], row["authority"], row["counted_text"]
        )
        for row in rows
    }


async def record_verdicts(
    w: Writing, team_id: str, relationship_id: str, verdicts: Sequence[VerdictDraft], *, profile_id: str
) -> None:
    """Store one VerificationEvent per verdict and grant a support for each that says so.

    A support that was granted before stays, and is the position's own from now on if a merge had lent it; one that
    was revoked is reinstated.
    """
    if not verdicts:
        return
    granted = list(dict.fromkeys(verdict.citation_id for verdict in verdicts if verdict.is_granted))
    await w.execute(
        _RECORD,
        {
            "team_id": team_id,
            "relationship_id": relationship_id,
            "profile_id": profile_id,
            "ids": [new_id("ver") for _ in verdicts],
            "citations": [verdict.citation_id for verdict in verdicts],
            "verdicts": [verdict.verdict for verdict in verdicts],
            "confidences": [verdict.confidence for verdict in verdicts],
            "rationales": [verdict.rationale for verdict in verdicts],
            "kinds": [verdict.verifier_kind for verdict in verdicts],
            "versions": [verdict.verifier_version for verdict in verdicts],
            "granted": granted,
        },
    )


async def revoke_supports(
    w: Writing, team_id: str, relationship_id: str, *, reason: str, profile_id: str
) -> list[str]:
    """Leave no support of the Relationship granted; return the citations that lost theirs."""
    params = {
        "team_id": team_id,
        "relationship_id": relationship_id,
        "reason": reason,
        "profile_id": profile_id,
    }
    return [row["citation_id"] for row in await w.fetch_all(_REVOKE, params)]


_WEIGH: LiteralString = "SELECT supported_tier(%(team_id)s, %(relationship_id)s) AS tier"
_EFFECTIVE: LiteralString = """
    SELECT support.citation_id, support.profile_id, support.authority, counted_text(evidence) AS counted_text,
           counted_group(evidence) AS source_group
    FROM effective_supports AS support
    JOIN evidence ON evidence.team_id = support.team_id AND evidence.id = support.evidence_id
    WHERE support.team_id = %(team_id)s AND support.relationship_id = %(relationship_id)s
"""
# All parts see the table as it was before, so `earlier` is what a support was until now.
_RECORD: LiteralString = """
    WITH judged AS (
        INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence,
            schema_valid, verifier_kind, verifier_version, rationale)
        SELECT %(team_id)s, id, %(relationship_id)s, citation_id, verdict, confidence, true, kind, version,
               rationale
        FROM unnest(%(ids)s::text[], %(citations)s::text[], %(verdicts)s::text[], %(confidences)s::float8[],
                    %(kinds)s::text[], %(versions)s::text[], %(rationales)s::text[])
             AS draft (id, citation_id, verdict, confidence, kind, version, rationale)
    ), earlier AS (
        SELECT citation_id, is_granted FROM supports
        WHERE team_id = %(team_id)s AND relationship_id = %(relationship_id)s
    ), granted AS (
        INSERT INTO supports (team_id, relationship_id, citation_id, is_granted)
        SELECT %(team_id)s, %(relationship_id)s, citation_id, true
        FROM unnest(%(granted)s::text[]) AS citation_id
        ON CONFLICT (team_id, relationship_id, citation_id) DO UPDATE SET is_granted = true, is_own = true
            WHERE NOT (supports.is_granted AND supports.is_own)
        RETURNING citation_id
    )
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason, actor_profile_id)
    SELECT %(team_id)s, %(relationship_id)s, granted.citation_id,
           CASE WHEN earlier.citation_id IS NULL THEN 'granted' ELSE 'reinstated' END,
           'entailed', %(profile_id)s
    FROM granted LEFT JOIN earlier USING (citation_id)
    WHERE earlier.is_granted IS NOT TRUE
"""
_REVOKE: LiteralString = """
    WITH revoked AS (
        UPDATE supports SET is_granted = false
        WHERE team_id = %(team_id)s AND relationship_id = %(relationship_id)s AND is_granted
        RETURNING citation_id
    )
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason, actor_profile_id)
    SELECT %(team_id)s, %(relationship_id)s, citation_id, 'revoked', %(reason)s, %(profile_id)s FROM revoked
    RETURNING citation_id
"""
