"""What became of the guesses is counted, shown, and moves nothing but places of the output budget."""

from collections import Counter
from dataclasses import asdict
from typing import LiteralString

from app.dreaming.generation import RULES_VERSION
from app.dreaming.grouping.split import keeps_bounds
from app.dreaming.runs.asking import StartRequest
from app.dreaming.status import dreaming_status
from app.hypotheses.lifecycle import ClientEvent
from app.hypotheses.outcomes import OutcomeCounts, read_outcomes
from app.kernel.database import Database, Scope, Writing
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.cycles import run_once, set_setting
from tests.factories import Made, Position, make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis, set_status
from tests.integration.feedback_case import Case, make_case
from tests.invariants.catalogue import fingerprint_team
from tests.moments import NOW

ZERO = dict.fromkeys(("confirmed", "refuted", "rejected", "expired", "ignored", "undecided"), 0)


async def read(database: Database, team: Caller) -> dict[str, dict[str, object]]:
    """Return by predicate how many were dreamed, and of what came of them all that is not 0."""
    async with database.reading(Scope("app", team.team_id)) as reading:
        outcomes = await read_outcomes(reading, team.team_id)
    return {
        one.predicate_key: {
            name: count for name, count in asdict(one).items() if isinstance(count, int) and count
        }
        for one in outcomes
    }


async def decide(
    database: Database, team: Caller, hypothesis_id: str, event: str, status: str | None
) -> None:
    """Do what a decision, or the retention rule, leaves in the tables."""
    kind = "cycle" if event == "retention_expired" else "client"
    params = {"team_id": team.team_id, "id": hypothesis_id, "event": event, "status": status, "kind": kind}

    async def write(writing: Writing) -> None:
        if status is not None:
            await writing.execute(
                "UPDATE hypotheses SET status = %(status)s, row_version = row_version + 1"
                " WHERE team_id = %(team_id)s AND id = %(id)s",
                params,
            )
        await writing.execute(
            "INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind)"
            " VALUES (%(team_id)s, %(id)s, %(event)s, 'proposed', coalesce(%(status)s, 'proposed'), %(kind)s)",
            params,
        )

    scope = Scope("dreamer" if kind == "cycle" else "app", team.team_id)
    await database.unit_of_work(scope, write)


async def end_submissions(database: Database, team: Caller, *, ended_active: bool) -> None:
    sql: LiteralString = """
        UPDATE hypothesis_submissions SET ended_at = clock_timestamp(), ended_active = %(ended_active)s
        WHERE ended_at IS NULL
    """
    await database.unit_of_work(
        Scope("app", team.team_id), lambda w: w.execute(sql, {"ended_active": ended_active})
    )


async def make_guesses(database: Database, team: Caller, count: int, key: str) -> list[tuple[Edge, str]]:
    subject = await make_entity(database, team, f"Subject of {key}")
    middle = await make_entity(database, team, f"Middle of {key}")
    source: Made = await make_relationship(database, team, subject, "related_to", middle)
    guesses = []
    for number in range(count):
        edge = Edge(subject, key, await make_entity(database, team, f"Object {number} of {key}"))
        guesses.append((edge, await make_hypothesis(database, team, edge, [source])))
    return guesses


async def test_each_guess_is_counted_once_under_what_became_of_it(database: Database, team: Caller) -> None:
    guesses = await make_guesses(database, team, 8, "uses")
    edges, ids = [edge for edge, _ in guesses], [hypothesis_id for _, hypothesis_id in guesses]
    await make_relationship(database, team, edges[0].subject_id, "uses", edges[0].object_id)
    denied = Position(polarity="-")
    await make_relationship(database, team, edges[1].subject_id, "uses", edges[1].object_id, denied)
    await decide(database, team, ids[2], "reject", "rejected")
    await decide(database, team, ids[3], "retention_expired", "stale")
    await decide(database, team, ids[4], "ignore", None)
    await decide(database, team, ids[5], "ignore", None)
    await decide(database, team, ids[5], "stale", "stale")
    await decide(database, team, ids[6], "stale", "stale")

    assert await read(database, team) == {
        "uses": {
            "dreamed": 8,
            "confirmed": 1,
            "refuted": 1,
            "rejected": 1,
            "expired": 1,
            "ignored": 2,
            "undecided": 2,
        }
    }


async def test_a_confirmation_counts_when_its_placement_ended_active(
    database: Database, team: Caller
) -> None:
    cases: list[tuple[ClientEvent, bool, str]] = [
        ("confirm_true", True, "confirmed"),
        ("confirm_true", False, "undecided"),
        ("confirm_false", True, "refuted"),
    ]
    for decision, ended_active, outcome in cases:
        case: Case = await make_case(database, team)
        before = (await read(database, team))["depends_on"]
        await case.decide(case.answer(decision))
        await end_submissions(database, team, ended_active=ended_active)
        after = (await read(database, team))["depends_on"]
        if outcome == "undecided":
            assert after == before
        else:
            assert after[outcome] == int(str(before.get(outcome, 0))) + 1


async def test_another_teams_guesses_do_not_count_and_status_shows_ones_own(
    database: Database, team: Caller
) -> None:
    await make_guesses(database, team, 2, "uses")
    async with database.reading(Scope("app", team.team_id)) as reading:
        status = await dreaming_status(reading, team.team_id, NOW)
    assert status.outcomes == (
        OutcomeCounts("uses", "rules", RULES_VERSION, **(ZERO | {"dreamed": 2, "undecided": 2})),
    )


async def make_open_ideas(database: Database, team: Caller) -> None:
    """Three predicates that hold for four of twelve pairs each, so eight ideas of each are open."""
    for key in ("uses", "benefits_from", "supports"):
        for number in range(12):
            first = await make_entity(database, team, f"{key} {number}")
            then = await make_entity(database, team, f"of {key} {number}")
            await make_relationship(database, team, first, f"{BASES[key]}", then)
            if number < 4:
                await make_relationship(database, team, first, key, then)


BASES = {"uses": "depends_on", "benefits_from": "related_to", "supports": "compatible_with"}


async def test_outcomes_move_places_and_no_likelihood_and_no_row_of_the_ledger(
    database: Database, team: Caller
) -> None:
    await make_open_ideas(database, team)
    await set_setting(database, team, "max_outputs", "9")
    decided = {key: await make_guesses(database, team, 9, key) for key in ("uses", "supports")}
    dry = StartRequest(dry_run=True)
    before, ledger = await run_once(database, team, dry), await fingerprint_team(database, team.team_id)
    for _, hypothesis_id in decided["uses"]:
        await decide(database, team, hypothesis_id, "reject", "rejected")
    for _, hypothesis_id in decided["supports"]:
        await set_status(database, team, hypothesis_id, "submitted")
    await end_submissions(database, team, ended_active=True)

    after = await run_once(database, team, dry)
    real = await run_once(database, team)

    assert before.output_split == ()
    split = {str(share["predicate_key"]): share for share in after.output_split}
    assert (split["uses"]["weight"], split["supports"]["weight"]) == (0.5, 1.642857)
    places = {
        name: {key: int(str(share[name])) for key, share in split.items()} for name in ("untuned", "tuned")
    }
    assert places["tuned"]["uses"] < places["untuned"]["uses"]
    assert sum(places["tuned"].values()) == sum(places["untuned"].values()) == 9
    assert keeps_bounds(places["untuned"], places["tuned"])
    shown = Counter(str(idea["predicate_key"]) for idea in after.would_persist or ())
    assert shown == Counter(places["tuned"])
    assert real.output_split == after.output_split
    plain = {idea["statement"]: idea["likelihood"] for idea in before.would_persist or ()}
    for idea in after.would_persist or ():
        assert plain.get(idea["statement"], idea["likelihood"]) == idea["likelihood"]
    assert {idea["likelihood"] for idea in after.would_persist or ()} == set(plain.values())
    changed = {row["source"] for row in await fingerprint_team(database, team.team_id) if row not in ledger}
    # What confirming leaves by itself; no outcome and no cycle touches anything that is known.
    assert changed == {"hypothesis_submissions", "ingests"}
