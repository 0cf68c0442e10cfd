"""What a review can be answered with, and what an answer changes in the proposal that was held.

All but `read_choices` is pure. A choice is one word:

* a held Relationship: `accept` (it holds, and takes the place of its owner's own positions that cannot hold
  beside it), `reject`, and for kind policy `dispute` (both stay, and neither counts);
* a held proposal: kind identity an Entity's id or `new` (for a generic name only if `options` hold it: it is one
  letter, and an operator decides), kind predicate a registered key, kind scope the scope
  itself or `unscoped`, kind temporal `accept` or `undated`; for each of them also `reject`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, LiteralString

from app.kernel.database import Reading
from app.kernel.errors import FieldError, InvalidInput
from app.kernel.ids import is_id
from app.ledger.predicates.registry import find_predicate
from app.ledger.reviews import Review
from app.ledger.vocabulary import Predicate
from app.remember.submission import EntityProposal, RelationshipProposal

ACCEPT: Final = "accept"
REJECT: Final = "reject"
DISPUTE: Final = "dispute"
NEW: Final = "new"
UNSCOPED: Final = "unscoped"
UNDATED: Final = "undated"


@dataclass(frozen=True, slots=True)
class Choices:
    """What reviews have decided about one ingest: Entities by ref, all else by proposal id.

    `keeps_window` says whether the window stays as the client named it.
    """

    entity_ids: Mapping[str, str]
    predicate_keys: Mapping[str, str]
    scopes: Mapping[str, str | None]
    keeps_window: Mapping[str, bool]


def check_choice(review: Review, choice: str, predicates: Mapping[str, Predicate]) -> None:
    """Say nothing about a choice that the review allows. Whether an Entity exists is not looked at here.

    Raises:
        InvalidInput: `choice_invalid`; the message names what could be chosen.
    """
    if choice == REJECT:
        return
    if review.relationship_id is not None:
        words = [ACCEPT, DISPUTE] if review.kind == "policy" else [ACCEPT]
        if choice not in words:
            raise refuse_choice(f"Choose {', '.join(words)} or {REJECT}.")
        return
    match review.kind:
        case "identity":
            may_create = review.reason != "generic_name" or NEW in review.options
            if not (is_id(choice, "ent") or (choice == NEW and may_create)):
                or_new = f", {NEW}" if may_create else ""
                raise refuse_choice(f"Choose an Entity's id{or_new} or {REJECT}.")
        case "predicate":
            if choice not in predicates or find_predicate(predicates, choice) is None:
                raise refuse_choice(f"Choose the key of a registered predicate, or {REJECT}.")
        case "scope":
            # Only what went through the guard with the proposal: another text would be in knowledge unread.
            if choice.strip() not in review.options:
                raise refuse_choice(f"Choose the scope as it was named, {UNSCOPED} or {REJECT}.")
        case "temporal":
            if choice not in (ACCEPT, UNDATED):
                raise refuse_choice(f"Choose {ACCEPT}, {UNDATED} or {REJECT}.")
        case "policy":
            raise refuse_choice(f"Choose {REJECT}.")


def refuse_choice(message: str) -> InvalidInput:
    """Return the refusal of a choice."""
    fault = FieldError("choice", "choice_invalid", message)
    return InvalidInput("The review has no such choice.", code="choice_invalid", errors=(fault,))


async def read_choices(reading: Reading, team_id: str, ingest_id: str) -> Choices:
    """Return what has been decided about the ingest's proposals; a rejected one is placed already."""
    rows = await reading.fetch_all(_RESOLVED, {"team_id": team_id, "ingest_id": ingest_id})
    return Choices(
        entity_ids={
            row["entity_ref"]: row["choice"]["entity_id"] for row in rows if "entity_id" in row["choice"]
        },
        predicate_keys={
            row["proposal_id"]: row["choice"]["predicate_key"]
            for row in rows
            if "predicate_key" in row["choice"]
        },
        scopes={row["proposal_id"]: row["choice"]["scope"] for row in rows if "scope" in row["choice"]},
        keeps_window={
            row["proposal_id"]: row["choice"]["keeps_window"]
            for row in rows
            if "keeps_window" in row["choice"]
        },
    )


def apply_choices(
    entities: Sequence[EntityProposal], proposals: Sequence[RelationshipProposal], choices: Choices
) -> tuple[tuple[EntityProposal, ...], tuple[RelationshipProposal, ...]]:
    """Return the proposal with what was decided in place of what was unclear; all else is as it was."""
    decided = tuple(
        replace(entity, known_entity_id=choices.entity_ids[entity.ref], is_decided=True)
        if entity.ref in choices.entity_ids
        else entity
        for entity in entities
    )
    return decided, tuple(_apply(proposal, choices) for proposal in proposals)


def _apply(proposal: RelationshipProposal, choices: Choices) -> RelationshipProposal:
    proposal_id = proposal.proposal_id
    keeps_window = choices.keeps_window.get(proposal_id, True)
    return replace(
        proposal,
        predicate=choices.predicate_keys.get(proposal_id, proposal.predicate),
        scope=choices.scopes.get(proposal_id, proposal.scope),
        valid_from=proposal.valid_from if keeps_window else None,
        valid_to=proposal.valid_to if keeps_window else None,
        is_scope_decided=proposal_id in choices.scopes,
        is_window_decided=proposal_id in choices.keeps_window,
    )


_RESOLVED: LiteralString = """
    SELECT proposal_id, entity_ref, choice FROM review_tasks
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND status = 'resolved'
      AND relationship_id IS NULL
    ORDER BY closed_at, id
"""
