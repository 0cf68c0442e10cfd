"""Merges at random, all undone in any order: the ledger is as it would be if nobody had merged anything."""

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, LiteralString

import pytest

from app.kernel.database import Database
from app.remember.submission import CitedSpan, EntityProposal, RelationshipProposal, Submission
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity
from tests.integration.changes import retract, retract_text
from tests.integration.merging import INSUFFICIENT
from tests.integration.random_merges import (
    HISTORIES,
    NAMES,
    OBJECTS,
    SUBJECTS,
    merge_named,
    positions,
    unmerge_named,
)
from tests.integration.submissions import ScriptedVerifier, remember, rows, state

ACTS: Final = 30


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


_TEXTS: LiteralString = """
    SELECT id, content FROM evidence
    WHERE team_id = %(team_id)s AND profile_id = %(profile_id)s AND state = 'active' ORDER BY content
"""
