"""What a position on a survivor rests on: what was said of it, and what each merge that lasts brought to it.

A merge carries a citation for as long as it lasts, unless the owner has taken the position back since. So what
undoing one merge takes away is what neither the position itself nor another merge carries, in whatever order.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading
from app.ledger.relationships.rows import StoredRelationship
from app.ledger.vocabulary import Status


@dataclass(frozen=True, slots=True)
class Brought:
    """What a merge that lasts brought to a position: whose successor it is, as that stood, and its citations."""

    merge_id: str
    merged_at: datetime
    successor_id: str
    relationship_id: str
    status: Status
    citation_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """That a citation of a position was revoked by its owner's word, or the position ended, and when last."""

    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Holdings:
    """What positions on survivors rest on, by their ids. `ended` says when its owner last ended one, and how."""

    brought: tuple[Brought, ...]
    revoked: dict[tuple[str, str], TakenBack]
    ended: dict[str, tuple[Status, datetime]]
    stated: frozenset[str]

    def others_on(self, one: Brought) -> list[Brought]:
        """Return what other merges brought to the same position."""
        return [
            other
            for other in self.brought
            if other.successor_id == one.successor_id and other.merge_id != one.merge_id
        ]

    def taken_back(self, one: Brought) -> dict[str, TakenBack]:
        """Return what the owner has taken back of it since the merge, by citation."""
        found = {citation: self.revoked.get((one.successor_id, citation)) for citation in one.citation_ids}
        return {
            citation: word for citation, word in found.items() if word is not None and word.at > one.merged_at
        }

    def lost_without(self, one: Brought) -> frozenset[str]:
        """Return the citations that no other merge carries to the position."""
        carried = [other.citation_ids - self.taken_back(other).keys() for other in self.others_on(one)]
        return one.citation_ids.difference(*carried)

    def is_left_without(self, one: Brought) -> bool:
        """Whether something was said of the position itself, or another merge brings it too."""
        return one.successor_id in self.stated or bool(self.others_on(one))

    def ending_since(self, one: Brought) -> Status | None:
        """Return how its owner has ended the position since the merge, if all that came with it went along."""
        status, at = self.ended.get(one.successor_id, (None, one.merged_at))
        is_all_gone = self.taken_back(one).keys() == one.citation_ids
        return status if is_all_gone and at > one.merged_at else None


async def find_holdings(
    reading: Reading, team_id: str, successors: Collection[StoredRelationship]
) -> Holdings:
    """Return what these positions rest on. Run it in the turn of merges, with the positions locked."""
    ends: set[str] = {one.subject_entity_id for one in successors}
    ends |= {one.object_entity_id for one in successors if one.object_entity_id is not None}
    params: dict[str, object] = {
        "team_id": team_id,
        "ids": sorted(one.relationship_id for one in successors),
        "survivor_ids": sorted(ends),
    }
    brought = [
        Brought(**{**row, "citation_ids": frozenset(row["citation_ids"])})
        for row in await reading.fetch_all(_BROUGHT, params)
    ]
    revoked = await reading.fetch_all(_REVOKED, params)
    ended = await reading.fetch_all(_ENDED, params)
    stated = await reading.fetch_all(_STATED, params)
    return Holdings(
        tuple(brought),
        {
            (row["relationship_id"], row["citation_id"]): TakenBack(row["reason"], row["at"])
            for row in revoked
        },
        {row["relationship_id"]: (row["to_status"], row["at"]) for row in ended},
        frozenset(row["id"] for row in stated),
    )


# Images of before list only what the successor lacked; the rest is what the old position still has, since nothing
# changes it while it is superseded.
_BROUGHT: LiteralString = """
    SELECT merge.id AS merge_id, merge.created_at AS merged_at, entry ->> 'successor_id' AS successor_id,
           entry ->> 'relationship_id' AS relationship_id, entry ->> 'status' AS status,
           ARRAY(SELECT jsonb_array_elements_text(entry -> 'citation_ids')
                 UNION SELECT citation_id FROM supports
                 WHERE team_id = merge.team_id AND relationship_id = entry ->> 'relationship_id' AND is_granted)
               AS citation_ids
    FROM entity_merge_events AS merge
    CROSS JOIN LATERAL jsonb_array_elements(merge.before_image -> 'positions') AS entry
    WHERE merge.team_id = %(team_id)s AND merge.survivor_id = ANY (%(survivor_ids)s) AND merge.event = 'merged'
      AND entry ->> 'successor_id' = ANY (%(ids)s)
      AND NOT EXISTS (SELECT FROM entity_merge_events AS undoing
                      WHERE undoing.team_id = merge.team_id AND undoing.undoes_id = merge.id)
    ORDER BY merge.created_at, merge.id
"""
_REVOKED: LiteralString = """
    SELECT DISTINCT ON (relationship_id, citation_id) relationship_id, citation_id, reason, created_at AS at
    FROM support_events
    WHERE team_id = %(team_id)s AND relationship_id = ANY (%(ids)s)
      AND event = 'revoked' AND reason <> 'entity_unmerged'
    ORDER BY relationship_id, citation_id, id DESC
"""
# What a statement about the survivor refuted was not taken back by its owner.
_ENDED: LiteralString = """
    SELECT DISTINCT ON (relationship_id) relationship_id, to_status, created_at AS at
    FROM relationship_transitions
    WHERE team_id = %(team_id)s AND relationship_id = ANY (%(ids)s)
      AND to_status IN ('retracted', 'rejected') AND from_status <> to_status
      AND reason NOT IN ('entity_unmerged', 'remembered')
    ORDER BY relationship_id, version DESC
"""
_STATED: LiteralString = """
    SELECT id FROM unnest(%(ids)s::text[]) AS id
    WHERE EXISTS (SELECT FROM placement_outcomes
                  WHERE team_id = %(team_id)s AND relationship_id = id)
       OR EXISTS (SELECT FROM relationship_transitions
                  WHERE team_id = %(team_id)s AND relationship_id = id
                    AND (reason = 'remembered' OR version = 1 AND reason <> 'entity_merged'))
"""
