"""What validation reads besides the snapshot, and what it says of each generated item. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.dreaming.model import DuplicateReason, Premise, Proposal, RejectReason, Source, Standing
from app.ledger.identity import Edge
from app.ledger.vocabulary import Predicate


@dataclass(frozen=True, slots=True)
class Current:
    """What the finishing transaction read under lock, after generation.

    `source_versions`: relationship id → (version, eligible) from `lock_sources`; a missing id counts as not
    eligible. `missing_nodes`: endpoints of the snapshot that exist no longer (merged away).
    `missing_predicates`: keys of the snapshot that are no longer registered or were retired since.
    `predicates`: the registry by key; whether a predicate takes the ends is asked of it, not of the snapshot.
    """

    source_versions: Mapping[str, tuple[int, bool]]
    standing: Standing = field(default_factory=Standing)
    missing_nodes: frozenset[str] = frozenset()
    missing_predicates: frozenset[str] = frozenset()
    predicates: Mapping[str, Predicate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Idea:
    """A generated item whose references are resolved against the snapshot.

    `index` is its place in the generator's list. `statement` is written by us from the target, whatever the
    generator's own says: nothing but the target is in it. `edge` is the direction in which it is stated;
    `target_identity` does not depend on it. `premises` are ordered by group key, `sources` (just the listed
    ones) by relationship id; both are free of repeats.
    """

    index: int
    proposal: Proposal
    edge: Edge
    predicate: Predicate
    target_identity: str
    statement: str
    premises: tuple[Premise, ...]
    sources: tuple[Source, ...]

    @property
    def group_keys(self) -> frozenset[str]:
        return frozenset(premise.group_key for premise in self.premises)

    @property
    def source_versions(self) -> dict[str, int]:
        return {source.relationship_id: source.version for source in self.sources}


@dataclass(frozen=True, slots=True)
class Accepted:
    """An idea that becomes a new row. `previous_hypothesis_id`: the ended Hypothesis that it follows."""

    idea: Idea
    previous_hypothesis_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reinforcement:
    """An idea that a live Hypothesis already holds, with something new; a stale one revives by it.

    `new_group_keys` are premises that it did not have, `newer_source_ids` recorded sources whose version
    rose; at least one of the two is not empty.
    """

    hypothesis_id: str
    idea: Idea
    new_group_keys: frozenset[str]
    newer_source_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item that leaves no Hypothesis; `example` is one line for operators, at most 200 characters."""

    reason: RejectReason
    index: int
    example: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An item that says nothing new. `hypothesis_id` is the live row that it regenerates without a change
    (None for `duplicate_in_run`)."""

    reason: DuplicateReason
    index: int
    hypothesis_id: str | None = None


@dataclass(frozen=True, slots=True)
class Validated:
    """Every item of the generator exactly once. `accepted` best likelihood first, the rest by index."""

    accepted: tuple[Accepted, ...] = ()
    reinforced: tuple[Reinforcement, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def generated(self) -> int:
        return len(self.accepted) + len(self.reinforced) + len(self.rejected) + len(self.duplicates)
