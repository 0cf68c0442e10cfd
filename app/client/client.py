"""The client: one method an operation, named as the operation is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Self, cast
from urllib.parse import quote
from uuid import uuid4

import httpx2

from app.client.errors import Unreachable, Unusable
from app.client.transport import Json, Patience, Transport

if TYPE_CHECKING:  # The command that writes the types must start without them.
    from app.client.types import (
        AbsenceAnswer,
        BudgetsBody,
        DreamAnswer,
        DreamingStatusAnswer,
        DreamSummary,
        EvidenceBody,
        FeedbackAnswer,
        FeedbackDecision,
        ListedDreamSummary,
        ListedOutcomeAnswer,
        ListedRunAnswer,
        PlacementAnswer,
        ProposalBody,
        Rating,
        RecallFeedbackAnswer,
        RecallReply,
        RememberAnswer,
        RunAnswer,
        TraceAnswer,
    )

PATIENCE: Final = Patience()


class DenseMem:
    """A team's memory behind one server and one key.

    Requests that have an effect carry an idempotency key, the caller's or one made here, so that sending them
    again after a broken connection changes nothing twice. Not safe for use by several threads at once.

    Raises, from every method:
        Refused: the server's problem, with status, code and whether trying again may help.
        Unreachable: no server of this API answered, or none in time.
        Unusable: an id can't be one, or the request can't be written; when it is made, the address or the key.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        patience: Patience = PATIENCE,
        http: httpx2.BaseTransport | None = None,
    ) -> None:
        """Make a client; no request is sent yet.

        Args:
            url: the server, such as http://127.0.0.1:8420.
            key: an API key, `dm_…`; it names the team and the profile.
            patience: how often and how long to try.
            http: another way to the server than the network; it keeps to the timeouts of its requests by itself.
        """
        self._transport = Transport(url, key, patience=patience, http=http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave no connection open."""
        self._transport.close()

    def remember(
        self,
        evidence: Sequence[EvidenceBody],
        proposal: ProposalBody,
        *,
        wait_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> RememberAnswer | PlacementAnswer:
        """Submit evidence with what it is taken to say.

        With `wait_seconds` (0..30) the answer is the finished placement when it is there in time.
        """
        body = {"evidence": evidence, "proposal": proposal, "wait_seconds": wait_seconds}
        return cast(
            "RememberAnswer | PlacementAnswer", self._effect("/v1/remember", body, key=idempotency_key)
        )

    def get_memory_placement(self, ingest_id: str) -> PlacementAnswer:
        """Return where each proposal of a submission landed."""
        return cast("PlacementAnswer", self.get(f"/v1/placements/{_segment(ingest_id)}"))

    def recall_memory(
        self,
        query: str,
        *,
        limit: int = 10,
        hypothesis_limit: int = 5,
        valid_at: str | None = None,
        known_at: str | None = None,
        expand_from_entity_ids: Sequence[str] = (),
    ) -> RecallReply:
        """Return what is known that matches, and apart from it what is only guessed."""
        body = {
            "query": query,
            "limit": limit,
            "hypothesis_limit": hypothesis_limit,
            "valid_at": valid_at,
            "known_at": known_at,
            "expand_from_entity_ids": list(expand_from_entity_ids),
        }
        return cast("RecallReply", self.post("/v1/recall", body, is_repeatable=True))

    def submit_recall_feedback(
        self,
        recall_id: str,
        rating: Rating,
        *,
        useful_ids: Sequence[str] = (),
        wrong_ids: Sequence[str] = (),
        comment: str | None = None,
        idempotency_key: str | None = None,
    ) -> RecallFeedbackAnswer:
        """Say which parts of an answer helped; it is recorded and changes nothing."""
        body = {
            "recall_id": recall_id,
            "rating": rating,
            "useful_ids": list(useful_ids),
            "wrong_ids": list(wrong_ids),
            "comment": comment,
        }
        return cast("RecallFeedbackAnswer", self._effect("/v1/recall-feedback", body, key=idempotency_key))

    def trace_memory(self, relationship_id: str, **parameters: object) -> TraceAnswer:
        """Return what carries one Relationship, down to the quoted spans; a long story goes on with `cursor`."""
        path = f"/v1/relationships/{_segment(relationship_id)}/trace"
        return cast("TraceAnswer", self.get(path, **parameters))

    def list_dreams(self, **filters: object) -> ListedDreamSummary:
        """Return one page of Hypotheses; the filters are those of the contract, `cursor` goes on."""
        return cast("ListedDreamSummary", self.get("/v1/dreams", **filters))

    def iterate_dreams(self, **filters: object) -> Iterator[DreamSummary]:
        """Yield all Hypotheses that match, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_dreams(**filters, cursor=cursor)
            dreams, cursor = page.get("items"), page.get("next_cursor")
            if not isinstance(dreams, list):
                raise Unreachable("What answers does not speak this API.", code="not_ours")
            yield from dreams
            if cursor is None:
                return

    def get_dream(self, hypothesis_id: str) -> DreamAnswer:
        """Return one Hypothesis with its explanation, history and submissions."""
        return cast("DreamAnswer", self.get(f"/v1/dreams/{_segment(hypothesis_id)}"))

    def resolve_dream_feedback(
        self,
        hypothesis_id: str,
        decision: FeedbackDecision,
        *,
        reason: str | None = None,
        evidence: Sequence[EvidenceBody] | None = None,
        proposal: ProposalBody | None = None,
        wait_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> FeedbackAnswer:
        """Say what one thinks of a Hypothesis; only confirmations carry evidence and a proposal.

        With `wait_seconds` (0..30) a confirmation is answered when it is placed, if that is in time; `get_dream`
        then shows where it landed.
        """
        body = {
            "decision": decision,
            "reason": reason,
            "evidence": evidence,
            "proposal": proposal,
            "wait_seconds": wait_seconds,
        }
        path = f"/v1/dreams/{_segment(hypothesis_id)}/feedback"
        return cast("FeedbackAnswer", self._effect(path, body, key=idempotency_key))

    def get_dream_outcomes(self) -> ListedOutcomeAnswer:
        """Return what became of the team's dreams, by predicate and generator version."""
        return cast("ListedOutcomeAnswer", self.get("/v1/dreams/outcomes"))

    def explain_absence(
        self,
        subject_entity_id: str,
        predicate_key: str,
        *,
        object_entity_id: str | None = None,
        object_value_id: str | None = None,
    ) -> AbsenceAnswer:
        """Return what stands in the way of an idea today; one of the object ids is given."""
        body = {
            "subject_entity_id": subject_entity_id,
            "predicate_key": predicate_key,
            "object_entity_id": object_entity_id,
            "object_value_id": object_value_id,
        }
        return cast("AbsenceAnswer", self.post("/v1/dreams/why-not", body, is_repeatable=True))

    def start_cycle(
        self,
        *,
        dry_run: bool = False,
        budgets: BudgetsBody | None = None,
        note: str | None = None,
        provider_mode: str = "direct",
        idempotency_key: str | None = None,
    ) -> RunAnswer:
        """Start a dream cycle, or return the one that is under way."""
        body = {
            "dry_run": dry_run,
            "budgets": budgets or {},
            "note": note,
            "provider_mode": provider_mode,
        }
        return cast("RunAnswer", self._effect("/v1/cycle-runs", body, key=idempotency_key))

    def list_cycle_runs(self, **filters: object) -> ListedRunAnswer:
        """Return one page of cycle runs, newest first."""
        return cast("ListedRunAnswer", self.get("/v1/cycle-runs", **filters))

    def get_cycle_run(self, run_id: str) -> RunAnswer:
        """Return what one cycle read, rejected, kept and cost."""
        return cast("RunAnswer", self.get(f"/v1/cycle-runs/{_segment(run_id)}"))

    def cancel_cycle(self, run_id: str) -> RunAnswer:
        """Cancel a cycle that has not ended."""
        path = f"/v1/cycle-runs/{_segment(run_id)}/cancel"
        return cast("RunAnswer", self.post(path, is_repeatable=True))

    def get_dreaming_status(self) -> DreamingStatusAnswer:
        """Return the effective settings and how dreaming stands."""
        return cast("DreamingStatusAnswer", self.get("/v1/dreaming/status"))

    def get(self, path: str, **params: object) -> Json:
        """Return the answer of any GET; parameters that are None or empty are left out."""
        given = {name: value for name, value in params.items() if value not in (None, [], ())}
        return self._transport.send("GET", path, params=given, is_repeatable=True)

    def post(
        self, path: str, body: Mapping[str, object] | None = None, *, is_repeatable: bool = False
    ) -> Json:
        """Return the answer of any POST; `is_repeatable` when sending it twice does no more than once."""
        return self._transport.send("POST", path, body=body or {}, is_repeatable=is_repeatable)

    def patch(
        self, path: str, body: Mapping[str, object], *, headers: Mapping[str, str] | None = None
    ) -> Json:
        """Return the answer of any PATCH."""
        return self._transport.send("PATCH", path, body=body, headers=headers, is_repeatable=False)

    def _effect(self, path: str, body: Mapping[str, Any], *, key: str | None) -> Json:
        """Send what must take effect once; fields that say nothing are left to the server's defaults."""
        given = {name: value for name, value in body.items() if value is not None}
        given["idempotency_key"] = key or uuid4().hex
        return self._transport.send("POST", path, body=given, is_repeatable=True)


def _segment(text: str) -> str:
    """Return the id as one path segment, whatever it holds.

    Raises:
        Unusable: `id_unusable`, for what no segment can be.
    """
    # Dots alone are steps within a path, and quoting leaves them so.
    if isinstance(text, str) and text.strip("."):
        try:
            return quote(text, safe="")
        except UnicodeEncodeError:
            pass
    raise Unusable("An id is a text such as an answer holds; nothing was sent.", code="id_unusable")
