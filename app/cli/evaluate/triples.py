"""A folder of triples, and how they are divided. Pure but for reading the folder.

The folder holds train.txt and, of what is held out, test.txt and valid.txt (it may be missing):
`head<TAB>relation<TAB>tail`, one a line, UTF-8. Only train.txt is learned from.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.kernel.errors import SetupError
from app.ledger.identity import digest
from app.ledger.vocabulary import EntityKind

Triple = tuple[str, str, str]
CUTS: Final = (20, 100, 200, 500)
# What the name of an Entity may have.
MAX_NAME_LENGTH: Final = 256


@dataclass(frozen=True, slots=True)
class Signature:
    """From which kind a predicate leads to which; no object kind: to Values that are strings."""

    subject_kind: EntityKind
    object_kind: EntityKind | None


@dataclass(frozen=True, slots=True)
class Split:
    """Triples to learn from, and what is held out; MRR is over `test`, P@k over both.

    `kinds` is by node; one that is not there is `other`. A predicate without a signature takes any Entity.
    """

    name: str
    train: tuple[Triple, ...]
    valid: tuple[Triple, ...]
    test: tuple[Triple, ...]
    kinds: Mapping[str, EntityKind] = field(default_factory=dict)
    signatures: Mapping[str, Signature] = field(default_factory=dict)


def read_split(folder: Path) -> Split:
    """Return the folder's triples as they are divided there.

    Raises:
        SetupError: train.txt or test.txt cannot be read, or a line is not three names of at most 256.
    """
    train, test = (_read_triples(folder / f"{name}.txt") for name in ("train", "test"))
    valid = folder / "valid.txt"
    return Split(folder.resolve().name, train, _read_triples(valid) if valid.exists() else (), test)


def split_anew(split: Split, *, shares: tuple[int, int, int], seed: int) -> Split:
    """Return all triples divided anew in these shares of a hundred; the same seed gives the same split."""
    triples = sorted({*split.train, *split.valid, *split.test})
    triples.sort(key=lambda triple: digest("split", str(seed), *triple))
    first = len(triples) * shares[0] // 100
    second = first + len(triples) * shares[1] // 100
    name = f"{split.name} {'/'.join(map(str, shares))} seed {seed}"
    return Split(name, tuple(triples[:first]), tuple(triples[first:second]), tuple(triples[second:]))


def draw_young(split: Split, *, edges: int, seed: int) -> Split:
    """Return a team that knows so many triples, drawn from all; the rest is held out."""
    triples = sorted({*split.train, *split.valid, *split.test})
    random.Random(seed).shuffle(triples)
    known = tuple(sorted(triples[:edges]))
    return Split(f"{split.name}, {edges} edges, draw {seed}", known, (), tuple(triples[edges:]))


def parse_shares(text: str) -> tuple[int, int, int]:
    """Return "30/20/50" as three numbers.

    Raises:
        ValueError: they are not three whole numbers that make a hundred.
    """
    first, second, third = (int(share) for share in text.split("/"))
    if min(first, third) < 1 or second < 0 or first + second + third != 100:
        raise ValueError("the shares make no hundred")
    return first, second, third


def _read_triples(path: Path) -> tuple[Triple, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read as UTF-8 text.", code="no_triples") from error
    triples: list[Triple] = []
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t")
        if not line.strip():
            continue
        if len(columns) != 3 or not all(column.strip() for column in columns):
            message = f"{path.name}, line {number}: three columns are needed, found {len(columns)}."
            raise SetupError(message, code="no_triples")
        if any(len(column) > MAX_NAME_LENGTH or "\0" in column for column in columns):
            message = f"{path.name}, line {number}: a name has at most {MAX_NAME_LENGTH} characters, no NUL."
            raise SetupError(message, code="no_triples")
        triples.append((columns[0], columns[1], columns[2]))
    return tuple(triples)
