"""Every question put to recall, to recall without one of its parts, and to plain full text.

Recall itself is asked whole, as a client would: with conflicts, evidence and related Hypotheses. Without a part it
is asked for results only, and so is full text: one query over the same documents that any word may match.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Final, LiteralString

from app.cli.bench.recall.corpus import Known
from app.cli.bench.recall.guesses import Planted
from app.cli.bench.recall.loading import LoadedTeam
from app.cli.bench.recall.questions import Question
from app.cli.bench.recall.scores import DEPTH, Quality, judge
from app.kernel.database import Database, Scope
from app.recall.embedder import Embedder
from app.recall.model import Moment, RecallQuery
from app.recall.primary import PARTS, Part, find_matches
from app.recall.recall import find_meant, recall
from app.recall.results import ask_results

FIRST_RELATED: Final = 5
# Plans, caches and connections are warm before anything is timed.
WARM_UP: Final = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's list, judged, and how long it took."""

    question: Question
    quality: Quality
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Answers:
    """Each way's answers in the order of the questions, and the share of planted Hypotheses among the first 5."""

    by_way: Mapping[str, Sequence[Asked]]
    related_share: float


async def ask_all(
    database: Database,
    loaded: Sequence[LoadedTeam],
    questions: Sequence[Question],
    planted: Mapping[Planted, str],
    *,
    embedder: Embedder | None = None,
) -> Answers:
    """Ask one way after the other, each question once; without an embedder there is no part for it to miss."""
    for question in questions[:WARM_UP]:
        await _ask_whole(database, loaded[question.team], question.text, embedder)
    wanted: dict[int, set[str]] = defaultdict(set)
    for one, hypothesis_id in planted.items():
        if one.question is not None:
            wanted[one.question].add(hypothesis_id)
    whole: list[Asked] = []
    shares: list[float] = []
    for place, question in enumerate(questions):
        team = loaded[question.team]
        began = perf_counter()
        shown, related = await _ask_whole(database, team, question.text, embedder)
        whole.append(_judge(team, question, shown, perf_counter() - began))
        if wanted[place]:
            shares.append(len(wanted[place] & set(related[:FIRST_RELATED])) / len(wanted[place]))
    ways: dict[str, list[Asked]] = {"recall": whole}
    there = PARTS if embedder is not None else PARTS - {"embeddings"}
    for part in sorted(there):
        ways[f"without {part}"] = [
            await _ask(database, loaded[question.team], question, there - {part}, embedder)
            for question in questions
        ]
    ways["plain full text"] = [await _ask(database, loaded[one.team], one, None) for one in questions]
    return Answers(ways, sum(shares) / len(shares) if shares else 1.0)


async def _ask_whole(
    database: Database, team: LoadedTeam, text: str, embedder: Embedder | None
) -> tuple[list[str], list[str]]:
    answer = await recall(database, team.caller, RecallQuery(text), now=datetime.now(UTC), embedder=embedder)
    return (
        [one.relationship_id for one in answer.results],
        [one.hypothesis_id for one in answer.related_hypotheses],
    )


async def _ask(
    database: Database,
    team: LoadedTeam,
    question: Question,
    parts: Collection[Part] | None,
    embedder: Embedder | None = None,
) -> Asked:
    """Ask recall with these parts only, or plain full text where None."""
    team_id = team.caller.team_id
    began = perf_counter()
    moment = Moment(datetime.now(UTC))
    seeks = embedder if parts is not None and "embeddings" in parts else None
    meant, _ = await find_meant(database, seeks, team_id, question.text, moment)
    async with database.snapshot(Scope("app", team_id)) as reading:
        if parts is None:
            params = {"team_id": team_id, "query": question.text, "limit": DEPTH}
            shown = [row["relationship_id"] for row in await reading.fetch_all(_PLAIN, params)]
        else:
            matches = await find_matches(reading, team_id, question.text, moment, meant=meant, parts=parts)
            asked = ask_results(team_id, matches.groups, moment, limit=DEPTH)
            shown = [row["relationship_id"] for row in await reading.fetch_all(*asked)]
    return _judge(team, question, shown, perf_counter() - began)


def _judge(team: LoadedTeam, question: Question, shown: Sequence[str], seconds: float) -> Asked:
    def ids(known: Collection[Known]) -> set[str]:
        return {team.relationship_ids[one] for one in known}

    return Asked(question, judge(shown, ids(question.answers), ids(question.bad)), seconds * 1000)


_PLAIN: LiteralString = """
    WITH wanted AS (
        SELECT replace(plainto_tsquery('english', %(query)s)::text, ' & ', ' | ')::tsquery AS words
    )
    SELECT document.relationship_id
    FROM wanted
    JOIN relationship_documents AS document ON document.search @@ wanted.words
    WHERE document.team_id = %(team_id)s
    ORDER BY ts_rank(document.search, wanted.words, 1) DESC, document.relationship_id LIMIT %(limit)s
"""
