"""How many voices a position has: what is said once more by the same source, or in the same words, counts once."""

import random
from dataclasses import replace
from typing import Final

import pytest

from app.kernel.database import Database, Writing
from app.ledger.evidence.supports import effective_weights, tier_of, weigh_supports
from app.ledger.vocabulary import EvidenceState, SourceType, Tier
from app.remember.placements import RelationshipOutcome
from app.tenancy.authority import Authority
from app.tenancy.callers import Caller
from tests.factories import CANDIDATE, make_entity, make_relationship
from tests.integration.changes import retract_text
from tests.integration.submissions import relationship, remember, rows, scope, state
from tests.voices import Voice, add_voice


async def test_two_source_groups_make_a_fact_and_one_twice_does_not(database: Database, team: Caller) -> None:
    async def say(text: str, source_group: str) -> RelationshipOutcome:
        submission = state("FastAPI", "depends_on", "Starlette", text=text, source_group=source_group)
        return await remember(database, team, submission)

    first = await say("FastAPI depends on Starlette.", "docs")
    same_group = await say("FastAPI requires Starlette.", "docs")
    other = await say("FastAPI relies on Starlette.", "wiki")
    assert [first.tier, same_group.tier, other.tier] == ["validated_claim", "validated_claim", "fact"]
    assert first.relationship_id == same_group.relationship_id == other.relationship_id
    assert (await relationship(database, team, first.relationship_id))["version"] == 3


async def test_one_text_under_two_groups_is_one_voice(database: Database, team: Caller) -> None:
    for source_group in ("docs", "wiki"):
        outcome = await remember(
            database, team, state("FastAPI", "depends_on", "Starlette", source_group=source_group)
        )
    assert outcome.tier == "validated_claim"


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI depends on Starlette. ",
        "FastAPI  depends on Starlette",
        "FASTAPI depends on Starlette.",
        "FastAPI depends on\u200b Starlette.",
        "FastAPI depends on Starlette",
    ],
)
async def test_a_text_that_only_looks_different_is_one_voice(
    database: Database, team: Caller, text: str
) -> None:
    await remember(database, team, state("FastAPI", "depends_on", "Starlette", source_group="docs"))
    outcome = await remember(
        database, team, state("FastAPI", "depends_on", "Starlette", text=text, source_group="wiki")
    )
    assert outcome.tier == "validated_claim"


@pytest.mark.parametrize("source_group", ["DOCS", "docs ", "do\u200bcs", "\uff44ocs"])
async def test_a_group_that_only_looks_different_is_the_same(
    database: Database, team: Caller, source_group: str
) -> None:
    await remember(database, team, state("FastAPI", "depends_on", "Starlette", source_group="docs"))
    text = "FastAPI relies on Starlette."
    outcome = await remember(
        database, team, state("FastAPI", "depends_on", "Starlette", text=text, source_group=source_group)
    )
    assert outcome.tier == "validated_claim"


@pytest.mark.parametrize("source_type", ["manual", "conversation"])
@pytest.mark.parametrize(("source_key", "tier"), [(None, "validated_claim"), ("notes", "fact")])
async def test_groups_that_a_profile_makes_up_without_a_source_are_one_voice(
    database: Database, team: Caller, source_type: SourceType, source_key: str | None, tier: Tier
) -> None:
    async def say(text: str, source_group: str) -> RelationshipOutcome:
        said = state("FastAPI", "depends_on", "Starlette", text=text, source_group=source_group)
        [item] = said.evidence
        key = source_key and f"{source_key} of {source_group}"
        return await remember(
            database, team, replace(said, evidence=(replace(item, source_type=source_type, source_key=key),))
        )

    await say("FastAPI depends on Starlette.", "docs")
    outcome = await say("FastAPI relies on Starlette.", "wiki")
    assert outcome.tier == tier
    # The tier follows from the same rule when it is weighed again.
    third = await say("FastAPI requires Starlette.", "log")
    [evidence] = await rows(
        database, team, "SELECT id FROM evidence WHERE team_id = %(team_id)s AND source_group = 'log'"
    )
    await retract_text(database, team, evidence["id"])
    assert (await relationship(database, team, third.relationship_id))["tier"] == tier


async def test_the_database_counts_voices_as_the_placement_does(database: Database, team: Caller) -> None:
    """Whatever the groups, words, sources and authorities of the supports are."""
    chance = random.Random(47)
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Starlette")]
    tiers = set()
    for number in range(25):
        made = await make_relationship(
            database, team, ends[0], "uses", ends[1], replace(CANDIDATE, scope=f"case {number}")
        )
        drawn = [_draw(chance) for _ in range(chance.randrange(4))]

        async def add(
            w: Writing, relationship_id: str = made.relationship_id, drawn: list[Voice] = drawn
        ) -> None:
            for voice in drawn:
                await add_voice(w, team, relationship_id, voice)

        await database.unit_of_work(scope(team), add)
        async with database.reading(scope(team)) as reading:
            weights = await effective_weights(reading, team.team_id, made.relationship_id)
            counted = await weigh_supports(reading, team.team_id, made.relationship_id)
        assert counted == tier_of(weights.values()), drawn
        tiers.add(counted)
    assert tiers == {"candidate", "validated_claim", "fact"}


_AUTHORITIES: Final[tuple[Authority, ...]] = (*("primary",) * 6, "authoritative")
_STATES: Final[tuple[EvidenceState, ...]] = (*("active",) * 4, "quarantined")


def _draw(chance: random.Random) -> Voice:
    content = chance.choice(["It is so.", "it  is so", "So it is."])
    authority, group = chance.choice(_AUTHORITIES), chance.choice(["docs", "Docs ", "wiki"])
    return Voice(content, authority, group, chance.choice(_STATES))
