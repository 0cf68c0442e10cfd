"""Placing: what verdicts and supports make of one Relationship. Pure.

Source: Design, section 4, step 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.ledger.evidence.supports import Weight, tier_of
from app.ledger.vocabulary import Status, Tier, Verdict
from app.remember.claim import Judgement
from app.remember.outcomes import Category

# Where entailed evidence brings a Relationship back to life; the other states are held until somebody decides.
_RAISED_BY_SUPPORT: frozenset[Status] = frozenset({"pending_evidence", "active", "retracted", "rejected"})


@dataclass(frozen=True, slots=True)
class JudgedCitation:
    """A citation with its verdict. `counts` is false where its evidence is of a source revision out of date."""

    citation_id: str
    judgement: Judgement
    weight: Weight
    counts: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of the Relationship. `judged` holds the decisive citation last, as the final verdict."""

    tier: Tier
    status: Status
    judged: tuple[JudgedCitation, ...]
    granted: frozenset[str]
    reason: str | None

    @property
    def verdict(self) -> Verdict:
        return self.judged[-1].judgement.verdict

    @property
    def confidence(self) -> float:
        return self.judged[-1].judgement.confidence

    @property
    def is_assessed(self) -> bool:
        """Whether the final verdict is insufficient, on evidence that counts: then a candidate is an input."""
        return self.verdict == "insufficient" and self.judged[-1].counts


def decide_placement(
    citations: Sequence[JudgedCitation],
    *,
    status: Status | None,
    earlier: Mapping[str, Weight],
    write_threshold: float,
) -> Decision:
    """Return tier and status that follow from the citations (at least one) and the earlier effective supports.

    `status` is the Relationship's current one, None for a new one; `earlier` is by citation. `entailed` at or
    above the threshold grants one support per citation. `contradicted` rejects what has no effective support;
    anything else keeps its state. Of several verdicts an entailed one is decisive, then a contradicted one, then
    the most confident.
    """
    granted = frozenset(one.citation_id for one in citations if _is_granted(one, write_threshold))
    weights = dict(earlier)
    weights |= {one.citation_id: one.weight for one in citations if one.citation_id in granted and one.counts}
    tier = tier_of(weights.values())
    judged = tuple(sorted(citations, key=lambda one: _decisiveness(one, write_threshold)))
    has_new_support = any(one.citation_id in granted and one.counts for one in citations)
    return Decision(
        tier=tier,
        status=_status_after(
            status or "pending_evidence",
            tier,
            has_new_support=has_new_support,
            is_contradicted=not granted and judged[-1].judgement.verdict == "contradicted",
        ),
        judged=judged,
        granted=granted,
        reason=_reason(judged[-1], is_granted=bool(granted), has_new_support=has_new_support),
    )


def categorize(tier: Tier, status: Status) -> Category:
    """Return the outcome's category for a Relationship in this state."""
    match status:
        case "active":
            return "relationship_fact" if tier == "fact" else "relationship_validated_claim"
        case "pending_evidence":
            return "relationship_pending_evidence"
        case "rejected" | "retracted":
            return "relationship_rejected"
        case "needs_review" | "superseded" | "disputed" | "quarantined":
            return "relationship_needs_review"


def _status_after(current: Status, tier: Tier, *, has_new_support: bool, is_contradicted: bool) -> Status:
    if tier != "candidate":
        return "active" if has_new_support and current in _RAISED_BY_SUPPORT else current
    return "rejected" if is_contradicted and current == "pending_evidence" else current


def _is_granted(citation: JudgedCitation, write_threshold: float) -> bool:
    judgement = citation.judgement
    return judgement.verdict == "entailed" and judgement.confidence >= write_threshold


def _decisiveness(citation: JudgedCitation, write_threshold: float) -> tuple[int, float, str]:
    if _is_granted(citation, write_threshold):
        rank = 2 if citation.counts else 1
    else:
        rank = 0 if citation.judgement.verdict != "contradicted" else 1
    return (rank, citation.judgement.confidence, citation.citation_id)


def _reason(decisive: JudgedCitation, *, is_granted: bool, has_new_support: bool) -> str | None:
    if has_new_support:
        return None
    if is_granted:
        return "source_revision_not_current"
    if decisive.judgement.verdict == "entailed":
        return "below_write_threshold"
    return decisive.judgement.code or decisive.judgement.verdict
