"""The measurement as a whole: its rows, and which bars they miss."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final, LiteralString

from app.cli.bench.backend import bench_backend
from app.cli.bench.recall.asking import Answers, Asked, ask_all
from app.cli.bench.recall.corpus import make_corpus
from app.cli.bench.recall.guesses import plant_guesses
from app.cli.bench.recall.loading import load_corpus, load_guesses
from app.cli.bench.recall.questions import CLASSES, make_questions
from app.cli.bench.recall.scores import average, quantile
from app.cli.database import open_as_owner, open_database
from app.cli.evaluate.stage import tell
from app.cli.output import Json
from app.kernel.backend import Backend
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.recall.configured_embedder import open_embedder
from app.recall.embedder import Embedder
from app.recall.embeddings import embed_team

LEAST_RECALL: Final = {"exact": 0.95, "alias": 0.95, "typo": 0.85, "two_hop": 0.70}
LEAST_RELATED: Final = 0.9
COLUMNS: Final = {
    "Way": "way",
    "Class": "class",
    "Recall@10": "recall",
    "MRR": "mrr",
    "nDCG@10": "ndcg",
    "Bad@10": "bad",
    "p50, ms": "p50_ms",
    "p95, ms": "p95_ms",
    "p99, ms": "p99_ms",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How large the corpus is, how many questions each class has, and what all is drawn from."""

    relationships: int
    teams: int
    questions: int
    seed: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What there was, one row for each way and class, and the bars that were missed, in words."""

    relationships: int
    questions: int
    rows: tuple[Json, ...]
    related_share: float
    missed: tuple[str, ...]


def run_bench(settings: Settings, plan: Plan) -> Measured:
    """Measure on DATABASE_URL or on a fresh embedded server."""
    with bench_backend(settings) as (backend, on_it):
        return asyncio.run(_run(backend, on_it, plan))


async def _run(backend: Backend, settings: Settings, plan: Plan) -> Measured:
    async with open_database(settings, backend) as database, open_as_owner(settings, backend) as owner:
        embedder = open_embedder(settings.embed_model)
        return await measure_recall(database, plan, owner=owner, embedder=embedder)


async def measure_recall(
    database: Database, plan: Plan, *, owner: Database | None = None, embedder: Embedder | None = None
) -> Measured:
    """Load the plan's corpus into new teams, ask all questions and judge the answers.

    With an owner the planner knows the tables as it would after a while; without, it has to guess.
    """
    corpus = make_corpus(seed=plan.seed, relationships=plan.relationships, teams=plan.teams)
    questions = make_questions(corpus, seed=plan.seed, each=plan.questions)
    guesses = plant_guesses(corpus, questions, seed=plan.seed)
    tell("loading")
    loaded = await load_corpus(database, corpus, owner=owner)
    planted = await load_guesses(database, corpus, loaded, guesses)
    if embedder is not None:
        tell("embedding")
        for team in loaded:
            await embed_team(database, embedder, team.caller.team_id)
    if owner is not None:
        await owner.unit_of_work(Scope("owner"), lambda w: w.execute(_ANALYZE))
    tell("asking")
    answers = await ask_all(database, loaded, questions, planted, embedder=embedder)
    tell("")
    rows = tuple(_row(way, kind, asked) for way, kind, asked in _groups(answers))
    return Measured(
        relationships=sum(len(team.known) for team in corpus),
        questions=len(questions),
        rows=rows,
        related_share=round(answers.related_share, 3),
        missed=tuple(_find_missed(rows, answers.related_share)),
    )


def _groups(answers: Answers) -> list[tuple[str, str, list[Asked]]]:
    groups = [
        (way, kind, [one for one in asked if kind in (one.question.kind, "all")])
        for way, asked in answers.by_way.items()
        for kind in (*CLASSES, "all")
    ]
    return [group for group in groups if group[2]]


def _row(way: str, kind: str, asked: Sequence[Asked]) -> Json:
    quality = asdict(average([one.quality for one in asked]))
    times = [one.milliseconds for one in asked]
    return {
        "way": way,
        "class": kind,
        "questions": len(asked),
        **{name: round(value, 3) for name, value in quality.items()},
        **{f"p{share}_ms": round(quantile(times, share / 100), 1) for share in (50, 95, 99)},
    }


def _find_missed(rows: Sequence[Json], related_share: float) -> list[str]:
    found = {(row["way"], row["class"]): row for row in rows}
    missed = [
        f"{kind}: recall@10 {row['recall']:.3f} is below {least:.2f}"
        for kind, least in LEAST_RECALL.items()
        if (row := found.get(("recall", kind))) and row["recall"] < least
    ]
    for kind in (*CLASSES, "all"):
        ours, plain = found.get(("recall", kind)), found.get(("plain full text", kind))
        if ours and plain and ours["bad"] >= plain["bad"] > 0:
            missed.append(f"{kind}: bad@10 {ours['bad']:.3f} is not below full text's {plain['bad']:.3f}")
    if related_share < LEAST_RELATED:
        missed.append(f"related Hypotheses: {related_share:.3f} is below {LEAST_RELATED:.2f}")
    return missed


_ANALYZE: LiteralString = "ANALYZE"
