"""Installed package metadata as evidence: verbatim header lines and what they propose."""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from typing import Final, Literal

PredicateKey = Literal["depends_on", "licensed_under", "requires_python", "has_topic"]
HELD_BACK_PREDICATES: Final[frozenset[PredicateKey]] = frozenset({"depends_on", "licensed_under"})
HELD_BACK_SHARE: Final = 0.2
MAX_CONTENT: Final = 4000

# Lines about people stay out of a demonstration, and so does whatever may be an address.
_PERSON: Final = re.compile(r"^(Author|Maintainer)(-email)?:|@", re.IGNORECASE)
_REQUIREMENT: Final = re.compile(r"^Requires-Dist:\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_LICENSE: Final = re.compile(r"^License(?:-Expression)?:\s*(?!UNKNOWN$)(\S.{0,60})$")
_LICENSE_CLASSIFIER: Final = re.compile(r"^Classifier: License :: (?:OSI Approved :: )?(\S.*)$")
_PYTHON: Final = re.compile(r"^Requires-Python:\s*(\S.*)$")
_TOPIC: Final = re.compile(r"^Classifier: Topic :: (\S.*)$")


@dataclass(frozen=True, slots=True)
class Headers:
    """One package's header lines as its metadata holds them, folded values left out."""

    package: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What one line says of its package. `target` is an entity's name, or a literal for requires_python."""

    package: str
    predicate: PredicateKey
    target: str
    spelling: str
    line: str
    is_conditional: bool


@dataclass(frozen=True, slots=True)
class Document:
    """One evidence item: its content, and the claims whose lines it holds."""

    package: str
    content: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the memory is given, and what it is not told."""

    documents: tuple[Document, ...]
    held_back: tuple[Claim, ...]


def read_headers() -> list[Headers]:
    """Return the header lines of every installed package, ordered by name, one a package."""
    by_name: dict[str, Headers] = {}
    for distribution in distributions():
        text = distribution.read_text("METADATA") or ""
        head = text.replace("\r\n", "\n").partition("\n\n")[0]
        # A line that starts with a blank continues the one above it: both are prose, not a record.
        pieces = re.sub(r"^.*(?:\n[ \t|].*)+", "", head, flags=re.MULTILINE).split("\n")
        lines = tuple(line.rstrip() for line in pieces if line.strip() and not _PERSON.search(line))
        name = next((line.partition(":")[2].strip() for line in lines if line.startswith("Name:")), "")
        if name:
            by_name.setdefault(normalize(name), Headers(name, lines))
    return [by_name[name] for name in sorted(by_name)]


def build_corpus(packages: Sequence[Headers], *, seed: int) -> Corpus:
    """Hold back a fifth of the unconditional dependency and licence claims, drawn with `seed`.

    A held-back claim is left out with every line that states it.
    """
    stated = [claim for package in packages for claim in read_claims(package)]
    candidates = sorted(
        {
            (claim.package, claim.predicate, claim.target)
            for claim in stated
            if claim.predicate in HELD_BACK_PREDICATES and not claim.is_conditional
        }
    )
    # One draw a predicate, so that each loses its fifth.
    secret: set[tuple[str, str, str]] = set()
    generator = random.Random(seed)  # Reproducible sampling, nothing secret.
    for predicate in sorted(HELD_BACK_PREDICATES):
        of_predicate = [key for key in candidates if key[1] == predicate]
        secret |= set(generator.sample(of_predicate, round(len(of_predicate) * HELD_BACK_SHARE)))
    held_back = unique(claim for claim in stated if key_of(claim) in secret and not claim.is_conditional)
    documents = tuple(write_document(package, secret) for package in packages)
    return Corpus(documents, tuple(held_back))


def read_claims(headers: Headers) -> list[Claim]:
    """Return what the lines say, in their order; of several lines with one meaning all are returned."""
    package = normalize(headers.package)
    claims: list[Claim] = []
    # The header outweighs classifiers, which may name several licences without saying how they combine.
    license_line = next((line for line in headers.lines if _LICENSE.match(line)), None)

    def add(predicate: PredicateKey, target: str, spelling: str, line: str) -> None:
        claims.append(
            Claim(package, predicate, target, spelling, line, predicate == "depends_on" and ";" in line)
        )

    for line in headers.lines:
        if match := _REQUIREMENT.match(line):
            if (target := normalize(match[1])) != package:
                add("depends_on", target, match[1], line)
        elif match := _LICENSE.match(line) or _LICENSE_CLASSIFIER.match(line):
            license_line = license_line or line
            if line == license_line:
                add("licensed_under", match[1], match[1], line)
        elif match := _PYTHON.match(line):
            add("requires_python", match[1], match[1], line)
        elif match := _TOPIC.match(line):
            add("has_topic", match[1], match[1], line)
    return claims


def write_document(headers: Headers, secret: set[tuple[str, str, str]]) -> Document:
    """Return the package's evidence without the secret claims, cut at a line end."""
    claims = read_claims(headers)
    hidden = {claim.line for claim in claims if key_of(claim) in secret}
    kept: list[str] = []
    length = 0
    for line in headers.lines:
        if line in hidden:
            continue
        length += len(line) + 1
        if length > MAX_CONTENT:
            break
        kept.append(line)
    known = set(kept)
    told = unique(claim for claim in claims if claim.line in known and key_of(claim) not in secret)
    return Document(normalize(headers.package), "\n".join(kept), tuple(told))


def unique(claims: Iterable[Claim]) -> list[Claim]:
    """Return one claim a meaning; an unconditional line outweighs conditional ones."""
    chosen: dict[tuple[str, str, str], Claim] = {}
    for claim in claims:
        known = chosen.get(key_of(claim))
        if known is None or (known.is_conditional and not claim.is_conditional):
            chosen[key_of(claim)] = claim
    return list(chosen.values())


def key_of(claim: Claim) -> tuple[str, str, str]:
    return (claim.package, claim.predicate, claim.target)


def normalize(name: str) -> str:
    """Return a package's name in the one spelling that package indexes use."""
    return re.sub(r"[-_.]+", "-", name).lower()
