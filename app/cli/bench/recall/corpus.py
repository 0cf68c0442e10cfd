"""The teams that recall is measured on: who there is, what is known, and which names are easily mistaken. Pure.

Software products with their makers, licences, languages, topics, towns and duty rotas. Names are made of two words
of small lists, so that each has many that share a word with it; some are one word that a product and its maker
share; some hold signs ("Lumen++", "@slate/cli"). Few products are depended on by many.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.cli.bench.recall.naming import Named, Names

LEAST_TEAM: Final = 60
# How fast team sizes fall: the n-th has so much less than the first.
SKEW: Final = 0.8


@dataclass(frozen=True, slots=True)
class Known:
    """One Relationship: subject, predicate key, object."""

    subject: int
    key: str
    object: int


@dataclass(frozen=True, slots=True)
class TeamCorpus:
    """One team's entities and what it knows, free of repeats."""

    entities: tuple[Named, ...]
    known: tuple[Known, ...]


def make_corpus(*, seed: int, relationships: int, teams: int) -> tuple[TeamCorpus, ...]:
    """Return the teams, the largest first, with at least so many Relationships in all.

    The same for the same seed.
    """
    sizes = share_out(relationships, teams)
    return tuple(make_team(seed=seed, place=place, size=size) for place, size in enumerate(sizes))


def share_out(relationships: int, teams: int) -> list[int]:
    """Return how many Relationships each team has at least, the largest first."""
    weights = [1 / (place + 1) ** SKEW for place in range(teams)]
    spread = max(relationships - LEAST_TEAM * teams, 0) / sum(weights)
    return [LEAST_TEAM + round(spread * weight) + 1 for weight in weights]


def make_team(*, seed: int, place: int, size: int) -> TeamCorpus:
    """Return the team at that place of a corpus, with at least so many Relationships."""
    return _Maker(random.Random(f"{seed}/{place}")).make(size)


class _Maker:
    """A team under construction."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.entities: list[Named] = []
        self.names = Names(chance)
        self.known: dict[Known, None] = {}

    def make(self, size: int) -> TeamCorpus:
        towns = self._many(3 + size // 60, self.names.town)
        regions = self._many(2 + size // 400, self.names.region)
        companies = self._many(4 + size // 30, self.names.company)
        licences = self._many(4, self.names.licence)
        languages = self._many(6, self.names.language)
        topics = self._many(6 + size // 150, self.names.topic)
        for town in towns:
            self._know(town, "located_in", self.chance.choice(regions))
        for company in companies:
            self._know(company, "headquartered_in", self.chance.choice(towns))
            if self.chance.random() < 0.5:
                self._know(company, "funded_by", self.chance.choice(companies))
        duties: list[int] = []
        products: list[int] = []
        while len(self.known) < size:
            product = self._add(self.names.product())
            for _ in range(self.chance.choice((0, 1, 2, 2, 3, 5)) if products else 0):
                # The square favours what came first: few are depended on by many.
                self._know(product, "depends_on", products[int(len(products) * self.chance.random() ** 2)])
            self._know(product, "licensed_under", self.chance.choice(licences))
            self._know(product, "written_in", self.chance.choice(languages))
            self._know(product, "maintained_by", self.chance.choice(companies))
            self._know(product, "has_topic", self.chance.choice(topics))
            if products and self.chance.random() < 0.4:
                self._know(product, "alternative_to", self.chance.choice(products[-30:]))
            if not duties or self.chance.random() < 0.15:
                duties.append(self._add(self.names.duty()))
            self._know(self.chance.choice(duties[-4:]), "responsible_for", product)
            products.append(product)
        return TeamCorpus(tuple(self.entities), tuple(self.known))

    def _many(self, count: int, draw: Callable[[], Named]) -> list[int]:
        return [self._add(draw()) for _ in range(count)]

    def _add(self, named: Named) -> int:
        self.entities.append(named)
        return len(self.entities) - 1

    def _know(self, subject: int, key: str, object_: int) -> None:
        mirrored = Known(object_, key, subject)
        if subject != object_ and not (key == "alternative_to" and mirrored in self.known):
            self.known[Known(subject, key, object_)] = None
