"""The corpus and the planted Hypotheses as rows of teams of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

from app.cli.bench.recall.corpus import Known, TeamCorpus
from app.cli.bench.recall.guesses import Planted
from app.cli.bench.remember import found_caller
from app.cli.bulk import BulkEdge, BulkEntity, insert_edges, insert_entities
from app.hypotheses.writes import Generation, NewHypothesis, SourceSeen, insert_hypotheses
from app.kernel.database import Database, Scope, Writing
from app.kernel.ids import new_id
from app.ledger.identity import Edge, semantic_group_key, target_identity
from app.ledger.predicates.phrases import hedged_statement, statement
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import Predicate
from app.remember.document import write_document
from app.tenancy.callers import Caller


@dataclass(frozen=True, slots=True)
class LoadedTeam:
    """A team's caller, and the ids of what it knows."""

    caller: Caller
    entity_ids: Sequence[str]
    relationship_ids: Mapping[Known, str]


async def load_corpus(
    database: Database, teams: Sequence[TeamCorpus], *, owner: Database | None = None
) -> list[LoadedTeam]:
    """Found a team for each, and leave it knowing what it should, in one transaction a team; return them in order.

    The last ones, which are the smallest, come first, and an owner counts the tables after the first of them: the
    planner takes empty tables for small ones, and looks up each reference of a large team among all of its rows.
    """
    loaded: list[LoadedTeam] = []
    for team in reversed(teams):
        loaded.append(await _load_team(database, team))
        if owner is not None and len(loaded) in (1, len(teams)):
            await owner.unit_of_work(Scope("owner"), lambda w: w.execute(_ANALYZE))
    return loaded[::-1]


async def _load_team(database: Database, corpus: TeamCorpus) -> LoadedTeam:
    caller = await found_caller(database)
    ids = [new_id("ent") for _ in corpus.entities]
    relationship_ids = {known: new_id("rel") for known in corpus.known}

    async def load(w: Writing) -> None:
        predicates = await list_predicates(w, caller.team_id)
        await insert_entities(
            w,
            caller,
            [
                BulkEntity(entity_id, one.kind, one.name, one.aliases)
                for entity_id, one in zip(ids, corpus.entities, strict=True)
            ],
        )
        await insert_edges(
            w,
            caller,
            [
                _make_edge(corpus, known, relationship_id, ids, predicates[known.key])
                for known, relationship_id in relationship_ids.items()
            ],
        )

    await database.unit_of_work(Scope("app", caller.team_id), load)
    return LoadedTeam(caller, ids, relationship_ids)


def _make_edge(
    corpus: TeamCorpus, known: Known, relationship_id: str, ids: Sequence[str], predicate: Predicate
) -> BulkEdge:
    subject, object_ = corpus.entities[known.subject], corpus.entities[known.object]
    names = [(one.name, *one.aliases) for one in (subject, object_)]
    return BulkEdge(
        relationship_id,
        Edge(ids[known.subject], known.key, ids[known.object]),
        predicate,
        statement(subject.name, predicate.verb_phrase, object_.name),
        write_document(names[0], predicate, names[1], polarity="+"),
    )


async def load_guesses(
    database: Database,
    teams: Sequence[TeamCorpus],
    loaded: Sequence[LoadedTeam],
    planted: Sequence[Planted],
) -> dict[Planted, str]:
    """Store the Hypotheses as one finished run of each team would, and return their ids."""
    hypothesis_ids = {one: new_id("hyp") for one in planted}
    for place, team in enumerate(loaded):
        mine = {one: hypothesis_id for one, hypothesis_id in hypothesis_ids.items() if one.team == place}
        if mine:
            await _load_team_guesses(database, teams[place], team, mine)
    return hypothesis_ids


async def _load_team_guesses(
    database: Database, corpus: TeamCorpus, team: LoadedTeam, guesses: Mapping[Planted, str]
) -> None:
    team_id, run_id = team.caller.team_id, new_id("run")

    async def load(w: Writing) -> None:
        predicates = await list_predicates(w, team_id)
        await w.execute(_RUN, {"team_id": team_id, "id": run_id})
        await insert_hypotheses(
            w,
            team_id,
            [
                _make_hypothesis(corpus, team, one, hypothesis_id, run_id, predicates)
                for one, hypothesis_id in guesses.items()
            ],
        )

    await database.unit_of_work(Scope("dreamer", team_id), load)


def _make_hypothesis(
    corpus: TeamCorpus,
    team: LoadedTeam,
    planted: Planted,
    hypothesis_id: str,
    run_id: str,
    predicates: Mapping[str, Predicate],
) -> NewHypothesis:
    ids = team.entity_ids
    predicate = predicates[planted.target.key]
    edge = Edge(ids[planted.target.subject], predicate.key, ids[planted.target.object])
    names = [corpus.entities[end].name for end in (planted.target.subject, planted.target.object)]
    sources = [
        SourceSeen(
            team.relationship_ids[known],
            1,
            semantic_group_key(
                team.caller.team_id,
                Edge(ids[known.subject], known.key, ids[known.object]),
                predicates[known.key],
                polarity="+",
                scope=None,
            ),
            team.caller.profile_id,
            is_candidate=False,
        )
        for known in planted.sources
    ]
    return NewHypothesis(
        hypothesis_id=hypothesis_id,
        subject_entity_id=edge.subject_id,
        predicate_key=predicate.key,
        predicate_version=predicate.version,
        object_entity_id=edge.object_id,
        object_value_id=None,
        target_identity=target_identity(edge, predicate),
        statement=hedged_statement(names[0], predicate.verb_phrase, names[1]),
        generation=Generation(
            cycle_run_id=run_id,
            rationale="Planted to be found.",
            likelihood=planted.likelihood,
            confidence=planted.likelihood,
            paths=[],
            generator_kind="rules",
            generator_version="rules-v1",
            sources=sources,
        ),
    )


_RUN: LiteralString = """
    INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for, finished_at)
    VALUES (%(team_id)s, %(id)s, 'manual:' || %(id)s, 'manual', 'succeeded', clock_timestamp(),
            clock_timestamp())
"""

_ANALYZE: LiteralString = "ANALYZE"
