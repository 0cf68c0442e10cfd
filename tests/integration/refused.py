"""Submissions that are refused, each with the field and the code that name the fault."""

from dataclasses import replace
from datetime import UTC, datetime

from app.remember.submission import (
    CitedSpan,
    Submission,
    ValueProposal,
)
from tests.integration.submissions import (
    state,
)

GOOD = state("FastAPI", "depends_on", "Starlette")


def with_proposal(**changes: object) -> Submission:
    return replace(GOOD, relationships=(replace(GOOD.relationships[0], **changes),))  # type: ignore[arg-type]  # Wrong on purpose.


def with_evidence(**changes: object) -> Submission:
    return replace(GOOD, evidence=(replace(GOOD.evidence[0], **changes),))  # type: ignore[arg-type]  # Wrong on purpose.


def with_entity(**changes: object) -> Submission:
    return replace(GOOD, entities=(replace(GOOD.entities[0], **changes), GOOD.entities[1]))  # type: ignore[arg-type]  # Wrong on purpose.


def spans(*pairs: tuple[int, int]) -> tuple[CitedSpan, ...]:
    return tuple(CitedSpan(0, start, end) for start, end in pairs)


DEEP: object = []
for _ in range(100_000):
    DEEP = [DEEP]


REFUSED = [
    (replace(GOOD, evidence=()), "evidence", "too_few"),
    (replace(GOOD, evidence=GOOD.evidence * 21), "evidence", "too_many"),
    (with_evidence(content=" \n"), "evidence.0.content", "blank"),
    (with_evidence(content="x" * 4001), "evidence.0.content", "too_long"),
    (with_evidence(content="a\0b"), "evidence.0.content", "text_malformed"),
    (with_evidence(content="a\ud800b"), "evidence.0.content", "text_malformed"),
    (with_evidence(source_type="rumour"), "evidence.0.source_type", "unknown_word"),
    (with_evidence(authority="divine"), "evidence.0.authority", "unknown_word"),
    (with_evidence(source_revision="2"), "evidence.0.source_revision", "source_key_missing"),
    (with_evidence(labels=("x" * 65,)), "evidence.0.labels.0", "too_long"),
    (with_evidence(metadata={"x": "y" * 9000}), "evidence.0.metadata", "too_long"),
    (with_evidence(metadata={"x": float("nan")}), "evidence.0.metadata", "malformed"),
    (with_evidence(metadata={"x": DEEP}), "evidence.0.metadata", "malformed"),
    (with_evidence(metadata={"x\0": 1}), "evidence.0.metadata", "text_malformed"),
    (with_entity(name=""), "proposal.entities.0.name", "blank"),
    (with_entity(name="x" * 257), "proposal.entities.0.name", "too_long"),
    (with_entity(ref="o"), "proposal.entities.0.ref", "repeated"),
    (with_entity(entity_kind="robot"), "proposal.entities.0.entity_kind", "unknown_word"),
    (with_entity(aliases=("x",) * 21), "proposal.entities.0.aliases", "too_many"),
    (with_proposal(subject_ref="z"), "proposal.relationships.0.subject_ref", "unknown_ref"),
    (with_proposal(object_ref="z"), "proposal.relationships.0.object_ref", "unknown_ref"),
    (with_proposal(object_ref=None), "proposal.relationships.0.object_ref", "object_form_invalid"),
    (
        with_proposal(object_value=ValueProposal("number", 1)),
        "proposal.relationships.0.object_ref",
        "object_form_invalid",
    ),
    (
        with_proposal(object_ref=None, object_value=ValueProposal("number", "1")),
        "proposal.relationships.0.object_value.value",
        "value_type_mismatch",
    ),
    (with_proposal(polarity="?"), "proposal.relationships.0.polarity", "unknown_word"),
    (with_proposal(modality="rumour"), "proposal.relationships.0.modality", "unknown_word"),
    (with_proposal(scope=" "), "proposal.relationships.0.scope", "blank"),
    (with_proposal(evidence=()), "proposal.relationships.0.evidence", "evidence_missing"),
    (with_proposal(evidence=spans((0, 99))), "proposal.relationships.0.evidence.0.end", "out_of_range"),
    (with_proposal(evidence=spans((5, 5))), "proposal.relationships.0.evidence.0.end", "out_of_range"),
    (with_proposal(evidence=spans((-1, 5))), "proposal.relationships.0.evidence.0.start", "out_of_range"),
    (with_proposal(evidence=spans((0, 5), (3, 9))), "proposal.relationships.0.evidence", "spans_overlap"),
    (
        with_proposal(evidence=spans(*((i, i + 1) for i in range(5)))),
        "proposal.relationships.0.evidence",
        "too_many",
    ),
    (with_proposal(evidence=spans((7, 8))), "proposal.relationships.0.evidence.0", "blank"),
    (
        with_proposal(evidence=(CitedSpan(1, 0, 1),)),
        "proposal.relationships.0.evidence.0.evidence_index",
        "out_of_range",
    ),
    (
        with_proposal(valid_from=datetime(2024, 1, 1)),  # noqa: DTZ001  # Naive on purpose.
        "proposal.relationships.0.valid_from",
        "time_zone_missing",
    ),
    (
        with_proposal(valid_from=datetime(2024, 1, 1, tzinfo=UTC), valid_to=datetime(2024, 1, 1, tzinfo=UTC)),
        "proposal.relationships.0.valid_to",
        "window_empty",
    ),
    (
        replace(GOOD, relationships=GOOD.relationships * 2),
        "proposal.relationships.1.proposal_id",
        "repeated",
    ),
]
