"""Who owns a name of a predicate: the first that had it, for good. Run under the lock of the team's registry."""

from collections.abc import Iterable
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import WrongState
from app.ledger.predicates.wordings import direct_names, reversed_names
from app.ledger.vocabulary import Predicate


async def refuse_taken_names(
    w: Writing, team_id: str, predicate: Predicate, inverse: Predicate | None, *, known: frozenset[str]
) -> None:
    """Raise `name_taken` if a name beyond the known ones leads elsewhere, other than to the inverse's passive."""
    direct, passive = direct_names(predicate), reversed_names(predicate)
    shared: frozenset[str] = frozenset()
    if inverse is not None:
        theirs = direct_names(inverse)
        shared = (direct & reversed_names(inverse)) - theirs | (passive & theirs) - direct
    names = sorted((direct | passive) - known)
    for row in await w.fetch_all(_NAMES, {"team_id": team_id, "names": names}):
        owner = row["predicate_key"]
        is_shared = inverse is not None and owner == inverse.key and row["folded_name"] in shared
        if owner != predicate.key and not is_shared:
            raise name_taken(row["folded_name"])


async def take_names(w: Writing, team_id: str, predicates: Iterable[Predicate]) -> None:
    """Leave every name of the predicates with an owner: whose own it is, before whose passive it is."""
    owners: dict[str, str] = {}
    listed = list(predicates)
    for names_of in (direct_names, reversed_names):
        for predicate in listed:
            for name in names_of(predicate):
                owners.setdefault(name, predicate.key)
    params = {"team_id": team_id, "names": list(owners), "keys": list(owners.values())}
    await w.execute(_INSERT_NAMES, params)


def name_taken(name: str) -> WrongState:
    """Return the refusal of a name that another predicate has or had."""
    return WrongState(f"The name {name!r} leads to another predicate.", code="name_taken")


_NAMES: LiteralString = """
    SELECT folded_name, predicate_key FROM predicate_names
    WHERE team_id = %(team_id)s AND folded_name = ANY (%(names)s)
"""
# Inverses share names, and the first of them keeps the row.
_INSERT_NAMES: LiteralString = """
    INSERT INTO predicate_names (team_id, folded_name, predicate_key)
    SELECT %(team_id)s, named.name, named.predicate_key
    FROM unnest(%(names)s::text[], %(keys)s::text[]) AS named (name, predicate_key)
    ON CONFLICT (team_id, folded_name) DO NOTHING
"""
