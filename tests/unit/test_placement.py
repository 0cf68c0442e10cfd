"""What verdicts and supports make of one Relationship."""

from typing import get_args

import pytest

from app.ledger.evidence.supports import Weight, tier_of
from app.ledger.vocabulary import Status, Tier, Verdict
from app.remember.claim import Judgement
from app.remember.outcomes import Category
from app.remember.placement import Decision, JudgedCitation, categorize, decide_placement
from app.tenancy.authority import Authority


def weight(
    group: str = "docs", authority: Authority = "primary", profile: str = "p", text: str | None = None
) -> Weight:
    return Weight(profile, group, authority, counted_text=text or f"text of {group}")


def cited(
    verdict: Verdict,
    confidence: float = 0.9,
    *,
    citation: str = "c1",
    weighs: Weight | None = None,
    counts: bool = True,
) -> JudgedCitation:
    return JudgedCitation(
        citation, Judgement(verdict, confidence, "", f"code_{verdict}"), weighs or weight(), counts
    )


def decide(
    *citations: JudgedCitation, status: Status | None = None, earlier: dict[str, Weight] | None = None
) -> Decision:
    return decide_placement(citations, status=status, earlier=earlier or {}, write_threshold=0.6)


@pytest.mark.parametrize(
    ("weights", "tier"),
    [
        ([], "candidate"),
        ([weight()], "validated_claim"),
        ([weight(), weight()], "validated_claim"),
        ([weight("docs"), weight("wiki")], "fact"),
        ([weight("docs", text="same"), weight("wiki", text="same")], "validated_claim"),
        ([weight("docs", text="one"), weight("docs", text="other")], "validated_claim"),
        ([weight(profile="a", text="same"), weight(profile="b", text="same")], "fact"),
        ([weight(profile="a"), weight(profile="b")], "fact"),
        ([weight(authority="authoritative")], "fact"),
        ([weight(authority="unknown")], "validated_claim"),
    ],
)
def test_tier_follows_from_effective_supports(weights: list[Weight], tier: Tier) -> None:
    assert tier_of(weights) == tier


def test_threshold_itself_grants_a_support() -> None:
    assert decide(cited("entailed", 0.6)).granted == {"c1"}
    assert decide(cited("entailed", 0.599)).granted == frozenset()


def test_one_entailed_citation_outweighs_the_others() -> None:
    decision = decide(
        cited("contradicted", 1.0, citation="c1"),
        cited("entailed", 0.7, citation="c2"),
        cited("insufficient", 1.0, citation="c3"),
    )
    assert (decision.status, decision.verdict) == ("active", "entailed")
    assert decision.granted == {"c2"}
    assert decision.judged[-1].citation_id == "c2"


def test_contradiction_outweighs_what_is_insufficient() -> None:
    decision = decide(cited("insufficient", 1.0), cited("contradicted", 0.7, citation="c2"))
    assert (decision.status, decision.verdict, decision.reason) == (
        "rejected",
        "contradicted",
        "code_contradicted",
    )


@pytest.mark.parametrize("verdict", ["insufficient", "contradicted"])
def test_supported_relationship_keeps_its_state(verdict: Verdict) -> None:
    decision = decide(cited(verdict), status="active", earlier={"old": weight()})
    assert (decision.tier, decision.status) == ("validated_claim", "active")


@pytest.mark.parametrize("status", ["superseded", "needs_review", "disputed", "quarantined"])
def test_support_does_not_free_what_is_held(status: Status) -> None:
    assert decide(cited("entailed"), status=status).status == status


@pytest.mark.parametrize("status", ["pending_evidence", "retracted", "rejected"])
def test_support_makes_the_others_active(status: Status) -> None:
    assert decide(cited("entailed"), status=status).status == "active"


def test_retracted_relationship_needs_new_support() -> None:
    decision = decide(cited("insufficient"), status="retracted", earlier={"old": weight()})
    assert decision.status == "retracted"


def test_support_out_of_an_old_revision_does_not_count() -> None:
    decision = decide(cited("entailed", counts=False))
    assert (decision.tier, decision.status) == ("candidate", "pending_evidence")
    assert decision.granted == {"c1"}
    assert decision.reason == "source_revision_not_current"
    assert not decide(cited("insufficient", counts=False)).is_assessed


def test_only_a_final_insufficient_verdict_makes_an_assessed_candidate() -> None:
    assert decide(cited("insufficient")).is_assessed
    assert not decide(cited("entailed", 0.1)).is_assessed
    assert not decide(cited("contradicted")).is_assessed


def test_nothing_without_effective_support_is_ever_active() -> None:
    for status in get_args(Status):
        for verdict in get_args(Verdict):
            decision = decide(cited(verdict, 0.5), status=None if status == "active" else status)
            assert decision.status != "active"


def test_every_state_has_a_category() -> None:
    categories = {categorize(tier, status) for tier in get_args(Tier) for status in get_args(Status)}
    assert categories < set(get_args(Category))
    assert categorize("fact", "active") == "relationship_fact"
    assert categorize("validated_claim", "active") == "relationship_validated_claim"
