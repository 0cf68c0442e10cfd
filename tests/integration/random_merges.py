"""Merging things by their names, as it comes, and how the positions of a profile stand.

`DENSEMEM_HISTORIES` says how many stories of merges are played (2 unless set; 100 is the long form).
"""

import os
from typing import Final, LiteralString

from app.kernel.database import Database, Row
from app.kernel.errors import WrongState
from app.tenancy.callers import Caller
from tests.integration.merging import entity, merge, unmerge
from tests.integration.submissions import rows

HISTORIES: Final = int(os.environ.get("DENSEMEM_HISTORIES", "2"))
SUBJECTS: Final = ("Aay", "Bee", "Cee", "Dee")
OBJECTS: Final = ("Zed", "Zod")
NAMES: Final = SUBJECTS + OBJECTS


async def merge_named(database: Database, caller: Caller, name: str, into: str) -> bool:
    """Merge two things that are not merged; say whether it was done or a review stands in the way."""
    ends = [await entity(database, caller, one) for one in (name, into)]
    try:
        await merge(database, caller, ends[0], ends[1])
    except WrongState as refused:
        if refused.code != "review_open":
            raise
        return False
    return True


async def unmerge_named(database: Database, caller: Caller, name: str) -> bool:
    """Undo a merge; say whether it was done or a later one has to be undone first."""
    [row] = await rows(database, caller, _ENTITY, name=name)
    try:
        await unmerge(database, caller, row["id"])
    except WrongState as refused:
        if refused.code not in ("survivor_merged", "merged_since"):
            raise
        return False
    return True


async def positions(database: Database, caller: Caller) -> list[Row]:
    return await rows(database, caller, _POSITIONS, profile_id=caller.profile_id)


_POSITIONS: LiteralString = """
    SELECT r.id, r.tier, r.status, r.polarity, r.valid_from, r.valid_to,
           subject.name AS subject, object.name AS object,
           ARRAY(SELECT e.content FROM supports AS s
                 JOIN citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id
                 JOIN evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id
                 WHERE s.team_id = r.team_id AND s.relationship_id = r.id AND s.is_granted
                 ORDER BY e.content) AS texts,
           EXISTS (SELECT FROM eligible_relationships AS e
                   WHERE e.team_id = r.team_id AND e.relationship_id = r.id) AS is_eligible
    FROM relationships AS r
    JOIN entities AS subject ON subject.team_id = r.team_id AND subject.id = r.subject_entity_id
    JOIN entities AS object ON object.team_id = r.team_id AND object.id = r.object_entity_id
    WHERE r.team_id = %(team_id)s AND r.owner_profile_id = %(profile_id)s ORDER BY r.id
"""
_ENTITY: LiteralString = "SELECT id FROM entities WHERE team_id = %(team_id)s AND name = %(name)s"
