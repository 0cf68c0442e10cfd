"""Merges at random, all undone in any order: the ledger is as it would be if nobody had merged anything.

`DENSEMEM_HISTORIES` says how many (2 unless set; 100 is the long form).
"""

import os
import random
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, LiteralString

import pytest

from app.kernel.database import Database, Row
from app.kernel.errors import Forbidden, InvalidInput, WrongState
from app.remember.submission import CitedSpan, EntityProposal, RelationshipProposal, Submission
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity
from tests.integration.changes import answer, open_reviews, retract, retract_text
from tests.integration.merging import INSUFFICIENT, entity, merge, unmerge
from tests.integration.submissions import ScriptedVerifier, remember, rows, state

HISTORIES: Final = int(os.environ.get("DENSEMEM_HISTORIES", "2"))
ACTS: Final = 30
SUBJECTS: Final = ("Aay", "Bee", "Cee", "Dee")
OBJECTS: Final = ("Zed", "Zod")
NAMES: Final = SUBJECTS + OBJECTS
PREDICATES: Final = ("licensed_under", "licensed_under", "depends_on", "part_of", "has_part")
MOMENTS: Final = (None, None, datetime(2022, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC))


@dataclass
class World:
    """A team in which things are merged, and one in which the same is said and taken back, but nothing merged."""

    database: Database
    merged: tuple[Caller, ...]
    plain: tuple[Caller, ...]
    random: random.Random
    survivors: dict[str, str] = field(default_factory=dict)
    story: list[str] = field(default_factory=list)

    def chain(self, name: str) -> list[str]:
        """Return what the name means by and by, itself first."""
        found = [name]
        while found[-1] in self.survivors:
            found.append(self.survivors[found[-1]])
        return found

    async def say(self, verifier: ScriptedVerifier) -> None:
        """Say one sentence of one or two subjects; the other team says it of what they have become."""
        subjects = self.random.sample(SUBJECTS, self.random.choice((1, 1, 2)))
        ends = (*subjects, self.random.choice(OBJECTS))
        if len({self.chain(name)[-1] for name in ends}) < len(ends):
            return
        text = f"Note {len(self.story)}."
        owner = self.random.randrange(2)
        for team, names in ((self.merged, ends), (self.plain, [self.chain(name)[-1] for name in ends])):
            submission = note(text, names[:-1], names[-1])
            await remember(self.database, team[owner], submission, verifier=verifier)
        self.story.append(f"{owner} says of {ends}: {text}")

    async def say_weakly(self) -> None:
        await self.say(ScriptedVerifier({f"Note {len(self.story)}.": INSUFFICIENT}))

    async def retract_position(self) -> None:
        """Take a position back, wherever it stands; in the other team everything that came together in it."""
        owner = self.random.randrange(2)
        found = [
            one for one in await positions(self.database, self.merged[owner]) if one["status"] != "retracted"
        ]
        if not found:
            return
        gone = self.random.choice(found)
        for one in await positions(self.database, self.plain[owner]):
            is_in_it = gone["subject"] in self.chain(one["subject"]) and gone["object"] in self.chain(
                one["object"]
            )
            if is_in_it and set(one["texts"]) & set(gone["texts"]):
                await retract(self.database, self.plain[owner], one["id"])
        await retract(self.database, self.merged[owner], gone["id"])
        self.story.append(
            f"{owner} takes back {gone['subject']} {gone['object']} {gone['status']} {gone['texts']}"
        )

    async def retract_text(self) -> None:
        owner = self.random.randrange(2)
        found = await rows(
            self.database, self.merged[owner], _TEXTS, profile_id=self.merged[owner].profile_id
        )
        if not found:
            return
        text = self.random.choice(found)["content"]
        for team in (self.merged, self.plain):
            for one in await rows(self.database, team[owner], _TEXTS, profile_id=team[owner].profile_id):
                if one["content"] == text:
                    await retract_text(self.database, team[owner], one["id"])
        self.story.append(f"{owner} takes back {text}")

    async def merge(self) -> None:
        name, into = self.random.sample(NAMES, 2)
        if name in self.survivors or into in self.survivors:
            return
        if await merge_named(self.database, self.merged[0], name, into):
            self.survivors[name] = into
            self.story.append(f"merge {name} into {into}")

    async def unmerge(self) -> None:
        name = self.random.choice(sorted(self.survivors) or [""])
        if name and await unmerge_named(self.database, self.merged[0], name):
            del self.survivors[name]
            self.story.append(f"unmerge {name}")
            assert await find_broken(self.database, self.merged[0].team_id) == {}, self.story


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


def note(text: str, subjects: Collection[str], object_name: str) -> Submission:
    """One sentence in its own voice, cited for each subject."""
    bare = state("s", "depends_on", object_name, text=text, source_group=text)
    proposals = [
        RelationshipProposal(
            f"p{subject}", subject, "depends_on", (CitedSpan(0, 0, len(text)),), object_ref="o"
        )
        for subject in subjects
    ]
    entities = [EntityProposal(subject, subject) for subject in subjects]
    return Submission(bare.evidence, (*entities, EntityProposal("o", object_name)), tuple(proposals))


async def positions(database: Database, caller: Caller) -> list[Row]:
    return await rows(database, caller, _POSITIONS, profile_id=caller.profile_id)


async def told(database: Database, team: tuple[Caller, ...]) -> dict[object, object]:
    """Return how each position of the team stands, but for those that are over and that nothing supports."""
    return {
        (owner, one["subject"], one["object"]): (one["tier"], one["status"], one["texts"], one["is_eligible"])
        for owner, caller in enumerate(team)
        for one in await positions(database, caller)
        if one["status"] != "retracted" or one["texts"]
    }


@pytest.mark.parametrize("seed", range(HISTORIES))
@pytest.mark.parametrize("is_weak", [False, True])
async def test_all_is_as_if_nothing_had_been_merged(
    database: Database, make_team: MakeTeam, make_profile: MakeProfile, seed: int, is_weak: bool
) -> None:
    teams = [await make_team() for _ in range(2)]
    merged, plain = [(team, await make_profile(team, "Second")) for team in teams]
    world = World(database, merged, plain, random.Random(seed))
    for team in teams:
        for name in NAMES:
            await make_entity(database, team, name, kind="other")
    strong = ScriptedVerifier()
    for _ in range(ACTS):
        match world.random.choice(("say", "say", "say", "other", "text", "merge", "merge", "unmerge")):
            case "say":
                await world.say(strong)
            case "other":
                await (world.say_weakly() if is_weak else world.retract_position())
            case "text":
                await world.retract_text()
            case "merge":
                await world.merge()
            case _:
                await world.unmerge()
    while world.survivors:
        await world.unmerge()
    assert await told(database, merged) == await told(database, plain), world.story


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
_TEXTS: LiteralString = """
    SELECT id, content FROM evidence
    WHERE team_id = %(team_id)s AND profile_id = %(profile_id)s AND state = 'active' ORDER BY content
"""
# A side that nobody takes any more stays on record in the case.
_OPEN_CASES: LiteralString = """
    SELECT array_agg(DISTINCT r.semantic_group_key) AS sides
    FROM conflict_cases AS c
    JOIN conflict_positions AS p ON p.team_id = c.team_id AND p.case_id = c.id
    JOIN relationships AS r ON r.team_id = p.team_id AND r.semantic_group_key = p.semantic_group_key
    WHERE c.team_id = %(team_id)s AND c.status = 'open' AND r.status IN ('active', 'disputed') GROUP BY c.id
"""
_NAMES: LiteralString = "SELECT name FROM entities WHERE team_id = %(team_id)s ORDER BY name"
_ENTITY: LiteralString = "SELECT id FROM entities WHERE team_id = %(team_id)s AND name = %(name)s"
