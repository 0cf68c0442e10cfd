"""The finishing transaction: what becomes of generated items, and what it leaves alone."""

from collections.abc import Sequence

from app.dreaming.model import Inputs, Proposal
from app.dreaming.runs.asking import StartRequest
from app.kernel.database import Database, Scope
from app.kernel.ids import new_id
from app.tenancy.callers import Caller
from tests.cycles import (
    dream_of,
    idea,
    make_pattern,
    read_hypotheses,
    run_once,
    scripted,
    scripted_async,
    spoil,
)
from tests.factories import (
    Position,
    change_relationship,
    make_relationship,
)


async def test_an_accepted_idea_becomes_a_proposed_row_with_sources_and_event(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)

    run = await dream_of(database, team, pattern)

    [row] = await read_hypotheses(database, team)
    assert (row["status"], row["cycle_run_id"], row["predicate_key"]) == ("proposed", run.run_id, "uses")
    assert (row["subject_entity_id"], row["object_entity_id"]) == (pattern.subjects[4], pattern.objects[4])
    async with database.reading(Scope("app", team.team_id)) as reading:
        [source] = await reading.fetch_all("SELECT * FROM hypothesis_sources")
        [event] = await reading.fetch_all("SELECT * FROM hypothesis_events")
    assert (source["relationship_id"], source["version"]) == (pattern.last.relationship_id, 1)
    assert source["semantic_group_key"] == pattern.last.group_key
    assert (source["owner_profile_id"], source["is_candidate"]) == (team.profile_id, False)
    assert (event["event"], event["from_status"], event["to_status"]) == ("accepted", None, "proposed")
    assert event["versions_seen"] == {pattern.last.relationship_id: 1}
    assert (run.status, run.funnel["persisted"]) == ("succeeded", 1)


async def test_a_bad_item_never_sinks_the_others(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)

    def propose(inputs: Inputs, _: object) -> Sequence[Proposal]:
        good = idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)
        return [
            spoil(good, likelihood=float("nan")),
            spoil(good, subject_entity_id=new_id("ent")),
            spoil(good, object_value_id=pattern.objects[4]),
            spoil(good, source_relationship_ids=(new_id("rel"),)),
            spoil(good, subject_entity_id=None),
            good,
            good,
        ]

    run = await run_once(database, team, generator=scripted(propose))

    assert run.status == "partially_rejected"
    assert {rejection["reason"]: rejection["count"] for rejection in run.rejections} == {
        "schema_invalid": 2,
        "unknown_reference": 1,
        "source_outside_input": 1,
        "object_form_invalid": 1,
    }
    assert run.funnel["generated"] == 7
    assert (run.funnel["deduplicated"], run.funnel["persisted"]) == (1, 1)
    assert len(await read_hypotheses(database, team)) == 1


async def test_the_output_budget_keeps_what_the_generator_put_first(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)

    def propose(inputs: Inputs, _: object) -> Sequence[Proposal]:
        return [
            idea(inputs, pattern.subjects[4], key, pattern.objects[4], pattern.last)
            for key in ("uses", "benefits_from", "compatible_with")
        ]

    run = await run_once(
        database, team, StartRequest(budgets={"max_outputs": 2}), generator=scripted(propose)
    )

    kept = {row["predicate_key"] for row in await read_hypotheses(database, team)}
    assert kept == {"uses", "benefits_from"}
    assert run.status == "succeeded"
    [rejection] = run.rejections
    assert (rejection["reason"], rejection["count"]) == ("output_budget", 1)


async def test_a_source_that_was_retracted_since_the_snapshot_rejects_its_item_only(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    spare = await make_relationship(database, team, pattern.subjects[0], "depends_on", pattern.objects[4])

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        await change_relationship(database, team, pattern.last.relationship_id, status="retracted")
        return [
            idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last),
            idea(inputs, pattern.subjects[0], "uses", pattern.objects[4], spare),
        ]

    run = await run_once(database, team, generator=scripted_async(propose), others_write=True)

    [row] = await read_hypotheses(database, team)
    assert row["subject_entity_id"] == pattern.subjects[0]
    assert [rejection["reason"] for rejection in run.rejections] == ["source_version_changed"]


async def test_what_became_known_since_the_snapshot_rejects_its_item(
    database: Database, unruled: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        ends = (pattern.subjects[4], pattern.objects[4])
        await make_relationship(database, team, ends[0], "uses", ends[1])
        await make_relationship(database, team, ends[0], "benefits_from", ends[1], Position(polarity="-"))
        await unruled.unit_of_work(
            Scope("app", team.team_id),
            lambda writing: writing.execute(
                "UPDATE entities SET is_merged = true WHERE id = %(id)s", {"id": pattern.subjects[3]}
            ),
        )
        return [
            idea(inputs, ends[0], "uses", ends[1], pattern.last),
            idea(inputs, ends[0], "benefits_from", ends[1], pattern.last),
            idea(inputs, pattern.subjects[3], "benefits_from", pattern.objects[3], pattern.last),
        ]

    run = await run_once(database, team, generator=scripted_async(propose), others_write=True)

    assert [rejection["reason"] for rejection in run.rejections] == [
        "endpoint_missing",
        "exact_relationship_active",
        "opposite_relationship_active",
    ]
    assert await read_hypotheses(database, team) == []


async def test_an_exact_pending_candidate_may_be_the_target_and_stays_as_it_is(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    candidate = await make_relationship(
        database,
        team,
        pattern.subjects[4],
        "uses",
        pattern.objects[4],
        Position(tier="candidate", status="pending_evidence"),
    )

    await dream_of(database, team, pattern)

    [row] = await read_hypotheses(database, team)
    assert row["target_identity"] == candidate.target_identity
    async with database.reading(Scope("app", team.team_id)) as reading:
        [kept] = await reading.fetch_all(
            "SELECT tier, status, version FROM relationships WHERE id = %(id)s",
            {"id": candidate.relationship_id},
        )
    assert kept == {"tier": "candidate", "status": "pending_evidence", "version": 1}


async def test_a_dry_run_shows_what_it_would_persist_and_leaves_nothing(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)

    run = await run_once(database, team, StartRequest(dry_run=True))

    assert await read_hypotheses(database, team) == []
    assert run.would_persist is not None
    [shown] = run.would_persist
    assert (shown["subject_name"], shown["predicate_key"], shown["object_name"]) == (
        "Library 4",
        "uses",
        "Engine 4",
    )
    assert (shown["hypothesis_id"], shown["status"]) == (None, "proposed")
    assert shown["source_relationship_ids"] == [pattern.last.relationship_id]
    assert (run.funnel["generated"], run.funnel["persisted"]) == (1, 0)

    again = await run_once(database, team, StartRequest(dry_run=True))
    assert again.status == "succeeded"
    assert (await run_once(database, team)).funnel["persisted"] == 1
