"""A client's decision about a Hypothesis, taken or refused as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, LiteralString

import psycopg

from app.hypotheses.lifecycle import ClientEvent, HypothesisStatus, next_status, open_decisions
from app.hypotheses.lifecycle import WrongState as StateRefusal
from app.hypotheses.queries import refuse_unknown
from app.hypotheses.standing import has_lost_ground
from app.kernel.database import Row, Writing
from app.kernel.errors import Busy, FieldError, InvalidInput, VersionMismatch, WrongState
from app.kernel.ids import is_id
from app.remember.guard.guard import Guarded
from app.remember.guarding import guard
from app.remember.intake import accept
from app.remember.resolve import find_known
from app.remember.submission import Submission
from app.review.answering import Confirmation, answers
from app.review.evidence import check_independence, check_other_evidence, count_characters
from app.review.submissions import all_ended_without_active, open_submission, settle_submissions
from app.review.target import read_target
from app.tenancy.callers import Caller

MAX_REASON_LENGTH: Final = 1_000
LOCK_TIMEOUT_MILLISECONDS: Final = 2_000
# Twice what twenty full items of evidence hold, and something: their citations.
MAX_COMPARED: Final = 200_000
LONG: Final = 8_000
_NEEDED: Final[Mapping[Confirmation, str]] = {
    "confirm_true": "confirm_true needs a proposal of the Hypothesis itself: its subject, predicate and object, "
    "polarity +, as a statement without scope. Its ends are found by their names, or by known_entity_id.",
    "confirm_false": "confirm_false needs, as a statement without scope, a proposal of the Hypothesis with "
    "polarity -, one with polarity + and another object for its subject and predicate, or the correction "
    "(correction_target) of a Relationship that it rests on or shares an end with. Its ends are found by their "
    "names, or by known_entity_id.",
}


@dataclass(frozen=True, slots=True)
class Feedback:
    """A decision, why, and for a confirmation the new evidence. `expected_version` is the row version seen.

    `guarded` is the evidence as it may be stored, `compared` the code points that are to be compared with what the
    Hypothesis was made from: see `guard_feedback`.
    """

    decision: ClientEvent
    reason: str | None = None
    submission: Submission | None = None
    expected_version: int | None = None
    guarded: Guarded | None = None
    compared: int = 0

    @property
    def is_long(self) -> bool:
        """Say whether comparing takes so long that one is enough at a time."""
        return self.compared > LONG


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """Where the Hypothesis stands now. `ingest_id` is set for a confirmation: submitted, not accepted."""

    hypothesis_id: str
    status: HypothesisStatus
    ingest_id: str | None
    event_id: int


async def guard_feedback(feedback: Feedback) -> Feedback:
    """Return the feedback with its evidence guarded; do this before the transaction that resolves it.

    Raises:
        InvalidInput: `evidence_required`, `evidence_not_allowed`, `too_long`, or a faulty submission.
    """
    submission = _check_shape(feedback)
    if submission is None:
        return feedback
    guarded, compared = await guard(submission), count_characters(submission)
    if compared > MAX_COMPARED:
        message = (
            f"Contents and different citations of a confirmation hold at most {MAX_COMPARED} characters."
        )
        raise _refusal("too_long", "proposal.relationships", message)
    return replace(feedback, guarded=guarded, compared=compared)


async def resolve_feedback(
    w: Writing, caller: Caller, hypothesis_id: str, feedback: Feedback, *, correlation_id: str
) -> FeedbackResult:
    """Leave the decision of a guarded feedback carried out, with its intake if it is a confirmation; or raise.

    After any exception the transaction must not be committed: an intake may have been written already.

    Raises:
        NotFound: malformed, missing or another team's.
        InvalidInput: `proposal_target_mismatch`; IndependenceRefused: `evidence_not_independent`, also where a
            further confirmation brings evidence that was submitted before.
        VersionMismatch: `expected_version` is not the current one.
        WrongState: the lifecycle knows no such step from here, or what is to be reinforced is not current.
        Busy: another transaction holds the Hypothesis.
    """
    team_id = caller.team_id
    if not is_id(hypothesis_id, "hyp"):
        refuse_unknown()
    seen = await w.fetch_one(_READ, {"team_id": team_id, "id": hypothesis_id})
    if seen is None:
        refuse_unknown()
    submission, ingest_id = feedback.submission, None
    if submission is not None:
        assert feedback.guarded is not None
        await check_independence(w, team_id, seen, submission)
        await _check_target(w, team_id, seen, feedback, submission)
        ingest_id = (await accept(w, caller, feedback.guarded, correlation_id=correlation_id)).ingest_id

    row = await _lock(w, team_id, hypothesis_id)
    if feedback.expected_version not in (None, row["row_version"]):
        raise VersionMismatch("The Hypothesis has changed since it was read.")
    status = await _next_status(w, team_id, row, feedback)
    if submission is not None and ingest_id is not None:
        await check_other_evidence(w, team_id, hypothesis_id, submission)
        await open_submission(w, team_id, hypothesis_id, ingest_id, _confirmation(feedback))
    if feedback.decision != "ignore":
        await _move(w, team_id, row, status, feedback)
    event = await w.fetch_one(
        _INSERT_EVENT,
        {
            "team_id": team_id,
            "hypothesis_id": hypothesis_id,
            "event": feedback.decision,
            "from_status": row["status"],
            "to_status": status,
            "reason": feedback.reason,
            "profile_id": caller.profile_id,
            "ingest_id": ingest_id,
        },
    )
    assert event is not None
    return FeedbackResult(hypothesis_id, status, ingest_id, event["id"])


def _check_shape(feedback: Feedback) -> Submission | None:
    """Return the submission of a confirmation, and None for every other decision."""
    if len(feedback.reason or "") > MAX_REASON_LENGTH:
        raise _refusal("too_long", "reason", f"A reason has at most {MAX_REASON_LENGTH} characters.")
    submission = feedback.submission
    if feedback.decision not in ("confirm_true", "confirm_false"):
        if submission is not None:
            message = f"{feedback.decision} takes no evidence and no proposal."
            raise _refusal("evidence_not_allowed", "evidence", message)
        return None
    missing = []
    if submission is None or not submission.evidence:
        missing.append(FieldError("evidence", "evidence_required", "A confirmation needs new evidence."))
    if submission is None or not submission.relationships:
        message = "A confirmation needs a proposal with a relationship."
        missing.append(FieldError("proposal", "proposal_required", message))
    if submission is None or missing:
        message = "A confirmation needs new evidence and a proposal of what it states."
        raise InvalidInput(message, code="evidence_required", errors=tuple(missing))
    if any(not item.content.strip() for item in submission.evidence):
        raise _refusal("evidence_required", "evidence", "Evidence cannot be blank.")
    return submission


async def _check_target(
    w: Writing, team_id: str, hypothesis: Row, feedback: Feedback, submission: Submission
) -> None:
    known = await read_target(w, team_id, hypothesis)
    entities = await find_known(w, team_id, submission.entities)
    decision = _confirmation(feedback)
    positions = known.positions(submission, entities)
    if not any(answers(position, known.target, decision) for position in positions):
        raise _refusal(
            "proposal_target_mismatch",
            "proposal.relationships",
            _NEEDED[decision],
        )


async def _lock(w: Writing, team_id: str, hypothesis_id: str) -> Row:
    await w.fetch_one(_LIMIT_WAIT, {"milliseconds": str(LOCK_TIMEOUT_MILLISECONDS)})
    try:
        row = await w.fetch_one(_LOCK, {"team_id": team_id, "id": hypothesis_id})
    except psycopg.errors.LockNotAvailable as error:
        raise Busy("The Hypothesis is being changed by somebody else.") from error
    if row is None:
        refuse_unknown()
    await w.fetch_one(_LIMIT_WAIT, {"milliseconds": "0"})
    return row


async def _next_status(w: Writing, team_id: str, row: Row, feedback: Feedback) -> HypothesisStatus:
    has_ended = False
    if row["status"] == "submitted":
        await settle_submissions(w, team_id, hypothesis_id=row["id"])
        has_ended = await all_ended_without_active(w, team_id, row["id"])
    status = next_status(row["status"], feedback.decision, submission_ended=has_ended)
    if isinstance(status, StateRefusal):
        raise WrongState(status.message)
    # The event that should have staled it may have been lost.
    if feedback.decision == "reinforce" and await has_lost_ground(w, team_id, row["id"]):
        others = ", ".join(one for one in open_decisions(row["status"]) if one != "reinforce")
        raise WrongState(f"A Hypothesis that is not current does not take reinforce, only {others}.")
    return status


async def _move(w: Writing, team_id: str, row: Row, status: HypothesisStatus, feedback: Feedback) -> None:
    params = {
        "team_id": team_id,
        "id": row["id"],
        "status": status,
        "is_open": status == "submitted",
        "reinforces": feedback.decision == "reinforce",
    }
    try:
        await w.execute(_MOVE, params)
    except psycopg.errors.UniqueViolation as error:
        # Only a confirmation after an ended submission claims the target anew.
        raise WrongState("Another Hypothesis has taken this target meanwhile.") from error


def _confirmation(feedback: Feedback) -> Confirmation:
    return "confirm_true" if feedback.decision == "confirm_true" else "confirm_false"


def _refusal(code: str, field: str, message: str) -> InvalidInput:
    return InvalidInput(message, code=code, errors=(FieldError(field, code, message),))


_READ: LiteralString = "SELECT * FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s"
_LIMIT_WAIT: LiteralString = "SELECT set_config('lock_timeout', %(milliseconds)s, true)"
_LOCK: LiteralString = """
    SELECT * FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s FOR NO KEY UPDATE
"""
_MOVE: LiteralString = """
    UPDATE hypotheses
    SET status = %(status)s, submission_is_open = %(is_open)s, row_version = row_version + 1,
        updated_at = clock_timestamp(),
        reinforced_at = CASE WHEN %(reinforces)s THEN clock_timestamp() ELSE reinforced_at END
    WHERE team_id = %(team_id)s AND id = %(id)s
"""
_INSERT_EVENT: LiteralString = """
    INSERT INTO hypothesis_events
        (team_id, hypothesis_id, event, from_status, to_status, reason, actor_kind, actor_profile_id,
         ingest_id, versions_seen)
    SELECT %(team_id)s, %(hypothesis_id)s, %(event)s, %(from_status)s, %(to_status)s, %(reason)s, 'client',
           %(profile_id)s, %(ingest_id)s, coalesce(jsonb_object_agg(r.id, r.version), '{}')
    FROM hypothesis_sources AS s
    JOIN relationships AS r ON r.team_id = s.team_id AND r.id = s.relationship_id
    WHERE s.team_id = %(team_id)s AND s.hypothesis_id = %(hypothesis_id)s AND s.is_current
    RETURNING id
"""
