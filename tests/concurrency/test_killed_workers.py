"""`kill -9` of the remember worker at its commit points: the successor leaves what an undisturbed run leaves.

`DENSEMEM_KILL_ROUNDS` says how many points are tried (2 unless set; 50 is the long form), spread over all of them.
"""

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, LiteralString

import pytest

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id
from tests.concurrency.killed_worker import work_off
from tests.concurrency.ledger_checks import find_broken
from tests.databases import create_database, drop_database, service_url
from tests.integration.submissions import submit

ROUNDS: Final = int(os.environ.get("DENSEMEM_KILL_ROUNDS", "2"))
_ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class End:
    """What a team's ledger says, in words instead of ids, and the checks that it breaks."""

    told: dict[str, list[dict[str, Any]]]  # Rows of `STORIES`.
    broken: dict[str, Any]  # Rows that should not be.


@pytest.fixture(scope="module")
async def undisturbed(settings: Settings) -> tuple[End, int]:
    """The end of a run that nobody kills, and its number of commits."""
    end, said = await run(settings, dies_at="0")
    return end, int(said)


async def test_a_killed_worker_leaves_the_same_end(
    settings: Settings, undisturbed: tuple[End, int], capsys: pytest.CaptureFixture[str]
) -> None:
    expected, commits = undisturbed
    assert expected.broken == {}
    points = [f"{commit}{side}" for commit in range(1, commits + 1) for side in "-+"]
    assert len(points) > 40
    step = max(len(points) // ROUNDS, 1)
    for point in (points[::step] * (ROUNDS // len(points) + 1))[:ROUNDS]:
        end, said = await run(settings, dies_at=point)
        assert said == "killed", point
        assert end == expected, point
    with capsys.disabled():
        sys.stdout.write(f"\n{ROUNDS} rounds of kill -9 at {len(points)} points: the same end in each\n")


async def run(settings: Settings, *, dies_at: str) -> tuple[End, str]:
    """Submit, let a worker die at the point and another one finish; return the end and what the first one said."""
    name = create_database()
    database = Database(settings, url=service_url(name))
    await database.open()
    try:
        caller = await submit_everything(database)
        said = await work(name, dies_at)
        if said == "killed":
            # What expiry would do, without waiting for it.
            await database.unit_of_work(Scope("app"), lambda w: w.execute(_EXPIRE))
            await work_off(service_url(name), 60, "0")
        told = {}
        async with database.reading(Scope("app", caller.team_id)) as reading:
            for title, statement in STORIES.items():
                told[title] = await reading.fetch_all(statement, {"team_id": caller.team_id})
        return End(told, await find_broken(database, caller.team_id)), said
    finally:
        await database.close()
        drop_database(name)


async def work(name: str, dies_at: str) -> str:
    """Return what a worker process says: its number of commits, or `killed`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.concurrency.killed_worker", service_url(name), "60", dies_at),
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    if process.returncode == -signal.SIGKILL:
        return "killed"
    assert process.returncode == 0, errors.decode()[-2000:]
    return output.decode().rsplit("\n", 1)[-1]


async def submit_everything(database: Database) -> Caller:
    """Submit an ingest with every kind of ending, and one that disagrees with it by another profile."""
    submissions = await prepare_everything(database)
    for caller, submission in submissions:
        await submit(database, caller, submission)
    return submissions[0][0]


async def prepare_everything(database: Database) -> list[tuple[Caller, Submission]]:
    """Found a team and return what `submit_everything` submits to it, with who does."""
    team_id = new_team_id()
    scope = Scope("app", team_id)
    await database.unit_of_work(scope, lambda w: found_team(w, team_id, team_id))
    callers = []
    for name in ("First", "Second"):
        profile = await database.unit_of_work(scope, lambda w, name=name: create_profile(w, team_id, name))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        callers.append(
            Caller(
                key_id="key_00000000000000000000000000",
                team_id=team_id,
                profile_id=profile.profile_id,
                scopes=frozenset({"read", "write"}),
                max_authority="primary",
            )
        )
    first, second = callers
    dependencies = [("FastAPI", "depends_on", f"Package {number}") for number in range(12)]
    everything = claims(
        *dependencies,
        ("FastAPI", "licensed_under", "MIT"),
        ("FastAPI", "licensed_under", "ISC"),
        ("FastAPI", "sits_upon", "Starlette"),
        ("the system", "depends_on", "Starlette"),
    )
    return [(first, everything), (second, claims(("FastAPI", "licensed_under", "BSD"), *dependencies[:3]))]


def claims(*triples: tuple[str, str, str]) -> Submission:
    names = dict.fromkeys(name for subject, _, other in triples for name in (subject, other))
    refs = {name: f"e{number}" for number, name in enumerate(names)}
    lines = [" ".join(triple) + "." for triple in triples]
    text = "\n".join(lines)
    starts = [sum(len(line) + 1 for line in lines[:place]) for place in range(len(lines))]
    return Submission(
        (EvidenceItem(text, source_group="docs", source_key="docs", source_revision="1"),),
        tuple(EntityProposal(ref, name) for name, ref in refs.items()),
        tuple(
            RelationshipProposal(
                proposal_id=f"p{place}",
                subject_ref=refs[subject],
                predicate=predicate,
                evidence=(CitedSpan(0, start, start + len(line)),),
                object_ref=refs[other],
            )
            for place, ((subject, predicate, other), start, line) in enumerate(
                zip(triples, starts, lines, strict=True)
            )
        ),
    )


# At the time when the item was due, so that the successor takes the items in the order in which they came: who
# comes second is who opens a conflict.
_EXPIRE: LiteralString = """
    UPDATE work_items SET lease_expires_at = run_at
    WHERE finished_at IS NULL AND lease_expires_at IS NOT NULL
"""
STORIES: Final[dict[str, LiteralString]] = {
    "entities": "SELECT name, kind FROM entities WHERE team_id = %(team_id)s ORDER BY name, kind",
    "positions": """
        SELECT p.name AS owner, s.name AS subject, r.predicate_key, o.name AS object, r.tier, r.status,
               r.version, r.valid_to IS NULL AS is_open,
               (SELECT array_agg(t.reason || ' ' || t.effect ORDER BY t.version)
                FROM relationship_transitions AS t
                WHERE t.team_id = r.team_id AND t.relationship_id = r.id) AS story,
               (SELECT count(*) FROM supports AS x WHERE x.team_id = r.team_id
                  AND x.relationship_id = r.id AND x.is_granted) AS supports,
               (SELECT count(*) FROM verification_events AS v WHERE v.team_id = r.team_id
                  AND v.relationship_id = r.id) AS verdicts,
               (SELECT count(*) FROM support_events AS e WHERE e.team_id = r.team_id
                  AND e.relationship_id = r.id) AS support_events
        FROM relationships AS r
        JOIN profiles AS p ON p.team_id = r.team_id AND p.id = r.owner_profile_id
        JOIN entities AS s ON s.team_id = r.team_id AND s.id = r.subject_entity_id
        JOIN entities AS o ON o.team_id = r.team_id AND o.id = r.object_entity_id
        WHERE r.team_id = %(team_id)s ORDER BY 1, 2, 3, 4
    """,
    "outcomes": """
        SELECT p.name AS owner, o.position, o.category, o.tier, o.status, o.verdict, o.reason,
               o.relationship_id IS NULL AS is_bare, o.review_id IS NULL AS has_no_review
        FROM placement_outcomes AS o
        JOIN ingests AS i ON i.team_id = o.team_id AND i.id = o.ingest_id
        JOIN profiles AS p ON p.team_id = i.team_id AND p.id = i.profile_id
        WHERE o.team_id = %(team_id)s ORDER BY 1, 2
    """,
    "ingests": """
        SELECT p.name AS owner, i.processing_state, i.errors FROM ingests AS i
        JOIN profiles AS p ON p.team_id = i.team_id AND p.id = i.profile_id
        WHERE i.team_id = %(team_id)s ORDER BY 1
    """,
    "cases": """
        SELECT c.kind, c.status, (SELECT count(*) FROM conflict_positions AS x
                                  WHERE x.team_id = c.team_id AND x.case_id = c.id) AS positions
        FROM conflict_cases AS c WHERE c.team_id = %(team_id)s ORDER BY 1, 2, 3
    """,
    "reviews": "SELECT kind, status, reason FROM review_tasks WHERE team_id = %(team_id)s ORDER BY 1, 2, 3",
    "work": """
        SELECT count(*) FILTER (WHERE finished_at IS NULL) AS unfinished FROM work_items
        WHERE team_id = %(team_id)s
    """,
}
