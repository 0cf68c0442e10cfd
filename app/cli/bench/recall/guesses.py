"""Hypotheses planted near the answers of some questions, and decoys that only look near. Pure.

A planted one rests on an answer and on what is known of the answer's end. A decoy rests on neither: it shares an
end with an answer, or is about something whose name is easily mistaken for the asked one, and is likelier.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.cli.bench.recall.corpus import Known, TeamCorpus
from app.cli.bench.recall.lookup import Lookup, make_lookup, other_end
from app.cli.bench.recall.questions import Question

EVERY: Final = 5
PLANTED: Final = 2
DECOYS: Final = 3
# What fits between entities of any kinds.
ANY_KINDS: Final = "benefits_from"


@dataclass(frozen=True, slots=True)
class Planted:
    """A Hypothesis to be, free of repeats within its team; `question` is a place in the list, None for a decoy."""

    team: int
    target: Known
    sources: tuple[Known, ...]
    likelihood: float
    question: int | None


def plant_guesses(
    teams: Sequence[TeamCorpus], questions: Sequence[Question], *, seed: int
) -> tuple[Planted, ...]:
    """Return at most two planted ones and three decoys for every fifth question; the same for the same seed."""
    chance = random.Random(f"guesses/{seed}")
    lookups = [make_lookup(team) for team in teams]
    planted: dict[tuple[int, Known], Planted] = {}
    for place, question in enumerate(questions):
        if place % EVERY == 0:
            lookup = lookups[question.team]
            for one in (*_near(lookup, place, question, chance), *_decoys(lookup, question, chance)):
                if one.target not in lookup.of[one.target.subject]:
                    planted.setdefault((one.team, one.target), one)
    return tuple(planted.values())


def _near(lookup: Lookup, place: int, question: Question, chance: random.Random) -> list[Planted]:
    found: list[Planted] = []
    for answer in sorted(question.answers, key=_order)[:PLANTED]:
        beyond = [one for one in lookup.of[answer.object] if one != answer]
        if beyond:
            other = chance.choice(beyond)
            end = other_end(other, answer.object)
            if end != answer.subject:
                target = Known(answer.subject, ANY_KINDS, end)
                found.append(
                    Planted(question.team, target, (answer, other), round(chance.uniform(0.2, 0.6), 2), place)
                )
    return found


def _decoys(lookup: Lookup, question: Question, chance: random.Random) -> list[Planted]:
    ends = {end for one in question.answers for end in (one.subject, one.object)}
    strangers = [one for one in lookup.team.known if not ends & {one.subject, one.object}]
    alike = sorted(lookup.mistakable(question.about) - ends)
    starts = [*chance.sample(sorted(ends), 1), *chance.sample(alike, min(len(alike), DECOYS - 1))]
    found: list[Planted] = []
    for start in starts:
        sources = tuple(chance.sample(strangers, min(len(strangers), 2)))
        if sources and sources[0].object != start:
            target = Known(start, ANY_KINDS, sources[0].object)
            found.append(Planted(question.team, target, sources, round(chance.uniform(0.6, 0.9), 2), None))
    return found


def _order(known: Known) -> tuple[int, str, int]:
    return known.subject, known.key, known.object
