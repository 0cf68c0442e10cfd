"""Questions with known answers, and what would be wrong to show for them. Pure.

Five classes: `exact` names the thing and the relation as they are stored, `alias` names it by another name, `typo`
by one that a slip of the keyboard changed, `paraphrase` tells the relation in other words, `two_hop` asks for what
is known about something that is not named but known of the named. A name that two of a team bear is asked about
only where one of them has the relation.

Hard negatives are what is known, in the very relation, of things whose names share a word with the asked one, and
all that is known of the other bearers of the name.
"""

import random
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar, get_args

from app.cli.bench.recall.corpus import Known, TeamCorpus
from app.cli.bench.recall.lookup import Asked, Lookup, make_lookup, other_end, split_words
from app.cli.bench.recall.words import OTHER_WORDS, PLAIN, TWO_HOPS

QuestionClass = Literal["exact", "alias", "typo", "paraphrase", "two_hop"]
CLASSES: Final[tuple[QuestionClass, ...]] = get_args(QuestionClass)
MAX_ANSWERS: Final = 8
# A slip in a shorter name may well be another name.
LEAST_TYPED: Final = 6
DRAWS: Final = 60
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of which team, about which of its entities; no answer is also bad."""

    team: int
    kind: QuestionClass
    text: str
    about: int
    answers: frozenset[Known]
    bad: frozenset[Known]


def make_questions(teams: Sequence[TeamCorpus], *, seed: int, each: int) -> tuple[Question, ...]:
    """Return `each` questions of each class, from all teams in turn, fewer from a corpus too small for them.

    The same for the same seed. Paraphrases and chains are worded one way for even seeds, another way for odd ones.
    """
    chance = random.Random(f"questions/{seed}")
    lookups = [make_lookup(team) for team in teams]
    questions: list[Question] = []
    for kind in CLASSES:
        found: dict[tuple[int, str], Question] = {}
        for draw in range(DRAWS * each):
            place = draw % len(teams)
            question = _draw(lookups[place], place, kind, chance, half=seed % 2)
            if question is not None:
                found.setdefault((place, question.text), question)
            if len(found) == each:
                break
        questions.extend(found.values())
    return tuple(questions)


def _draw(
    lookup: Lookup, team: int, kind: QuestionClass, chance: random.Random, *, half: int
) -> Question | None:
    """Return one question, or None where what was drawn makes none."""
    if kind == "two_hop":
        chain, wording = _wording(TWO_HOPS, chance, half)
        entity = _pick(lookup, chain[0], chance)
        reach = _reach(lookup, chain)
        name = None if entity is None else lookup.team.entities[entity].name
    else:
        asked, wording = _wording(OTHER_WORDS if kind == "paraphrase" else PLAIN, chance, half)
        if kind != "paraphrase":
            wording = chance.choice(PLAIN[asked])
        entity = _pick(lookup, asked, chance)
        reach = {place: set(found) for (place, key), found in lookup.around.items() if key == asked}
        name = None if entity is None else _name(lookup, entity, kind, chance)
    if entity is None or name is None:
        return None
    answers = reach.get(entity, set())
    namesakes = [one for one in lookup.namesakes(name) if one != entity]
    if not 1 <= len(answers) <= MAX_ANSWERS or any(one in reach for one in namesakes):
        return None
    bad = {known for one in lookup.mistakable(entity) for known in reach.get(one, ())}
    bad |= {known for one in namesakes for known in lookup.of[one]}
    bad -= set(lookup.of[entity]) | answers
    typed = _slip(name, chance) if kind == "typo" else name
    if typed is None or (kind == "typo" and lookup.namesakes(typed)):
        return None
    return Question(team, kind, wording.format(typed), entity, frozenset(answers), frozenset(bad))


def _wording(wordings: Mapping[T, Sequence[str]], chance: random.Random, half: int) -> tuple[T, str]:
    asked = chance.choice(list(wordings))
    middle = len(wordings[asked]) // 2
    return asked, chance.choice(wordings[asked][half * middle : (half + 1) * middle])


def _pick(lookup: Lookup, asked: Asked, chance: random.Random) -> int | None:
    having = [place for (place, key) in lookup.around if key == asked]
    return chance.choice(having) if having else None


def _reach(lookup: Lookup, chain: tuple[Asked, Asked]) -> dict[int, set[Known]]:
    """Return what two relations after each other lead to, by where they start."""
    first, second = chain
    reach: dict[int, set[Known]] = {}
    for (place, asked), found in lookup.around.items():
        if asked == first:
            ends = [other_end(known, place) for known in found]
            ahead = {known for end in ends for known in lookup.around.get((end, second), ())}
            # What the start itself has in the second relation is not asked for.
            ahead -= set(lookup.of[place])
            if ahead:
                reach[place] = ahead
    return reach


def _name(lookup: Lookup, entity: int, kind: QuestionClass, chance: random.Random) -> str | None:
    named = lookup.team.entities[entity]
    if kind == "alias":
        return chance.choice(named.aliases) if named.aliases else None
    if kind == "typo" and max(map(len, split_words(named.name))) < LEAST_TYPED:
        return None
    return named.name


def _slip(name: str, chance: random.Random) -> str | None:
    """Return the name with a letter of its longest word dropped, doubled, swapped or mistyped; not the first."""
    word = max(split_words(name), key=len)
    start = name.casefold().index(word)
    place = start + chance.randrange(1, len(word) - 1)
    before, here, after = name[:place], name[place], name[place + 1 :]
    match chance.randrange(4):
        case 0:
            typed = before + after
        case 1:
            typed = before + here + here + after
        case 2:
            typed = before + after[:1] + here + after[1:]
        case _:
            typed = before + chance.choice(string.ascii_lowercase) + after
    return typed if typed.casefold() != name.casefold() else None
