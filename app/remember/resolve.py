"""Resolving: which Entity a proposed one is. One match is reused, none created, several are left to a person.

`choose_entity` is pure; `find_known` and `create_missing` are what it needs from the ledger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.kernel.database import Reading, Writing
from app.ledger.nodes.entities import (
    Entity,
    EntityDraft,
    create_entities,
    find_entities,
    follow_merges,
    lock_names,
)
from app.ledger.nodes.names import fold_name, tidy_name
from app.ledger.vocabulary import EntityKind
from app.remember.aliases import is_spelling_of
from app.remember.generic_names import is_generic_name, is_one_letter
from app.remember.review_choices import NEW
from app.remember.submission import EntityProposal


@dataclass(frozen=True, slots=True)
class Known:
    """The proposal is this Entity; `names` holds the given name first, and other spellings of it last.

    These count as a new Entity's would: what the evidence says must not depend on which submission was first. An
    alias of other letters does not: it may be the name of another thing that is known.
    """

    entity_id: str
    kind: EntityKind
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class New:
    """Nothing in the team has this name with a compatible kind, so the Entity is to be created."""

    kind: EntityKind
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """A person has to say which Entity it is; `options` are the ids of those it could be, and NEW if of none."""

    reason: str
    options: tuple[str, ...] = ()


Resolution = Known | New | Unclear


async def find_known(
    reading: Reading, team_id: str, proposals: Sequence[EntityProposal]
) -> dict[str, Resolution]:
    """Return what each proposed Entity is, by its ref, as the ledger stands now."""
    hints = [one.known_entity_id for one in proposals if one.known_entity_id is not None]
    hinted = await follow_merges(reading, team_id, hints)
    found = await find_entities(reading, team_id, [one.name for one in proposals])
    return {one.ref: choose_entity(one, found, hinted) for one in proposals}


async def create_missing(
    w: Writing, team_id: str, proposals: Sequence[EntityProposal], *, profile_id: str
) -> dict[str, Resolution]:
    """Leave an Entity for each of the proposals that nothing in the ledger is; return what all of them are.

    Looks again under a lock on the names, because another submission may have created them meanwhile. Two
    proposals of one name and compatible kinds become one Entity.
    """
    await lock_names(w, team_id, [one.name for one in proposals])
    hints = [one.known_entity_id for one in proposals if one.known_entity_id is not None]
    hinted = await follow_merges(w, team_id, hints)
    found = await find_entities(w, team_id, [one.name for one in proposals])
    drafts: dict[str, EntityDraft] = {}
    for one in proposals:
        drafted = {
            fold_name(draft.name): draft for draft in drafts.values() if _is_compatible(one, draft.kind)
        }
        is_new = isinstance(choose_entity(one, found, hinted), New)
        if is_new and fold_name(one.name) not in drafted:
            drafts[one.ref] = EntityDraft(one.entity_kind, one.name, one.aliases)
    found += await create_entities(w, team_id, list(drafts.values()), profile_id=profile_id)
    return {one.ref: choose_entity(one, found, hinted) for one in proposals}


def choose_entity(
    proposal: EntityProposal, found: Sequence[Entity], hinted: Mapping[str, Entity]
) -> Resolution:
    """Return what a proposed Entity is among those `found` by name and the `hinted` ones, by id.

    A hint is checked, never trusted: malformed, missing and another team's are alike. Without one, the exact
    name outweighs the case-folded name, and that one an alias; kinds must be compatible, and a found Entity
    keeps its own. A review has decided for good: then neither name nor kind is looked at. Several matches are
    never decided here. Source: Design, section 4, step 3.
    """
    if proposal.is_decided:
        decided = hinted.get(proposal.known_entity_id or "")
        return Unclear("known_entity_unknown", (NEW,)) if decided is None else _known(proposal, decided)
    generic = [name for name in (proposal.name, *proposal.aliases) if is_generic_name(name)]
    if not all(map(is_one_letter, generic)):
        return Unclear("generic_name")
    if proposal.known_entity_id is not None:
        return _check_hint(proposal, hinted.get(proposal.known_entity_id))
    matches = _find_matches(proposal, found)
    if generic or len(matches) > 1:
        # One letter is never taken for a name by itself, not even that of the one thing that is called so.
        options = (*sorted(entity.entity_id for entity in matches), NEW)
        return Unclear("generic_name" if generic else "ambiguous_name", options)
    if not matches:
        return New(proposal.entity_kind, (tidy_name(proposal.name), *proposal.aliases))
    return _known(proposal, matches[0])


def _find_matches(proposal: EntityProposal, found: Sequence[Entity]) -> list[Entity]:
    name, folded = tidy_name(proposal.name), fold_name(proposal.name)
    compatible = [entity for entity in found if _is_compatible(proposal, entity.kind)]
    tiers = (
        [entity for entity in compatible if entity.name == name],
        [entity for entity in compatible if fold_name(entity.name) == folded],
        [entity for entity in compatible if folded in {fold_name(alias) for alias in entity.aliases}],
    )
    return next((tier for tier in tiers if tier), [])


def _check_hint(proposal: EntityProposal, entity: Entity | None) -> Resolution:
    if entity is None:
        return Unclear("known_entity_unknown", (NEW,))
    if fold_name(proposal.name) not in {fold_name(name) for name in entity.names}:
        return Unclear("name_mismatch", (entity.entity_id, NEW))
    return _known(proposal, entity)


def _known(proposal: EntityProposal, entity: Entity) -> Known:
    spellings = [alias for alias in proposal.aliases if is_spelling_of(alias, proposal.name)]
    names = (proposal.name, *entity.names, *spellings)
    return Known(entity.entity_id, entity.kind, tuple(dict.fromkeys(names)))


def _is_compatible(proposal: EntityProposal, kind: EntityKind) -> bool:
    return proposal.entity_kind == kind or "other" in (proposal.entity_kind, kind)
