"""Reading the ledger of guesses: one page of it, or one Hypothesis whole."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, LiteralString, NoReturn

from app.hypotheses.explanation import CONDITION_FAULTS, explain, find_obstacles
from app.hypotheses.record import (
    HypothesisDetail,
    HypothesisEventRecord,
    HypothesisFilter,
    HypothesisSummary,
    Premise,
    Sort,
)
from app.hypotheses.statements import EVENTS, HYPOTHESIS, PREMISES, page_query
from app.kernel.database import Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.kernel.pages import Page, decode_cursor, encode_cursor, refuse_cursor
from app.ledger.predicates.phrases import negated_statement, statement

MAX_EVENTS: Final = 200
MAX_COUNT: Final = 2**31
_OPERATION: Final = "list_dreams"


async def list_hypotheses(
    reading: Reading,
    team_id: str,
    profile_id: str,
    wanted: HypothesisFilter,
    *,
    sort: Sort = "newest",
    limit: int = 20,
    cursor: str | None = None,
) -> Page[HypothesisSummary]:
    """Return one page of the team's Hypotheses.

    Args:
        profile_id: whose review queue `sort="review"` is: proposed, reinforced and stale ones that this
            profile gave no feedback on, most source Relationships first, then newest.
        sort: "newest" by (created_at, id), so concurrent inserts neither repeat nor hide a row; "likelihood"
            best first. The order is total in each.
        limit: 1..100.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    # What it is filtered by, flat as it is: copying all that is in there takes as long as half of the rows.
    given = {name: getattr(wanted, name) for name in HypothesisFilter.__slots__}
    filters: dict[str, object] = {**given, "sort": sort, "team_id": team_id}
    if sort == "review":
        filters["profile_id"] = profile_id
    position = None if cursor is None else _position(cursor, sort, filters)
    params = given | {
        "statuses": list(wanted.statuses),
        "team_id": team_id,
        "profile_id": profile_id,
        "limit": limit + 1,
    }
    rows = await reading.fetch_all(page_query(wanted, sort, after=position), params | (position or {}))
    next_cursor = None
    if len(rows) > limit:
        next_cursor = encode_cursor(_OPERATION, filters, _place(rows[limit - 1], sort))
    return Page(tuple(summary_of(row) for row in rows[:limit]), next_cursor)


async def get_hypothesis(
    reading: Reading, team_id: str, hypothesis_id: str, *beside: LiteralString
) -> tuple[HypothesisDetail, list[list[Row]]]:
    """Return everything about one Hypothesis: its explanation in names, whether it is current, its events.

    `beside` is what else is asked of it in the same round trip; the rows of each come second.

    Raises:
        NotFound: malformed, missing or another team's.
    """
    if not is_id(hypothesis_id, "hyp"):
        refuse_unknown()
    params = {"team_id": team_id, "hypothesis_id": hypothesis_id}
    found, sources, events, *others = await reading.fetch_each(
        (HYPOTHESIS, params),
        (PREMISES, params),
        (EVENTS, params | {"limit": MAX_EVENTS}),
        *((query, params) for query in beside),
    )
    if not found:
        refuse_unknown()
    [row] = found
    premises = [_premise(premise) for premise in sources]
    obstacles = find_obstacles(row["status"], premises, target_fault=row["target_fault"])
    detail = HypothesisDetail(
        summary=summary_of(row),
        source_owner_profile_ids=tuple(row["owner_ids"]),
        source_versions={premise.relationship_id: premise.version for premise in premises},
        rationale=row["rationale"],
        predicate_label=row["predicate_label"],
        previous_hypothesis_id=row["previous_hypothesis_id"],
        needs_reassessment=row["needs_reassessment"],
        row_version=row["row_version"],
        reinforced_at=row["reinforced_at"],
        explanation=explain(row["paths"], premises),
        is_current=not obstacles,
        not_current_because=obstacles,
        events=tuple(_event(event) for event in reversed(events)),
    )
    return detail, others


def refuse_unknown() -> NoReturn:
    """Raise the one answer for a missing, malformed or foreign id."""
    raise NotFound("There is no such Hypothesis.")


def summary_of(row: Row) -> HypothesisSummary:
    """Return the summary in a row of `HYPOTHESIS` or of a page."""
    return HypothesisSummary(
        hypothesis_id=row["id"],
        team_id=row["team_id"],
        subject_entity_id=row["subject_entity_id"],
        subject_name=row["subject_name"],
        predicate_key=row["predicate_key"],
        object_entity_id=row["object_entity_id"],
        object_value_id=row["object_value_id"],
        object_name=row["object_name"],
        statement=row["statement"],
        status=row["status"],
        likelihood=row["likelihood"],
        confidence=row["confidence"],
        source_relationship_ids=tuple(row["source_ids"]),
        source_candidate_relationship_ids=tuple(row["candidate_ids"]),
        generator_kind=row["generator_kind"],
        generator_version=row["generator_version"],
        cycle_run_id=row["cycle_run_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _premise(row: Row) -> Premise:
    said = statement if row["polarity"] == "+" else negated_statement
    # Eligible is what meets every condition, by the definition of the view of those that are.
    obstacles = tuple(name for name in CONDITION_FAULTS if not row[name])
    return Premise(
        relationship_id=row["relationship_id"],
        semantic_group_key=row["semantic_group_key"],
        statement=said(row["subject_name"], row["verb_phrase"], row["object_name"]),
        subject_name=row["subject_name"],
        predicate_key=row["predicate_key"],
        object_name=row["object_name"],
        version=row["version"],
        current_version=row["current_version"],
        is_candidate=row["is_candidate"],
        is_eligible=not obstacles,
        obstacles=obstacles,
    )


def _event(row: Row) -> HypothesisEventRecord:
    return HypothesisEventRecord(
        event_id=row["id"],
        event=row["event"],
        from_status=row["from_status"],
        to_status=row["to_status"],
        reason=row["reason"],
        actor_kind=row["actor_kind"],
        actor_profile_id=row["actor_profile_id"],
        cycle_run_id=row["cycle_run_id"],
        ingest_id=row["ingest_id"],
        versions_seen=row["versions_seen"],
        created_at=row["created_at"],
    )


def _place(row: Row, sort: Sort) -> Sequence[object]:
    match sort:
        case "newest":
            return [row["created_at"].isoformat(), row["id"]]
        case "likelihood":
            return [row["likelihood"], row["id"]]
        case "review":
            return [row["source_count"], row["created_at"].isoformat(), row["id"]]


def _position(cursor: str, sort: Sort, filters: Mapping[str, object]) -> dict[str, object]:
    # The checksum is no secret, so a forged cursor may hold anything.
    try:
        match sort, decode_cursor(cursor, _OPERATION, filters):
            case "newest", [str(created_at), str(last_id)] if is_id(last_id, "hyp"):
                return {"at": datetime.fromisoformat(created_at), "last_id": last_id}
            case "likelihood", [int() | float() as likelihood, str(last_id)] if is_id(last_id, "hyp"):
                return {"number": float(likelihood), "last_id": last_id}
            case "review", [int(count), str(created_at), str(last_id)] if is_id(last_id, "hyp"):
                moment = datetime.fromisoformat(created_at)
                return {"number": max(0, min(count, MAX_COUNT)), "at": moment, "last_id": last_id}
    except (ValueError, OverflowError):
        pass
    raise refuse_cursor()
