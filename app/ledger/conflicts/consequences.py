"""What an active position means for those that cannot hold beside it: closed windows, reviews, conflicts. Pure.

Source: Design, section 4, step 7.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.ledger.relationships.rows import StoredRelationship
from app.ledger.relationships.slots import Neighbourhood
from app.ledger.vocabulary import HOLDING, ReviewKind, Status


@dataclass(frozen=True, slots=True)
class Closing:
    """An old position of the same owner that ends: at `valid_to`, if its window changes, and in which status."""

    stored: StoredRelationship
    valid_to: datetime | None
    status: Status


@dataclass(frozen=True, slots=True)
class Consequences:
    """What follows, in the same transaction. With a review the new position is held and nothing else follows."""

    closings: tuple[Closing, ...] = ()
    review: tuple[ReviewKind, str] | None = None
    other_objects: tuple[StoredRelationship, ...] = ()
    opposites: tuple[StoredRelationship, ...] = ()


def follow(
    new: StoredRelationship,
    near: Neighbourhood,
    related: Sequence[StoredRelationship],
    *,
    targets: Collection[StoredRelationship] = (),
    now: datetime,
) -> Consequences:
    """Return what follows from `new` being active beside the `related` positions.

    `targets` are the owner's own positions that it explicitly takes the place of, checked already.
    """
    corrected = {target.relationship_id for target in targets}
    rivals = [one for one in related if one.relationship_id not in corrected]
    own_rivals = find_own_rivals(new, near, rivals)
    own_objects = [one for one in own_rivals if one.semantic_group_key != near.opposite_group_key]
    review = _review(new, own_objects, has_own_opposite=len(own_rivals) > len(own_objects))
    if review is not None:
        return Consequences(review=review)
    closings = [_close_by_date(new, one, now) for one in own_objects]
    closings += [_close_by_correction(new, target, now) for target in targets]
    return replace(
        find_others(new, near, rivals),
        closings=tuple(sorted(closings, key=lambda closing: closing.stored.relationship_id)),
    )


def find_rivals(new: StoredRelationship, related: Sequence[StoredRelationship]) -> list[StoredRelationship]:
    """Return the related positions that hold at some moment at which `new` would hold, in the same scope."""
    return [
        one
        for one in related
        if one.relationship_id != new.relationship_id
        and one.status in HOLDING
        and one.scope == new.scope
        and one.overlaps(new.valid_from, new.valid_to)
    ]


def find_own_rivals(
    new: StoredRelationship, near: Neighbourhood, related: Sequence[StoredRelationship]
) -> list[StoredRelationship]:
    """Return the owner's other positions that cannot hold beside `new`."""
    return [
        one
        for one in find_rivals(new, related)
        if one.owner_profile_id == new.owner_profile_id
        and (one.semantic_group_key == near.opposite_group_key or _is_other_object(new, near, one))
    ]


def find_barring(
    new: StoredRelationship, near: Neighbourhood, related: Sequence[StoredRelationship]
) -> list[StoredRelationship]:
    """Return the owner's other positions that a position is held for which merely comes to stand beside them.

    An owner may dispute two things beside a third one; which holds is asked once the dispute ends.
    """
    return [
        one
        for one in find_own_rivals(new, near, related)
        if one.status != "disputed" or one.semantic_group_key == near.opposite_group_key
    ]


def find_others(
    new: StoredRelationship, near: Neighbourhood, related: Sequence[StoredRelationship]
) -> Consequences:
    """Return the positions of other owners that cannot hold beside `new`, and nothing else that follows."""
    others = [one for one in find_rivals(new, related) if one.owner_profile_id != new.owner_profile_id]
    return Consequences(
        other_objects=tuple(one for one in others if _is_other_object(new, near, one)),
        opposites=tuple(one for one in others if one.semantic_group_key == near.opposite_group_key),
    )


def _is_other_object(new: StoredRelationship, near: Neighbourhood, one: StoredRelationship) -> bool:
    is_both_affirmed = new.polarity == one.polarity == "+"
    return is_both_affirmed and one.semantic_group_key != near.group_key and near.shares_slot(one)


def _review(
    new: StoredRelationship, own_objects: list[StoredRelationship], *, has_own_opposite: bool
) -> tuple[ReviewKind, str] | None:
    if has_own_opposite:
        return ("policy", "own_opposite_position")
    if len(own_objects) > 1:
        return ("temporal", "several_open_windows")
    if own_objects and not _starts_later(new, own_objects[0]):
        return ("temporal", "supersession_without_dates")
    return None


def _starts_later(new: StoredRelationship, old: StoredRelationship) -> bool:
    return new.valid_from is not None and (old.valid_from is None or old.valid_from < new.valid_from)


def _close_by_date(new: StoredRelationship, old: StoredRelationship, now: datetime) -> Closing:
    starts_already = new.valid_from is not None and new.valid_from <= now
    return Closing(old, new.valid_from, "superseded" if starts_already else old.status)


def _close_by_correction(new: StoredRelationship, old: StoredRelationship, now: datetime) -> Closing:
    end = new.valid_from or now
    is_inside = (old.valid_from is None or old.valid_from < end) and (
        old.valid_to is None or end < old.valid_to
    )
    return Closing(old, end if is_inside else None, "superseded")
