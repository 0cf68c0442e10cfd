"""On every route with an id in its path, another team's id is answered exactly like one that was never given."""

from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, operations, read_problem
from tests.api.test_manners import body_of
from tests.case_factories import make_conflict, make_review
from tests.conftest import MakeTeam
from tests.cycles import queue_run
from tests.factories import make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis
from tests.integration.submissions import placement, state, submit

# These name teams and keys of the instance; a team's key is refused before any id is looked at.
_OF_THE_INSTANCE = {"team_id", "key_id"}


async def ids_of(api: Api, caller: Caller) -> dict[str, str]:
    """Give the team one of everything that a path can name."""
    database = api.database
    subject, middle = await make_entity(database, caller, "A"), await make_entity(database, caller, "B")
    target = await make_entity(database, caller, "C")
    first = await make_relationship(database, caller, subject, "depends_on", middle)
    second = await make_relationship(database, caller, middle, "depends_on", target)
    ingest_id = await submit(database, caller, state("X", "depends_on", "Y"))
    predicate = {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"}
    registered = await (await api.client(caller)).post("/v1/predicates", json=predicate)
    assert registered.status_code == 201
    return {
        "ingest_id": ingest_id,
        "relationship_id": first.relationship_id,
        "evidence_id": (await placement(database, caller, ingest_id)).evidence[0].evidence_id,
        "conflict_id": await make_conflict(database, caller, subject, [first, second]),
        "review_id": await make_review(database, caller, second.relationship_id),
        "entity_id": subject,
        "hypothesis_id": await make_hypothesis(
            database, caller, Edge(subject, "depends_on", target), [first, second]
        ),
        "run_id": await queue_run(database, caller),
        "predicate_key": "knits",
    }


async def test_another_teams_id_and_a_missing_one_are_answered_alike_on_every_route(
    api: Api, team: Caller, make_team: MakeTeam
) -> None:
    theirs = await ids_of(api, await make_team())
    missing = {
        name: "purls" if name == "predicate_key" else f"{one.partition('_')[0]}_{NOBODYS_ULID}"
        for name, one in theirs.items()
    }
    client = await api.client(team)
    tried = 0
    for operation in operations():
        names = {part.partition("}")[0] for part in operation.path.split("{")[1:]}
        if not names or names & _OF_THE_INSTANCE:
            continue
        assert names <= theirs.keys(), f"give the team one for {operation.path}"
        answers = [
            await client.request(
                operation.method,
                operation.url(ids),
                json=body_of(operation) if operation.has_body else None,
            )
            for ids in (theirs, missing)
        ]
        assert [answer.status_code for answer in answers] == [404, 404], operation.operation_id
        assert read_problem(answers[0]) == read_problem(answers[1]), operation.operation_id
        tried += 1
    assert tried >= 18
