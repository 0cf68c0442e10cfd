"""The states of a Hypothesis and the only ways between them. Pure.

The table is Design, section 7, with `target_unfit` for a target whose predicate was retired or no longer fits
its ends; the database keeps it a second time, with a trigger that is generated from `ALLOWED_STATUS_CHANGES`.
Two events carry their condition in their name, so whoever raises one vouches for it: `regenerated` is a
generation with a premise that was not there before or with a newer source version, `not_reinforced` a cycle
that passed by a Hypothesis flagged `needs_reassessment`. The one condition that a name cannot carry, a
submission that has ended, is an argument.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

HypothesisStatus = Literal["proposed", "reinforced", "stale", "submitted", "rejected"]
SystemEvent = Literal[
    "accepted",
    "regenerated",
    "source_lost",
    "target_active",
    "target_contradicted",
    "target_unfit",
    "retention_expired",
    "not_reinforced",
]
ClientEvent = Literal["reinforce", "stale", "reject", "ignore", "confirm_true", "confirm_false"]
Event = SystemEvent | ClientEvent

INITIAL_STATUS: HypothesisStatus = "proposed"

# None is the state before there is a row. A pair that is missing here is a wrong state.
ALLOWED: Mapping[tuple[HypothesisStatus | None, Event], HypothesisStatus] = MappingProxyType(
    {
        (None, "accepted"): INITIAL_STATUS,
        ("proposed", "regenerated"): "reinforced",
        ("proposed", "reinforce"): "reinforced",
        ("proposed", "source_lost"): "stale",
        ("proposed", "target_active"): "stale",
        ("proposed", "target_contradicted"): "stale",
        ("proposed", "target_unfit"): "stale",
        ("proposed", "retention_expired"): "stale",
        ("proposed", "not_reinforced"): "stale",
        ("proposed", "stale"): "stale",
        ("proposed", "reject"): "rejected",
        ("proposed", "confirm_true"): "submitted",
        ("proposed", "confirm_false"): "submitted",
        ("proposed", "ignore"): "proposed",
        ("reinforced", "regenerated"): "reinforced",
        ("reinforced", "reinforce"): "reinforced",
        ("reinforced", "source_lost"): "stale",
        ("reinforced", "target_active"): "stale",
        ("reinforced", "target_contradicted"): "stale",
        ("reinforced", "target_unfit"): "stale",
        ("reinforced", "retention_expired"): "stale",
        ("reinforced", "not_reinforced"): "stale",
        ("reinforced", "stale"): "stale",
        ("reinforced", "reject"): "rejected",
        ("reinforced", "confirm_true"): "submitted",
        ("reinforced", "confirm_false"): "submitted",
        ("reinforced", "ignore"): "reinforced",
        ("stale", "regenerated"): "reinforced",
        ("stale", "reject"): "rejected",
        ("stale", "confirm_true"): "submitted",
        ("stale", "confirm_false"): "submitted",
        ("stale", "ignore"): "stale",
        ("submitted", "confirm_true"): "submitted",
        ("submitted", "confirm_false"): "submitted",
        ("submitted", "ignore"): "submitted",
        ("rejected", "ignore"): "rejected",
    }
)

# Pairs of different statuses, without the insert: an update that leaves the status alone is not a change.
ALLOWED_STATUS_CHANGES: frozenset[tuple[HypothesisStatus, HypothesisStatus]] = frozenset(
    (before, after) for (before, _), after in ALLOWED.items() if before is not None and before != after
)


@dataclass(frozen=True, slots=True)
class WrongState:
    """The refusal of an event: nothing is written. `status` is None where there is no row yet."""

    status: HypothesisStatus | None
    event: Event

    @property
    def message(self) -> str:
        state = "does not exist yet" if self.status is None else f"is {self.status}"
        return f"A Hypothesis that {state} does not take {self.event}{self._instead}."

    @property
    def _instead(self) -> str:
        """The decisions that are open to a client, as the end of a sentence."""
        taken = open_decisions(self.status)
        if self.event not in get_args(ClientEvent) or not taken:
            return ""
        if self.status != "submitted":
            return ", only " + ", ".join(taken)
        return (
            " now, only ignore; and, once what was submitted has ended without an active Relationship, "
            "confirm_true or confirm_false with other evidence"
        )


def open_decisions(status: HypothesisStatus | None) -> list[ClientEvent]:
    """Return what a client may decide about a Hypothesis in this status, whatever else must be so for it."""
    return [decision for decision in get_args(ClientEvent) if (status, decision) in ALLOWED]


def next_status(
    status: HypothesisStatus | None, event: Event, *, submission_ended: bool = False
) -> HypothesisStatus | WrongState:
    """Return the status after the event; the same status means that the event is recorded and changes none.

    Args:
        status: the status now, read under lock; None before the first row.
        event: what happened.
        submission_ended: every submission so far was placed without an active Relationship. Only then may a
            submitted Hypothesis be confirmed again, with other evidence.

    Returns:
        The next status, or WrongState. Source: Design, section 7; Spec: Hypothesis Lifecycle.
    """
    after = ALLOWED.get((status, event))
    if after is None:
        return WrongState(status, event)
    confirms_again = status == "submitted" and event in ("confirm_true", "confirm_false")
    if confirms_again and not submission_ended:
        return WrongState(status, event)
    return after
