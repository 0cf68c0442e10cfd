"""Merges over disputes, cases and reviews, all undone in any order: everything stands as it did before."""

import random
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, LiteralString

import pytest

from app.kernel.database import Database
from app.kernel.errors import Forbidden, InvalidInput
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile
from tests.integration.changes import answer, open_reviews
from tests.integration.merging import INSUFFICIENT
from tests.integration.random_merges import (
    HISTORIES,
    OBJECTS,
    SUBJECTS,
    merge_named,
    positions,
    unmerge_named,
)
from tests.integration.submissions import ScriptedVerifier, remember, rows, state

PREDICATES: Final = ("licensed_under", "licensed_under", "depends_on", "part_of", "has_part")
MOMENTS: Final = (None, None, datetime(2022, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_what_met_by_merges_is_apart_again_with_its_disputes_cases_and_reviews(
    database: Database, team: Caller, make_profile: MakeProfile, seed: int
) -> None:
    chance = random.Random(seed)
    owners = (team, await make_profile(team, "Second"))
    await disagree(database, owners, chance)
    names = [row["name"] for row in await rows(database, team, _NAMES)]
    assert await find_broken(database, team.team_id) == {}
    before = await snapshot(database, owners)
    merged: list[str] = []
    story: list[str] = []
    for _ in range(chance.randint(2, 8)):
        name, into = chance.sample(names, 2)
        if name in merged and await unmerge_named(database, team, name):
            merged.remove(name)
            story.append(f"unmerge {name}")
        elif not {name, into} & set(merged) and await merge_named(database, team, name, into):
            merged.append(name)
            story.append(f"merge {name} into {into}")
    while merged:
        name = chance.choice(merged)
        if await unmerge_named(database, team, name):
            merged.remove(name)
            story.append(f"unmerge {name}")
        assert await find_broken(database, team.team_id) == {}, story
    after = await snapshot(database, owners)
    assert after == before, story


async def disagree(database: Database, owners: Sequence[Caller], chance: random.Random) -> None:
    """Leave positions of two profiles, some against others, and most of the reviews answered."""
    for number in range(chance.randint(6, 12)):
        subject, object_name = chance.choice(SUBJECTS), chance.choice(OBJECTS)
        submission = state(
            subject,
            chance.choice(PREDICATES),
            object_name,
            text=f"Note {number}.",
            polarity=chance.choice("++-"),
            valid_from=chance.choice(MOMENTS),
            source_group=f"{number}",
        )
        verifier = ScriptedVerifier()
        if chance.random() < 0.2:
            verifier.answers[submission.evidence[0].content] = INSUFFICIENT
        await remember(database, chance.choice(owners), submission, verifier=verifier)
    for review in await open_reviews(database, owners[0]):
        if chance.random() < 0.8:
            # Only its owner answers it, and not every choice is one.
            with suppress(Forbidden, InvalidInput):
                await answer(
                    database,
                    chance.choice(owners),
                    review.review_id,
                    chance.choice(("accept", "reject", "dispute")),
                )


async def snapshot(database: Database, owners: Collection[Caller]) -> dict[str, object]:
    """Return how each position stands that is not over, and what holds it or is in conflict with it."""
    [team, _] = owners
    return {
        "positions": {
            one["id"]: {**one}
            for caller in owners
            for one in await positions(database, caller)
            if one["status"] != "retracted" or one["texts"]
        },
        "reviews": sorted(
            (one.relationship_id or "", one.reason) for one in await open_reviews(database, team)
        ),
        "cases": sorted(row["sides"] for row in await rows(database, team, _OPEN_CASES)),
    }


# A side that nobody takes any more stays on record in the case.
_OPEN_CASES: LiteralString = """
    SELECT array_agg(DISTINCT r.semantic_group_key) AS sides
    FROM conflict_cases AS c
    JOIN conflict_positions AS p ON p.team_id = c.team_id AND p.case_id = c.id
    JOIN relationships AS r ON r.team_id = p.team_id AND r.semantic_group_key = p.semantic_group_key
    WHERE c.team_id = %(team_id)s AND c.status = 'open' AND r.status IN ('active', 'disputed') GROUP BY c.id
"""
_NAMES: LiteralString = "SELECT name FROM entities WHERE team_id = %(team_id)s ORDER BY name"
