"""Drawing names for one team: each is new among its kind, and many are nearly another's."""

import random
from dataclasses import dataclass, field

from app.cli.bench.recall.words import (
    COMPANY_PARTS,
    DUTIES,
    FIRST,
    LANGUAGES,
    LICENCE_PARTS,
    PRODUCT_PARTS,
    SIGNS,
    TOPIC_ADJECTIVES,
    TOPIC_NOUNS,
    TOWN_ENDS,
    TOWN_STARTS,
    TOWN_STEMS,
)
from app.ledger.vocabulary import EntityKind


@dataclass(frozen=True, slots=True)
class Named:
    """An entity's name, kind and further names."""

    name: str
    kind: EntityKind
    aliases: tuple[str, ...] = ()


@dataclass(slots=True)
class Names:
    """What was drawn so far; when words run out, a number makes a name new."""

    chance: random.Random
    taken: set[tuple[str, str]] = field(default_factory=set)

    def product(self) -> Named:
        """Return "Lumen Gateway", "Lumen Gateway Client", "Lumen" or "Lumen++", some with aliases."""
        first, part, other = self._any(FIRST), self._any(PRODUCT_PARTS), self._any(PRODUCT_PARTS)
        kind = self.chance.random()
        if kind < 0.06:
            return Named(self._new(first, "product"), "product")
        if kind < 0.12:
            return Named(self._new(self._any(SIGNS).format(first), "product"), "product")
        if kind < 0.25 and part != other:
            return Named(self._new(f"{first} {part} {other}", "product"), "product")
        name = self._new(f"{first} {part}", "product")
        alias = self._any(
            (f"{first[:3]}{part[:3]}".lower(), f"lib{first}{part}".lower(), f"{part} of {first}")
        )
        return Named(name, "product", (alias,) if self.chance.random() < 0.5 else ())

    def company(self) -> Named:
        """Return "Kestrel Systems", often also called "Kestrel" or "KES"."""
        first, part = self._any(FIRST), self._any(COMPANY_PARTS)
        alias = self._any((first, first[:3].upper() + part[:1], f"{first} {part[:3]}."))
        name = self._new(f"{first} {part}", "company")
        return Named(name, "organization", (alias,) if self.chance.random() < 0.6 else ())

    def town(self) -> Named:
        """Return "Port Halford" or "Halford"."""
        name = self._any(TOWN_STEMS) + self._any(TOWN_ENDS)
        if self.chance.random() < 0.4:
            name = f"{self._any(TOWN_STARTS)} {name}"
        return Named(self._new(name, "town"), "place")

    def region(self) -> Named:
        """Return "Halshire"."""
        return Named(self._new(f"{self._any(TOWN_STEMS)}shire", "town"), "place")

    def licence(self) -> Named:
        """Return "Onyx Public Licence 2.0", also called "OPL 2.0"."""
        name = self._new(f"{self._any(FIRST)} {self._any(LICENCE_PARTS)}", "licence")
        words = name.split()
        digits = words[-1] if words[-1][0].isdigit() else ""
        short = "".join(word[0] for word in words if word[0].isalpha())
        return Named(name, "document", (f"{short} {digits}".strip(),))

    def language(self) -> Named:
        """Return the name of a programming language."""
        left = tuple(one for one in LANGUAGES if (one, "language") not in self.taken)
        return Named(self._new(self._any(left), "language"), "concept")

    def topic(self) -> Named:
        """Return "lossless compression"."""
        return Named(self._new(f"{self._any(TOPIC_ADJECTIVES)} {self._any(TOPIC_NOUNS)}", "topic"), "concept")

    def duty(self) -> Named:
        """Return "Raven Security Desk"."""
        return Named(self._new(f"{self._any(FIRST)} {self._any(DUTIES)}", "duty"), "other")

    def _any(self, words: tuple[str, ...]) -> str:
        return self.chance.choice(words)

    def _new(self, name: str, group: str) -> str:
        number, tried = 1, name
        while (tried, group) in self.taken:
            number += 1
            tried = f"{name} {number}"
        self.taken.add((tried, group))
        return tried
