"""Reading back where a submission landed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, LiteralString

from app.kernel.database import Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import EvidenceState, Status, Tier, Verdict
from app.remember.examine import describe_misfit
from app.remember.outcomes import Category, ProcessingState
from app.remember.reasons import explain_reason
from app.remember.resolve import find_known
from app.remember.review_choices import apply_choices, read_choices
from app.remember.submission import from_stored

_STANDS_ON_OTHERS: Final = "It is known from other evidence, and this adds nothing to it."


@dataclass(frozen=True, slots=True)
class PlacedEvidence:
    """One evidence item of the submission, by its index in it."""

    evidence_index: int
    evidence_id: str
    state: EvidenceState


@dataclass(frozen=True, slots=True)
class RelationshipOutcome:
    """Where one proposal landed. All but `proposal_id` is None while it waits.

    `misfit` is the sentence about an end whose kind the predicate does not take, where it was looked up.
    """

    proposal_id: str
    relationship_id: str | None
    category: Category | None
    tier: Tier | None
    status: Status | None
    verdict: Verdict | None
    confidence: float | None
    reason: str | None
    review_id: str | None
    predicate_options: tuple[str, ...]
    misfit: str | None = None

    @property
    def message(self) -> str | None:
        """What the reason means and what to do; it holds no evidence text.

        The category is the Relationship's, the reason the citation's: what is known already stays so beside it.
        """
        if self.reason is None:
            return None
        message = explain_reason(self.reason, misfit=self.misfit)
        stands_on_others = self.status == "active" and not self.reason.startswith("review_")
        return f"{_STANDS_ON_OTHERS} {message}" if message and stands_on_others else message


@dataclass(frozen=True, slots=True)
class Placement:
    """One submission. Lists are in the order of the submission; `attempt` counts tries that ended badly."""

    ingest_id: str
    processing_state: ProcessingState
    attempt: int
    evidence: tuple[PlacedEvidence, ...]
    relationship_outcomes: tuple[RelationshipOutcome, ...]
    errors: tuple[Mapping[str, object], ...]


async def get_placement(reading: Reading, team_id: str, ingest_id: str) -> Placement:
    """Return the submission's placement as it stands.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    params = {"team_id": team_id, "ingest_id": ingest_id}
    ingest = await reading.fetch_one(_INGEST, params) if is_id(ingest_id, "ing") else None
    if ingest is None:
        raise NotFound("No such ingest.")
    evidence = await reading.fetch_all(_EVIDENCE, params)
    outcomes = [outcome_of(row) for row in await reading.fetch_all(_OUTCOMES, params)]
    if any(one.reason == "endpoint_kind_invalid" for one in outcomes):
        misfits = await _find_misfits(reading, team_id, ingest_id, ingest["proposal"])
        outcomes = [replace(one, misfit=misfits[one.proposal_id]) for one in outcomes]
    return Placement(
        ingest_id=ingest_id,
        processing_state=ingest["processing_state"],
        attempt=ingest["attempt"],
        evidence=tuple(PlacedEvidence(**row) for row in evidence),
        relationship_outcomes=tuple(outcomes),
        errors=tuple(ingest["errors"]),
    )


async def _find_misfits(
    reading: Reading, team_id: str, ingest_id: str, stored: Mapping[str, object]
) -> dict[str, str | None]:
    """Return by proposal which end has a kind that its predicate does not take, as the ledger stands now."""
    choices = await read_choices(reading, team_id, ingest_id)
    entities, proposals = apply_choices(*from_stored(stored), choices)
    known = await find_known(reading, team_id, entities)
    predicates = await list_predicates(reading, team_id)
    return {one.proposal_id: describe_misfit(one, known, predicates) for one in proposals}


def outcome_of(row: Row) -> RelationshipOutcome:
    """Return the outcome in a row of `OUTCOME_COLUMNS`."""
    return RelationshipOutcome(predicate_options=tuple(row.pop("predicate_options")), **row)


OUTCOME_COLUMNS: LiteralString = """
    proposal_id, relationship_id, category, tier, status, verdict, confidence, reason, review_id, predicate_options
"""
_INGEST: LiteralString = """
    SELECT ingests.processing_state, ingests.errors, ingests.proposal, coalesce(item.attempt, 0) AS attempt
    FROM ingests LEFT JOIN work_items AS item
      ON item.team_id = ingests.team_id AND item.kind = 'placement' AND item.item_id = ingests.id
    WHERE ingests.team_id = %(team_id)s AND ingests.id = %(ingest_id)s
"""
_EVIDENCE: LiteralString = """
    SELECT item.evidence_index, item.evidence_id, evidence.state
    FROM ingest_evidence AS item
    JOIN evidence ON evidence.team_id = item.team_id AND evidence.id = item.evidence_id
    WHERE item.team_id = %(team_id)s AND item.ingest_id = %(ingest_id)s
    ORDER BY item.evidence_index
"""
_OUTCOMES: LiteralString = f"""
    SELECT {OUTCOME_COLUMNS} FROM placement_outcomes
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s ORDER BY position
"""
