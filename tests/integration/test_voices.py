"""How many voices a position has: what is said once more by the same source, or in the same words, counts once."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.ledger.vocabulary import SourceType, Tier
from app.remember.placements import RelationshipOutcome
from app.tenancy.callers import Caller
from tests.integration.changes import retract_text
from tests.integration.submissions import relationship, remember, rows, state


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
