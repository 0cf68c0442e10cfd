"""Spec, Eligible Inputs: which Relationships a dream may read, bullet by bullet."""

from itertools import product
from typing import get_args

import pytest

from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs
from app.kernel.database import Database, Scope
from app.ledger.vocabulary import ReviewKind, Status, Tier, Verdict
from app.tenancy.callers import Caller
from tests.case_factories import make_conflict, make_review
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import CANDIDATE, ESTABLISHED, Position, make_entity, make_relationship, make_value
from tests.moments import DAY, NOW


async def read(database: Database, caller: Caller) -> Inputs:
    async with database.snapshot(Scope("dreamer", caller.team_id)) as reading:
        return await read_inputs(reading, caller.team_id, max_premises=20_000, now=NOW)


async def eligible_ids(database: Database, caller: Caller) -> set[str]:
    inputs = await read(database, caller)
    return {source.relationship_id for premise in inputs.premises for source in premise.sources}


async def make_pair(database: Database, caller: Caller) -> tuple[str, str]:
    return await make_entity(database, caller, "FastAPI"), await make_entity(database, caller, "Starlette")


async def is_eligible(database: Database, caller: Caller, position: Position) -> bool:
    fastapi, starlette = await make_pair(database, caller)
    made = await make_relationship(database, caller, fastapi, "depends_on", starlette, position)
    return made.relationship_id in await eligible_ids(database, caller)


async def test_every_status_tier_and_verdict_is_eligible_exactly_where_the_specification_says(
    unruled: Database, team: Caller
) -> None:
    fastapi = await make_entity(unruled, team, "FastAPI")
    expected = set()
    verdicts: tuple[Verdict | str, ...] = (*get_args(Verdict), "none")
    for number, (status, tier, verdict) in enumerate(product(get_args(Status), get_args(Tier), verdicts)):
        if (status, tier) == ("active", "candidate"):
            continue
        library = await make_entity(unruled, team, f"Library {number}")
        position = Position(status=status, tier=tier, verdict=verdict)  # type: ignore[arg-type]  # from the word lists
        made = await make_relationship(unruled, team, fastapi, "depends_on", library, position)
        is_established = status == "active" and tier in ("validated_claim", "fact")
        is_candidate = (status, tier, verdict) == ("pending_evidence", "candidate", "insufficient")
        if is_established or is_candidate:
            expected.add(made.relationship_id)

    assert await eligible_ids(unruled, team) == expected
    assert len(expected) == 9


@pytest.mark.parametrize("base", [ESTABLISHED, CANDIDATE], ids=["established", "candidate"])
async def test_conflict_review_and_revision_exclude_in_every_combination(
    unruled: Database, make_team: MakeTeam, base: Position
) -> None:
    team = await make_team()
    fastapi = await make_entity(unruled, team, "FastAPI")
    expected = set()
    cases = ("none", "open", "preferred", "other", "dismissed")
    for number, (case, is_held, is_current) in enumerate(product(cases, (True, False), (True, False))):
        library = await make_entity(unruled, team, f"Library {number}")
        rival = await make_entity(unruled, team, f"Rival {number}")
        position = Position(
            tier=base.tier, status=base.status, source_revision="1", revision_is_current=is_current
        )
        made = await make_relationship(unruled, team, fastapi, "depends_on", library, position)
        other = await make_relationship(
            unruled, team, fastapi, "depends_on", rival, Position(status="retracted")
        )
        if case in ("open", "dismissed"):
            await make_conflict(
                unruled, team, fastapi, [made, other], status="open" if case == "open" else "dismissed"
            )
        elif case != "none":
            positions = [made, other] if case == "preferred" else [other, made]
            await make_conflict(unruled, team, fastapi, positions, status="resolved")
        if is_held:
            await make_review(unruled, team, made.relationship_id)
        if case in ("none", "preferred", "dismissed") and not is_held and is_current:
            expected.add(made.relationship_id)

    assert await eligible_ids(unruled, team) == expected
    assert len(expected) == 3


async def test_an_invalid_verdict_is_no_verdict(unruled: Database, team: Caller) -> None:
    assert not await is_eligible(
        unruled, team, Position(tier="candidate", status="pending_evidence", schema_valid=False)
    )


@pytest.mark.parametrize("state", ["quarantined", "retracted"])
async def test_a_position_whose_only_evidence_is_out_is_out(
    unruled: Database, make_team: MakeTeam, state: str
) -> None:
    for tier, status in (("fact", "active"), ("candidate", "pending_evidence")):
        team = await make_team()
        position = Position(tier=tier, status=status, evidence_state=state)  # type: ignore[arg-type]  # from the word lists
        assert not await is_eligible(unruled, team, position)


async def test_an_established_position_without_effective_support_is_out(
    unruled: Database, team: Caller
) -> None:
    assert not await is_eligible(unruled, team, Position(has_support=False))


@pytest.mark.parametrize("kind", get_args(ReviewKind))
async def test_an_open_review_of_any_kind_holds_a_position_and_a_closed_one_does_not(
    unruled: Database, make_team: MakeTeam, kind: ReviewKind
) -> None:
    team = await make_team()
    fastapi, starlette = await make_pair(unruled, team)
    made = await make_relationship(unruled, team, fastapi, "depends_on", starlette, CANDIDATE)
    await make_review(unruled, team, made.relationship_id, kind=kind, is_open=False)
    assert await eligible_ids(unruled, team) == {made.relationship_id}

    await make_review(unruled, team, made.relationship_id, kind=kind)
    assert await eligible_ids(unruled, team) == set()


async def test_an_overdue_case_is_still_open(unruled: Database, team: Caller) -> None:
    fastapi, starlette = await make_pair(unruled, team)
    made = await make_relationship(unruled, team, fastapi, "depends_on", starlette)
    await make_conflict(unruled, team, fastapi, [made], due_in=-DAY)
    assert await eligible_ids(unruled, team) == set()


async def test_a_resolved_case_contributes_its_preferred_position_with_all_sources(
    unruled: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    fastapi, starlette = await make_pair(unruled, team)
    flask = await make_entity(unruled, team, "Flask")
    preferred = await make_relationship(unruled, team, fastapi, "depends_on", starlette)
    copy = await make_relationship(unruled, second, fastapi, "depends_on", starlette)
    other = await make_relationship(unruled, second, fastapi, "depends_on", flask)
    await make_conflict(unruled, team, fastapi, [preferred, other], status="resolved")

    [premise] = (await read(unruled, team)).premises

    sources = [source.relationship_id for source in premise.sources]
    assert sources == sorted([preferred.relationship_id, copy.relationship_id])


async def test_a_merged_entity_is_no_endpoint(unruled: Database, team: Caller) -> None:
    fastapi, starlette = await make_pair(unruled, team)
    await make_relationship(unruled, team, fastapi, "depends_on", starlette)
    await unruled.unit_of_work(
        Scope("app", team.team_id),
        lambda writing: writing.execute(
            "UPDATE entities SET is_merged = true WHERE team_id = %(team_id)s AND id = %(id)s",
            {"team_id": team.team_id, "id": starlette},
        ),
    )
    assert await eligible_ids(unruled, team) == set()


async def test_a_predicate_must_fit_both_endpoint_kinds_today(unruled: Database, team: Caller) -> None:
    fastapi, starlette = await make_pair(unruled, team)
    version = await make_value(unruled, team, ">=3.11")
    fits = await make_relationship(unruled, team, fastapi, "requires_python", version)
    await make_relationship(unruled, team, fastapi, "requires_python", starlette)
    assert await eligible_ids(unruled, team) == {fits.relationship_id}


async def test_another_team_is_never_read(unruled: Database, team: Caller, make_team: MakeTeam) -> None:
    other = await make_team()
    fastapi, starlette = await make_pair(unruled, other)
    await make_relationship(unruled, other, fastapi, "depends_on", starlette)
    inputs = await read(unruled, team)
    assert (inputs.premises, inputs.eligible_count, dict(inputs.nodes)) == ((), 0, {})
