"""A target that a Hypothesis already holds or held: what is new, what is not, what comes back."""

from app.kernel.database import Database, Scope, Writing
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.cycles import (
    dream_of,
    make_pattern,
    read_events,
    read_hypotheses,
)
from tests.factories import (
    change_relationship,
    make_entity,
    make_relationship,
)


async def submit_feedback(
    database: Database, caller: Caller, hypothesis_id: str, event: str, status: str
) -> None:
    """Do what a client's decision leaves in the tables."""
    params = {"team_id": caller.team_id, "id": hypothesis_id, "event": event, "status": status}

    async def write(writing: Writing) -> None:
        await writing.execute(
            "UPDATE hypotheses SET status = %(status)s, row_version = row_version + 1"
            " WHERE team_id = %(team_id)s AND id = %(id)s",
            params,
        )
        await writing.execute(
            "INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind)"
            " SELECT team_id, hypothesis_id, %(event)s, to_status, %(status)s, 'client' FROM hypothesis_events"
            " WHERE team_id = %(team_id)s AND hypothesis_id = %(id)s ORDER BY id DESC LIMIT 1",
            params,
        )

    await database.unit_of_work(Scope("app", caller.team_id), write)


async def test_the_same_idea_again_changes_nothing(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)
    await dream_of(database, team, pattern)
    await make_entity(database, team, "Nobody's library")
    await make_relationship(database, team, pattern.subjects[0], "depends_on", pattern.objects[1])

    run = await dream_of(database, team, pattern)

    assert (run.funnel["deduplicated"], run.funnel["persisted"], run.funnel["reinforced"]) == (1, 0, 0)
    assert await read_events(database, team) == [("accepted", None, "proposed")]


async def test_another_profiles_copy_of_a_premise_does_not_reinforce(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    pattern = await make_pattern(database, team)
    await dream_of(database, team, pattern)
    second = await make_profile(team, "Second")
    copy = await make_relationship(database, second, pattern.subjects[4], "depends_on", pattern.objects[4])

    run = await dream_of(database, team, pattern, pattern.last, copy)

    assert (run.funnel["deduplicated"], run.funnel["reinforced"]) == (1, 0)


async def test_a_new_premise_reinforces_and_becomes_what_the_hypothesis_rests_on(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    await dream_of(database, team, pattern)
    other = await make_relationship(
        database, team, pattern.subjects[4], "compatible_with", pattern.objects[4]
    )

    run = await dream_of(database, team, pattern, other)

    [row] = await read_hypotheses(database, team)
    assert (row["status"], run.funnel["reinforced"], run.funnel["persisted"]) == ("reinforced", 1, 0)
    async with database.reading(Scope("app", team.team_id)) as reading:
        sources = await reading.fetch_all("SELECT relationship_id, is_current FROM hypothesis_sources")
    assert {source["relationship_id"]: source["is_current"] for source in sources} == {
        pattern.last.relationship_id: False,
        other.relationship_id: True,
    }

    # What it no longer rests on cannot stale it, and is not new when it comes back.
    await change_relationship(database, team, pattern.last.relationship_id, status="retracted")
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "reinforced"


async def test_two_equally_good_reasons_do_not_reinforce_in_turn(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)
    other = await make_relationship(
        database, team, pattern.subjects[4], "compatible_with", pattern.objects[4]
    )
    await dream_of(database, team, pattern)
    await dream_of(database, team, pattern, other)
    await make_relationship(database, team, pattern.subjects[0], "depends_on", pattern.objects[1])

    run = await dream_of(database, team, pattern)

    assert (run.funnel["deduplicated"], run.funnel["reinforced"]) == (1, 0)


async def test_a_newer_source_version_reinforces(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)
    await dream_of(database, team, pattern)
    await change_relationship(database, team, pattern.last.relationship_id, tier="fact", effect="harmless")

    await dream_of(database, team, pattern)

    assert await read_events(database, team) == [
        ("accepted", None, "proposed"),
        ("regenerated", "proposed", "reinforced"),
    ]


async def test_losing_one_of_two_copies_stales_and_the_remaining_premise_revives(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    pattern = await make_pattern(database, team)
    second = await make_profile(team, "Second")
    copy = await make_relationship(database, second, pattern.subjects[4], "depends_on", pattern.objects[4])
    await dream_of(database, team, pattern, pattern.last, copy)
    await change_relationship(database, second, copy.relationship_id, status="retracted")
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "stale"

    await dream_of(database, team, pattern)

    assert await read_events(database, team) == [
        ("accepted", None, "proposed"),
        ("source_lost", "proposed", "stale"),
        ("regenerated", "stale", "reinforced"),
    ]


async def test_what_a_client_staled_needs_something_new(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)
    await dream_of(database, team, pattern)
    [row] = await read_hypotheses(database, team)
    await submit_feedback(database, team, row["id"], "stale", "stale")
    await make_relationship(database, team, pattern.subjects[0], "depends_on", pattern.objects[1])

    run = await dream_of(database, team, pattern)

    assert (run.funnel["deduplicated"], run.funnel["reinforced"]) == (1, 0)
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "stale"


async def test_a_rejected_target_stays_away_until_a_premise_is_newer_and_then_names_its_predecessor(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    await dream_of(database, team, pattern)
    [first] = await read_hypotheses(database, team)
    await submit_feedback(database, team, first["id"], "reject", "rejected")
    await make_relationship(database, team, pattern.subjects[0], "depends_on", pattern.objects[1])

    run = await dream_of(database, team, pattern)
    assert [rejection["reason"] for rejection in run.rejections] == ["target_suppressed"]

    newer = await make_relationship(
        database, team, pattern.subjects[4], "compatible_with", pattern.objects[4]
    )
    await dream_of(database, team, pattern, pattern.last, newer)
    [_, second] = await read_hypotheses(database, team)
    assert (second["status"], second["previous_hypothesis_id"]) == ("proposed", first["id"])
