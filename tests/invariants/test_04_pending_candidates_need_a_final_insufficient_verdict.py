"""Invariant 4: pending candidates are eligible only after schema-valid insufficient verification.

The text of a failing provider must never seed a speculation: no verdict, an invalid one, or another one leaves
the candidate out, in the ledger's view and in a cycle alike.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs, Proposal
from app.hypotheses.echo import EchoIndex
from app.kernel.database import Database, Role, Scope
from app.ledger.vocabulary import Verdict
from app.remember.claim import Judgement
from app.remember.verify import VerifierFailure
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.case_factories import make_review
from tests.conftest import MakeProfile
from tests.cycles import Pattern, idea, make_pattern, read_hypotheses, run_once, scripted, scripted_async
from tests.factories import CANDIDATE, Made, Position, make_relationship
from tests.integration.submissions import (
    ScriptedVerifier,
    place,
    relationship,
    remember,
    rows,
    run,
    state,
    submit,
)
from tests.invariants.attempts import acting_as, refusal
from tests.moments import NOW

QUOTE = "FastAPI depends on Starlette."
INSUFFICIENT = Judgement("insufficient", 0.9, "It does not say so.", "not_stated")


async def dreamable_ids(database: Database, caller: Caller) -> set[str]:
    """Return what a cycle would read now."""
    async with database.snapshot(Scope("dreamer", caller.team_id)) as reading:
        inputs = await read_inputs(reading, caller.team_id, max_premises=20_000, now=NOW)
    return {source.relationship_id for premise in inputs.premises for source in premise.sources}


async def candidates(database: Database, caller: Caller) -> set[str]:
    found = await rows(
        database, caller, "SELECT id FROM relationships WHERE team_id = %(team_id)s AND tier = 'candidate'"
    )
    return {row["id"] for row in found}


async def count_verdicts(database: Database, caller: Caller) -> int:
    return len(await rows(database, caller, "SELECT 1 FROM verification_events WHERE team_id = %(team_id)s"))


async def test_an_insufficient_verdict_makes_a_candidate_dreamable(database: Database, team: Caller) -> None:
    verifier = ScriptedVerifier({QUOTE: INSUFFICIENT})
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"), verifier=verifier)
    assert await dreamable_ids(database, team) == {outcome.relationship_id}


@pytest.mark.parametrize("code", ["timeout", "overloaded", "invalid_answer", "refused"])
@pytest.mark.parametrize("retryable", [True, False])
async def test_a_failing_verifier_seeds_nothing_until_it_has_judged(
    database: Database, team: Caller, code: str, retryable: bool
) -> None:
    down = ScriptedVerifier({QUOTE: VerifierFailure(code, retryable=retryable)})
    ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    for _ in range(3 if retryable else 1):
        await place(database, team, ingest_id, verifier=down)
        assert await dreamable_ids(database, team) == set()
        assert await count_verdicts(database, team) == 0
    assert (await run_once(database, team)).reason == "no_eligible_inputs"
    if not retryable:
        ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    placed = await place(database, team, ingest_id, verifier=ScriptedVerifier({QUOTE: INSUFFICIENT}))
    assert await dreamable_ids(database, team) == {placed.relationship_outcomes[0].relationship_id}


@dataclass(frozen=True, slots=True)
class Unfit:
    """A way for a Relationship to end as a candidate without a final insufficient verdict."""

    judgement: Judgement
    modality: str = "statement"
    is_echo: bool = False


@pytest.mark.parametrize(
    "unfit",
    [
        Unfit(Judgement("entailed", 0.59, "Hardly.", "weak")),
        Unfit(INSUFFICIENT, modality="question"),
        Unfit(INSUFFICIENT, modality="proposal"),
        Unfit(INSUFFICIENT, modality="speculation"),
        Unfit(INSUFFICIENT, modality="quoted"),
        Unfit(INSUFFICIENT, is_echo=True),
        Unfit(Judgement("contradicted", 0.9, "It says the opposite.", "negated")),
    ],
    ids=[
        "entailed below the threshold",
        "question",
        "proposal",
        "speculation",
        "quoted",
        "echo",
        "contradicted",
    ],
)
async def test_a_candidate_that_came_about_otherwise_is_no_seed(
    database: Database, team: Caller, unfit: Unfit
) -> None:
    async def echo(reading: object, team_id: str, quotes: Sequence[str], /) -> bool:
        return unfit.is_echo

    submission = state("FastAPI", "depends_on", "Starlette", modality=unfit.modality)
    verifier = ScriptedVerifier({QUOTE: unfit.judgement})
    outcome = await remember(database, team, submission, verifier=verifier, echo=echo)
    assert await candidates(database, team) == {outcome.relationship_id}
    assert await dreamable_ids(database, team) == set()
    assert (await run_once(database, team)).reason == "no_eligible_inputs"


@pytest.mark.parametrize(
    "said", ["{statement}", "{rationale}", "{statement} {rationale}", "{statement} {statement}"]
)
async def test_a_guess_that_comes_back_as_evidence_seeds_no_further_guess(
    database: Database, team: Caller, said: str
) -> None:
    pattern = await make_pattern(database, team)
    await run_once(database, team)
    [guess] = await read_hypotheses(database, team)
    before = await dreamable_ids(database, team)
    text = said.format_map(guess)
    submission = state("Library 4", "uses", "Engine 4", text=text)
    verifier = ScriptedVerifier({text: INSUFFICIENT})
    outcome = await remember(database, team, submission, verifier=verifier, echo=EchoIndex().is_echo)
    assert outcome.reason == "echo_of_hypothesis"
    stored = await relationship(database, team, outcome.relationship_id)
    assert stored["subject_entity_id"] == pattern.subjects[4]
    assert await dreamable_ids(database, team) == before


LATER: LiteralString = """
    INSERT INTO verification_events
        (team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid, verifier_kind,
         verifier_version, rationale)
    VALUES (%(team_id)s, %(id)s, %(relationship_id)s, %(citation_id)s, %(verdict)s, 0.9, %(schema_valid)s,
            'lexical', 'test', 'Later.')
    RETURNING id
"""


async def judge_again(
    database: Database, caller: Caller, made: Made, verdict: Verdict, *, schema_valid: bool = True
) -> None:
    await run(
        database,
        caller,
        LATER,
        id=f"ver_later_{made.relationship_id}_{verdict}_{schema_valid}",
        relationship_id=made.relationship_id,
        citation_id=made.citation_id,
        verdict=verdict,
        schema_valid=schema_valid,
    )


async def make_candidate(database: Database, caller: Caller, position: Position) -> tuple[Pattern, Made]:
    pattern = await make_pattern(database, caller)
    ends = (pattern.subjects[4], pattern.objects[0])
    return pattern, await make_relationship(database, caller, ends[0], "compatible_with", ends[1], position)


async def test_only_the_final_valid_verdict_counts(database: Database, team: Caller) -> None:
    none = Position(tier="candidate", status="pending_evidence", verdict="none")
    _, made = await make_candidate(database, team, none)
    steps: list[tuple[Verdict, bool, bool]] = [
        ("insufficient", False, False),
        ("insufficient", True, True),
        ("entailed", False, True),
        ("entailed", True, False),
        ("contradicted", False, False),
    ]
    assert made.relationship_id not in await dreamable_ids(database, team)
    for verdict, schema_valid, is_dreamable in steps:
        await judge_again(database, team, made, verdict, schema_valid=schema_valid)
        assert (made.relationship_id in await dreamable_ids(database, team)) is is_dreamable, verdict


@pytest.mark.parametrize("role", ["app", "dreamer"])
@pytest.mark.parametrize("change", ["schema_valid = true", "verdict = 'insufficient'", "created_at = now()"])
async def test_nobody_mends_a_verdict_afterwards(
    database: Database, database_name: str, team: Caller, role: Role, change: LiteralString
) -> None:
    invalid = Position(tier="candidate", status="pending_evidence", schema_valid=False)
    await make_candidate(database, team, invalid)
    with acting_as(database_name, role, team.team_id) as connection:
        attempt = sql.SQL("UPDATE verification_events SET " + change).format()
        assert refusal(connection, attempt) is psycopg.errors.InsufficientPrivilege


@pytest.mark.parametrize(
    "position",
    [
        Position(tier="candidate", status="pending_evidence", verdict="none"),
        Position(tier="candidate", status="pending_evidence", schema_valid=False),
        Position(tier="candidate", status="pending_evidence", verdict="entailed"),
        Position(tier="candidate", status="rejected"),
        Position(tier="candidate", status="quarantined"),
        Position(tier="candidate", status="pending_evidence", source_revision="1", revision_is_current=False),
        Position(tier="candidate", status="pending_evidence", evidence_state="quarantined"),
    ],
)
async def test_a_generator_cannot_lean_on_a_candidate_that_is_not_eligible(
    database: Database, team: Caller, position: Position
) -> None:
    pattern, made = await make_candidate(database, team, position)
    generator = scripted(
        lambda inputs, _: [idea(inputs, pattern.subjects[4], "uses", pattern.objects[0], made)]
    )
    done = await run_once(database, team, generator=generator)
    assert [one["reason"] for one in done.rejections] == ["source_outside_input"]
    assert await read_hypotheses(database, team) == []


@pytest.mark.parametrize("loss", ["another verdict", "a review"])
async def test_a_candidate_that_stops_being_one_during_generation_carries_nothing(
    database: Database, team: Caller, loss: str
) -> None:
    pattern, made = await make_candidate(database, team, CANDIDATE)
    other = await make_relationship(database, team, pattern.objects[0], "alternative_to", pattern.objects[4])

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        if loss == "another verdict":
            await judge_again(database, team, made, "entailed")
        else:
            await make_review(database, team, made.relationship_id)
        return [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], made, other)]

    done = await run_once(database, team, generator=scripted_async(propose), others_write=True)
    assert [one["reason"] for one in done.rejections] == ["source_version_changed"]
    assert await read_hypotheses(database, team) == []


async def test_two_candidates_never_make_a_path_alone_and_a_target_stays_as_it_is(
    database: Database, team: Caller
) -> None:
    pattern, first = await make_candidate(database, team, CANDIDATE)
    second = await make_relationship(
        database, team, pattern.objects[0], "alternative_to", pattern.objects[4], CANDIDATE
    )
    target = await make_relationship(
        database, team, pattern.subjects[4], "uses", pattern.objects[4], CANDIDATE
    )

    def propose(inputs: Inputs, _: object) -> Sequence[Proposal]:
        ends = (pattern.subjects[4], "uses", pattern.objects[4])
        return [
            idea(inputs, *ends, first, second),
            idea(inputs, *ends, target),
            idea(inputs, *ends, target, pattern.last),
        ]

    before = await relationship(database, team, target.relationship_id)
    done = await run_once(database, team, generator=scripted(propose))
    assert [(one["reason"], one["count"]) for one in done.rejections] == [("source_not_connected", 2)]
    [kept] = await read_hypotheses(database, team)
    assert kept["target_identity"] == target.target_identity
    assert await relationship(database, team, target.relationship_id) == before


async def test_a_source_candidate_stays_visible_as_a_candidate(database: Database, team: Caller) -> None:
    pattern, made = await make_candidate(database, team, CANDIDATE)
    other = await make_relationship(database, team, pattern.objects[0], "alternative_to", pattern.objects[4])
    generator = scripted(
        lambda inputs, _: [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], made, other)]
    )
    await run_once(database, team, generator=generator)
    found = await rows(
        database,
        team,
        "SELECT relationship_id, is_candidate FROM hypothesis_sources WHERE team_id = %(team_id)s",
    )
    assert {row["relationship_id"]: row["is_candidate"] for row in found} == {
        other.relationship_id: False,
        made.relationship_id: True,
    }


async def test_two_clients_with_the_same_weak_claim_seed_nothing_before_a_final_verdict(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    weak = state("FastAPI", "depends_on", "Starlette")
    ingests = await asyncio.gather(*(submit(database, caller, weak) for caller in (team, second) * 2))
    down = ScriptedVerifier({QUOTE: VerifierFailure("timeout", retryable=True)})
    insufficient = ScriptedVerifier({QUOTE: INSUFFICIENT})
    await asyncio.gather(
        *(place(database, team, ingest_id, verifier=down) for ingest_id in ingests),
    )
    assert await dreamable_ids(database, team) == set()
    entailed = ScriptedVerifier()
    placed = await asyncio.gather(
        place(database, team, ingests[0], verifier=insufficient),
        place(database, team, ingests[1], verifier=down),
        place(database, team, ingests[2], verifier=entailed),
        place(database, team, ingests[3], verifier=down),
    )
    outcomes = [placement.relationship_outcomes[0] for placement in placed]
    assert [outcome.category for outcome in outcomes[1::2]] == [None, None]
    client = await api.client(second)
    traced = (await client.get(f"/v1/relationships/{outcomes[0].relationship_id}/trace")).json()
    [position] = {outcomes[0].relationship_id, outcomes[2].relationship_id}
    assert traced["relationship"]["tier"] == "validated_claim"
    assert await dreamable_ids(database, team) == {position}


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_two_clients_with_the_same_weak_claim_seed_nothing_before_a_final_verdict,
    "sql": test_nobody_mends_a_verdict_afterwards,
    "two clients": test_two_clients_with_the_same_weak_claim_seed_nothing_before_a_final_verdict,
}
