"""The worker's step when something fails: the verifier, the worker itself, its lease."""

import pytest

from app.kernel.database import Database
from app.kernel.errors import LeaseLost
from app.remember.claim import Citation, Claim, Judgement
from app.remember.pipeline import place_ingest
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.remember.verify import VerifierFailure
from app.tenancy.callers import Caller
from tests.integration.submissions import (
    ScriptedVerifier,
    lease,
    no_echo,
    place,
    placement,
    rows,
    run,
    state,
    submit,
)


def several(count: int) -> Submission:
    """One evidence item with a line per dependency, each its own proposal."""
    lines = [f"FastAPI depends on Package{index}." for index in range(count)]
    content = "\n".join(lines)
    starts = [content.index(line) for line in lines]
    return Submission(
        evidence=(EvidenceItem(content),),
        entities=(
            EntityProposal("f", "FastAPI"),
            *(EntityProposal(f"e{index}", f"Package{index}") for index in range(count)),
        ),
        relationships=tuple(
            RelationshipProposal(
                f"p{index}",
                "f",
                "depends_on",
                (CitedSpan(0, starts[index], starts[index] + len(lines[index])),),
                object_ref=f"e{index}",
            )
            for index in range(count)
        ),
    )


async def test_verifier_failure_leaves_no_verdict_and_waits_longer_each_time(
    database: Database, team: Caller
) -> None:
    down = ScriptedVerifier({"FastAPI depends on Package1.": VerifierFailure("timeout", retryable=True)})
    ingest_id = await submit(database, team, several(3))
    waits = []
    for _ in range(2):
        placed = await place(database, team, ingest_id, verifier=down)
        assert placed.processing_state == "queued"
        assert [one.category is None for one in placed.relationship_outcomes] == [False, True, False]
        assert placed.errors[0]["code"] == "timeout"
        [item] = await rows(
            database,
            team,
            """SELECT attempt, finished_at, extract(epoch FROM run_at - clock_timestamp())::float AS wait
               FROM work_items WHERE team_id = %(team_id)s""",
        )
        assert (item["attempt"], item["finished_at"]) == (0, None)
        waits.append(item["wait"])
    assert 0 < waits[0] < waits[1]
    names = await rows(database, team, "SELECT name FROM entities WHERE team_id = %(team_id)s")
    assert "Package1" not in {row["name"] for row in names}
    assert len(await rows(database, team, "SELECT 1 FROM relationships WHERE team_id = %(team_id)s")) == 2
    placed = await place(database, team, ingest_id)
    assert placed.processing_state == "completed"
    assert placed.errors == ()
    assert {one.category for one in placed.relationship_outcomes} == {"relationship_validated_claim"}


async def test_failure_that_no_retry_helps_is_the_proposals_end(database: Database, team: Caller) -> None:
    refusal = ScriptedVerifier({"FastAPI depends on Starlette.": VerifierFailure("refused", retryable=False)})
    ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    placed = await place(database, team, ingest_id, verifier=refusal)
    assert placed.processing_state == "failed"
    assert placed.relationship_outcomes[0].category == "processing_failed"
    assert placed.relationship_outcomes[0].reason == "refused"
    assert placed.relationship_outcomes[0].relationship_id is None


class Crash(Exception):
    """Stands for a process that dies."""


class CrashingVerifier(ScriptedVerifier):
    """Dies when it is asked about one quote."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        if citation.quote == self.at:
            raise Crash
        return await super().judge(claim, citation)


async def test_crash_in_the_middle_is_resumed_without_repeating_what_is_placed(
    database: Database, team: Caller
) -> None:
    ingest_id = await submit(database, team, several(12))
    with pytest.raises(Crash):
        await place(database, team, ingest_id, verifier=CrashingVerifier("FastAPI depends on Package9."))
    halfway = await placement(database, team, ingest_id)
    assert [one.category is not None for one in halfway.relationship_outcomes] == [True] * 8 + [False] * 4
    verifier = ScriptedVerifier()
    placed = await place(database, team, ingest_id, verifier=verifier)
    assert placed.processing_state == "completed"
    assert len(verifier.asked) == 4
    assert placed.relationship_outcomes[:8] == halfway.relationship_outcomes[:8]
    counted = await rows(
        database,
        team,
        """SELECT count(DISTINCT r.id) AS relationships, max(r.version) AS version,
                  (SELECT count(*) FROM entities AS e WHERE e.team_id = %(team_id)s) AS entities,
                  (SELECT count(*) FROM verification_events AS v WHERE v.team_id = %(team_id)s) AS verdicts
           FROM relationships AS r WHERE r.team_id = %(team_id)s""",
    )
    assert counted == [{"relationships": 12, "version": 1, "entities": 13, "verdicts": 12}]


async def test_crash_between_entities_and_relationship_makes_no_second_entity(
    database: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    monkeypatch.setattr("app.remember.pipeline.place_relationship", _crash)
    with pytest.raises(Crash):
        await place(database, team, ingest_id)
    monkeypatch.undo()
    placed = await place(database, team, ingest_id)
    assert placed.relationship_outcomes[0].status == "active"
    assert len(await rows(database, team, "SELECT 1 FROM entities WHERE team_id = %(team_id)s")) == 2


async def _crash(w: object, placing: object) -> None:
    raise Crash


async def test_lost_lease_writes_nothing(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    old = await lease(database, team, ingest_id)
    await lease(database, team, ingest_id)
    with pytest.raises(LeaseLost):
        await place_ingest(database, old, verifier=ScriptedVerifier(), echo=no_echo)
    assert (await placement(database, team, ingest_id)).processing_state == "queued"
    assert not await rows(database, team, "SELECT 1 FROM entities WHERE team_id = %(team_id)s")


async def test_lease_lost_while_the_verifier_works_writes_nothing(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))

    class Slow(ScriptedVerifier):
        async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
            await lease(database, team, ingest_id)
            return await super().judge(claim, citation)

    with pytest.raises(LeaseLost):
        await place(database, team, ingest_id, verifier=Slow())
    assert not await rows(database, team, "SELECT 1 FROM entities WHERE team_id = %(team_id)s")
    assert not await rows(database, team, "SELECT 1 FROM relationships WHERE team_id = %(team_id)s")


async def test_exhausted_attempts_end_as_processing_failed(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, several(2))
    await run(
        database,
        team,
        "UPDATE work_items SET attempt = 3 WHERE team_id = %(team_id)s RETURNING item_id",
    )
    placed = await place(database, team, ingest_id)
    assert placed.processing_state == "failed"
    assert {one.reason for one in placed.relationship_outcomes} == {"attempts_exhausted"}
    assert placed.errors[0]["code"] == "attempts_exhausted"
    [item] = await rows(database, team, "SELECT finished_at FROM work_items WHERE team_id = %(team_id)s")
    assert item["finished_at"] is not None
