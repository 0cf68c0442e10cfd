"""The shapes of a recall, as asked and as answered. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.ledger.vocabulary import Polarity, Tier, ValueType

MAX_QUERY_LENGTH: Final = 512
MAX_RESULTS: Final = 50
MAX_RELATED: Final = 20
MAX_EXPANSIONS: Final = 50


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What is asked: 1..512 code points, at most 50 results, 20 related Hypotheses, 50 entities to start from.

    `valid_at` and `known_at` are aware; None means now and as known now.
    """

    query: str
    limit: int = 10
    hypothesis_limit: int = 5
    valid_at: datetime | None = None
    known_at: datetime | None = None
    expand_from_entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """As of when: what is true at `valid_at`, as known at `known_at` (None: now)."""

    valid_at: datetime
    known_at: datetime | None = None


# What an answer has dozens of is not frozen, unlike the rest: to freeze it takes longer than to make it.
@dataclass(slots=True)
class RecalledNode:
    """An end of a result: an entity, or a value with its type, canonical form and unit ('' for none)."""

    name: str
    entity_id: str | None = None
    value_id: str | None = None
    value_type: ValueType | None = None
    value: str | None = None
    unit: str | None = None


@dataclass(slots=True)
class RecalledPredicate:
    key: str
    label: str


@dataclass(slots=True)
class Quote:
    evidence_id: str
    quote: str


@dataclass(slots=True)
class RecallResult:
    """One equivalence group, spoken for by its strongest, oldest position.

    `equivalent_relationship_ids` are the others, in the same order. At most 5 quotes, the speaker's first.
    `score` is 0..1; `matched_by` names the channels: text, names, graph, embeddings.
    """

    relationship_id: str
    equivalent_relationship_ids: tuple[str, ...]
    subject: RecalledNode
    predicate: RecalledPredicate
    object: RecalledNode
    polarity: Polarity
    scope: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    tier: Tier
    statement: str
    evidence: tuple[Quote, ...]
    score: float
    matched_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecalledPosition:
    """One side of a conflict; the statement is None where nobody holds it any more."""

    position_id: str
    relationship_ids: tuple[str, ...]
    statement: str | None


@dataclass(frozen=True, slots=True)
class RecalledConflict:
    """A case that a result, or a disputed match of the query, is part of; dismissed ones are not shown."""

    conflict_id: str
    kind: Literal["other_object", "opposite_polarity"]
    status: Literal["open", "overdue", "resolved"]
    preferred_position_id: str | None
    positions: tuple[RecalledPosition, ...]


@dataclass(slots=True)
class RelatedHypothesis:
    """A guess beside the results; `matched_by` says why it is here: source, endpoint, text."""

    hypothesis_id: str
    statement: str
    status: Literal["proposed", "reinforced"]
    likelihood: float
    confidence: float
    matched_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Degradation:
    """A part that is missing from the answer, with a stable code and a sentence."""

    part: Literal["embeddings", "related_hypotheses"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Results are best first. Hypotheses are never among them."""

    recall_id: str
    results: tuple[RecallResult, ...]
    conflicts: tuple[RecalledConflict, ...]
    related_hypotheses: tuple[RelatedHypothesis, ...]
    degradations: tuple[Degradation, ...]
