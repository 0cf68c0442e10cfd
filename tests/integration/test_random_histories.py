"""Random histories of a very small world, one act after the other: the ledger is in order after each.

`DENSEMEM_HISTORIES` says how many (3 unless set; 100 is the long form).
"""

import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, LiteralString, get_args

import pytest

from app.kernel.database import Database, Row
from app.kernel.errors import Forbidden, InvalidInput, NotFound, VersionMismatch, WrongState
from app.ledger.predicates.changes import change_predicate
from app.ledger.predicates.draft import PredicateChanges
from app.ledger.vocabulary import Cardinality
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.concurrency.writers import HashedVerifier
from tests.conftest import MakeProfile
from tests.integration.changes import answer, cases, decide, open_reviews, retract, retract_text
from tests.integration.merging import merge, unmerge
from tests.integration.submissions import place, rows, scope, state, submit

HISTORIES: Final = int(os.environ.get("DENSEMEM_HISTORIES", "3"))
ACTS: Final = 60
NAMES: Final = ("FastAPI", "Fast API", "MIT", "BSD")
PREDICATES: Final = ("depends_on", "licensed_under", "part_of", "has_part")
CARDINALITIES: Final = get_args(Cardinality)
REFUSALS: Final = (Forbidden, InvalidInput, NotFound, VersionMismatch, WrongState)
MOMENTS: Final = (None, None, datetime(2022, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_the_ledger_is_in_order_after_every_act(
    database: Database, team: Caller, make_profile: MakeProfile, seed: int
) -> None:
    world = World(database, (team, await make_profile(team, "Second")), random.Random(seed))
    for _ in range(ACTS):
        await world.act()
        assert await find_broken(database, team.team_id) == {}, world.story
    assert len(world.story) > ACTS / 3


@dataclass
class World:
    """Two profiles of one team, and what they did so far."""

    database: Database
    callers: tuple[Caller, ...]
    random: random.Random
    story: list[str] = field(default_factory=list)

    async def act(self) -> None:
        """Do one thing at random; leave it in the story, unless it was refused."""
        acts: tuple[Callable[[Caller], Awaitable[str]], ...] = (
            *([self.remember] * 8),
            *([self.answer_review] * 6),
            *([self.decide_case] * 2),
            *([self.retract_text] * 2),
            self.retract_position,
            *([self.merge] * 2),
            *([self.unmerge] * 2),
            self.change_predicate,
        )
        try:
            self.story.append(await self.random.choice(acts)(self.random.choice(self.callers)))
        except REFUSALS:
            return

    async def remember(self, caller: Caller) -> str:
        subject, object_name = self.random.sample(NAMES, 2)
        predicate, polarity = self.random.choice(PREDICATES), self.random.choice("+-")
        target = None
        if self.random.random() < 0.2 and (row := await self._any(_POSITIONS, caller)) is not None:
            target = CorrectionTarget(row["id"], row["version"])
        submission = state(
            subject,
            predicate,
            object_name,
            text=f"{subject} {predicate} {object_name} {polarity} {self.random.randrange(9)}.",
            polarity=polarity,
            valid_from=self.random.choice(MOMENTS),
            source_group=self.random.choice(("docs", "wiki")),
            correction_target=target,
        )
        placed = await place(
            self.database, caller, await submit(self.database, caller, submission), verifier=HashedVerifier()
        )
        return f"remember {subject} {predicate} {object_name} {polarity}: {placed.relationship_outcomes}"

    async def answer_review(self, caller: Caller) -> str:
        review = self.random.choice(await open_reviews(self.database, caller) or [None])
        choice = self.random.choice(("accept", "reject", "dispute", "dispute"))
        if review is None:
            return "no review"
        await answer(self.database, caller, review.review_id, choice)
        return f"{choice} {review.kind} {review.relationship_id}"

    async def decide_case(self, caller: Caller) -> str:
        case = self.random.choice(await cases(self.database, caller) or [None])
        if case is None:
            return "no case"
        preferred = self.random.choice([None, *(one.relationship_ids[0] for one in case.positions)])
        await decide(self.database, caller, case, preferred)
        return f"case prefers {preferred}"

    async def retract_position(self, caller: Caller) -> str:
        row = await self._any(_POSITIONS, caller)
        if row is None:
            return "no position"
        await retract(self.database, caller, row["id"])
        return f"retract {row['id']}"

    async def retract_text(self, caller: Caller) -> str:
        row = await self._any(_TEXTS, caller)
        if row is None:
            return "no text"
        await retract_text(self.database, caller, row["id"])
        return f"retract {row['id']}"

    async def merge(self, caller: Caller) -> str:
        [one, other] = [await self._entity(caller) for _ in range(2)]
        await merge(self.database, caller, one, other)
        return f"merge {one} into {other}"

    async def unmerge(self, caller: Caller) -> str:
        one = await self._entity(caller)
        await unmerge(self.database, caller, one)
        return f"unmerge {one}"

    async def change_predicate(self, caller: Caller) -> str:
        key = self.random.choice(PREDICATES)
        cardinality = self.random.choice(CARDINALITIES)
        changes = PredicateChanges(current_cardinality=cardinality)
        await self.database.unit_of_work(scope(caller), lambda w: change_predicate(w, caller, key, changes))
        return f"of {key} {cardinality}"

    async def _entity(self, caller: Caller) -> str:
        row = await self._any(_ENTITIES, caller)
        return "ent_none" if row is None else str(row["id"])

    async def _any(self, statement: LiteralString, caller: Caller) -> Row | None:
        found = await rows(self.database, caller, statement, profile_id=caller.profile_id)
        return self.random.choice([*found, None]) if found else None


_POSITIONS: LiteralString = """
    SELECT id, version FROM relationships
    WHERE team_id = %(team_id)s AND owner_profile_id = %(profile_id)s AND status <> 'retracted' ORDER BY id
"""
_TEXTS: LiteralString = """
    SELECT id FROM evidence
    WHERE team_id = %(team_id)s AND profile_id = %(profile_id)s AND state <> 'retracted' ORDER BY id
"""
_ENTITIES: LiteralString = """
    SELECT id FROM entities WHERE team_id = %(team_id)s AND %(profile_id)s::text IS NOT NULL ORDER BY id
"""
