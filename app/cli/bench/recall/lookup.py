"""What is looked up of a team again and again while questions are made. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.cli.bench.recall.corpus import Known, TeamCorpus

# A relation as asked about: its key, and whether the object or the subject is wanted.
Asked = tuple[str, str]
_SIGNS: Final = str.maketrans(dict.fromkeys("+#./@-", " "))


@dataclass(frozen=True, slots=True)
class Lookup:
    """A team by its parts; lists are in the order of the team's own.

    `around` says what is known of an entity in one relation, `of` all that is; `bearers` who has a name or alias,
    in lower case, and `sharers` who has the word in its name.
    """

    team: TeamCorpus
    around: Mapping[tuple[int, Asked], list[Known]]
    of: Mapping[int, list[Known]]
    bearers: Mapping[str, list[int]]
    sharers: Mapping[str, list[int]]

    def namesakes(self, name: str) -> list[int]:
        """Return everybody who bears the name."""
        return self.bearers.get(name.casefold(), [])

    def mistakable(self, entity: int) -> set[int]:
        """Return the others whose name shares a word with one of the entity's names."""
        named = self.team.entities[entity]
        words = {word for name in (named.name, *named.aliases) for word in split_words(name)}
        return {other for word in words for other in self.sharers.get(word, ())} - {entity}


def make_lookup(team: TeamCorpus) -> Lookup:
    """Return the team by its parts; an alternative is one from both sides."""
    around: dict[tuple[int, Asked], list[Known]] = defaultdict(list)
    of: dict[int, list[Known]] = defaultdict(list)
    for known in team.known:
        around[known.subject, (known.key, "object")].append(known)
        inverse = "object" if known.key == "alternative_to" else "subject"
        around[known.object, (known.key, inverse)].append(known)
        of[known.subject].append(known)
        of[known.object].append(known)
    bearers: dict[str, list[int]] = defaultdict(list)
    sharers: dict[str, list[int]] = defaultdict(list)
    for place, entity in enumerate(team.entities):
        for name in dict.fromkeys((entity.name.casefold(), *(alias.casefold() for alias in entity.aliases))):
            bearers[name].append(place)
        for word in split_words(entity.name):
            sharers[word].append(place)
    return Lookup(team, around, of, bearers, sharers)


def other_end(known: Known, entity: int) -> int:
    """Return the end that is not the entity."""
    return known.object if known.subject == entity else known.subject


def split_words(name: str) -> list[str]:
    """Return the name's words in lower case, without signs."""
    return list(dict.fromkeys(name.casefold().translate(_SIGNS).split()))
