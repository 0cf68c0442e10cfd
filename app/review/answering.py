"""Whether a proposed or placed Relationship answers a confirmation of a Hypothesis. Pure."""

from dataclasses import dataclass
from typing import Literal

from app.ledger.identity import Edge, target_identity
from app.ledger.vocabulary import Modality, Polarity, Predicate

Confirmation = Literal["confirm_true", "confirm_false"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a Hypothesis is about, in the direction in which it is stated, and what it rests on.

    `inverse` is the registered inverse of the predicate, if there is one.
    """

    subject_id: str
    predicate: Predicate
    object_id: str
    source_ids: frozenset[str] = frozenset()
    inverse: Predicate | None = None

    @property
    def identity(self) -> str:
        return target_identity(Edge(self.subject_id, self.predicate.key, self.object_id), self.predicate)


@dataclass(frozen=True, slots=True)
class Position:
    """A Relationship as proposed or placed. An id is None where the node is to be created.

    `corrects` is the id of the Relationship that it sets out to correct.
    """

    subject_id: str | None
    predicate_key: str
    object_id: str | None
    polarity: Polarity = "+"
    modality: Modality = "statement"
    scope: str | None = None
    corrects: str | None = None


def answers(position: Position, target: Target, decision: Confirmation) -> bool:
    """Return whether the position says what the decision needs.

    `confirm_true`: exactly the target, positive. `confirm_false`: the target denied; another object for the
    same subject and predicate; or the correction of a source, or of a Relationship that shares an end with
    the target. Always as an unscoped statement. Source: Design, section 7, Confirming.
    """
    if position.modality != "statement" or (position.scope or "").strip():
        return False
    pairs = _read_along(position, target)
    states_target = (target.subject_id, target.object_id) in pairs
    if decision == "confirm_true":
        return states_target and position.polarity == "+"
    if states_target:
        return position.polarity == "-"
    # Either end of a symmetric pair is a subject.
    subjects = {target.subject_id, target.object_id} if target.predicate.symmetric else {target.subject_id}
    if any(subject in subjects for subject, _ in pairs):
        return position.polarity == "+"
    ends = {target.subject_id, target.object_id}
    return position.corrects is not None and (
        position.corrects in target.source_ids or bool(ends & {position.subject_id, position.object_id})
    )


def _read_along(position: Position, target: Target) -> list[tuple[str | None, str | None]]:
    """Return subject and object as the target's predicate reads them: none, one or two ways."""
    stated = (position.subject_id, position.object_id)
    turned = (position.object_id, position.subject_id)
    if position.predicate_key == target.predicate.key:
        return [stated, turned] if target.predicate.symmetric else [stated]
    if target.inverse is not None and position.predicate_key == target.inverse.key:
        return [turned]
    return []
