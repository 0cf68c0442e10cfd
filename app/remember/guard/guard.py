"""The guard's one step: a submission as it came becomes one that may be stored, and what is to be known about it.

Pure. Source: Design, section 4, step 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from app.remember.guard.injection import Injection, find_injection
from app.remember.guard.mask import texts_in
from app.remember.guard.masking import Masking, find_repeated
from app.remember.submission import EntityProposal, EvidenceItem, RelationshipProposal, Submission


@dataclass(frozen=True, slots=True)
class Masked:
    """How many secrets of one kind were masked at one place, such as `evidence.0.content`; never which."""

    where: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A piece of evidence that is to be stored `quarantined`. The reason says what was found, not its words."""

    evidence_index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Guarded:
    """The submission that may be stored and logged about. `quarantined` is in the order of the evidence."""

    submission: Submission
    masked: tuple[Masked, ...]
    quarantined: tuple[Quarantined, ...]


def guard_submission(submission: Submission) -> Guarded:
    """Return the submission with every secret masked, and the evidence that is to be quarantined.

    Lengths in code points stay as they are in every text that a span or a bound refers to. A proposal that
    tries to instruct a model, in a name, an alias, a value or a comment, quarantines the evidence that it cites:
    evidence is what can be held, and the proposal falls with it. Guarding a guarded submission changes nothing.
    """
    masking = Masking(find_repeated(submission))
    guarded = masking.mask(submission)
    masked = tuple(Masked(where, kind, count) for (where, kind), count in masking.counts.items())
    return Guarded(guarded, masked, _find_quarantined(guarded))


def count_characters(submission: Submission) -> int:
    """Return how many code points the guard has to read, at least once."""
    beside = chain.from_iterable(
        (
            *((item.content, *_texts_beside(item)) for item in submission.evidence),
            *map(_texts_of, submission.entities),
            *map(_texts_of_proposal, submission.relationships),
        )
    )
    return sum(len(text) for text in beside if text)


def _find_quarantined(submission: Submission) -> tuple[Quarantined, ...]:
    reasons: dict[int, str] = {}
    for index, item in enumerate(submission.evidence):
        found = find_injection(item.content)
        if found is not None:
            reasons[index] = f"content: {found.reason}"
        elif (found := _find_in(_texts_beside(item))) is not None:
            reasons[index] = f"labels, metadata or source: {found.reason}"
    hostile = {entity.ref: found for entity in submission.entities if (found := _find_in(_texts_of(entity)))}
    cited = {ref for one in submission.relationships for ref in (one.subject_ref, one.object_ref)}
    for ref, found in hostile.items():
        if ref not in cited:
            # It cites nothing, and its submission's evidence is all that can be held.
            for index in range(len(submission.evidence)):
                reasons.setdefault(index, f"an entity beside it: {found.reason}")
    for proposal in submission.relationships:
        refs = (proposal.subject_ref, proposal.object_ref)
        found = next((hostile[ref] for ref in refs if ref in hostile), None) or _find_in(
            _texts_of_proposal(proposal)
        )
        if found is not None:
            for span in proposal.evidence:
                reasons.setdefault(span.evidence_index, f"a proposal that cites it: {found.reason}")
    return tuple(Quarantined(index, reasons[index]) for index in sorted(reasons))


def _find_in(texts: Iterable[str | None]) -> Injection | None:
    """Look at all short texts at once; a paragraph between them keeps each a sentence of its own."""
    together = "\n\n".join(text for text in texts if text)
    return find_injection(together) if together else None


def _texts_beside(item: EvidenceItem) -> Iterable[str | None]:
    revisions = (item.source_revision, item.previous_source_revision, *item.supersedes_evidence_ids)
    return (*item.labels, *texts_in(item.metadata), item.source_group, item.source_key, *revisions)


def _texts_of(entity: EntityProposal) -> Iterable[str | None]:
    return (entity.name, *entity.aliases, entity.ref, entity.known_entity_id)


def _texts_of_proposal(proposal: RelationshipProposal) -> Iterable[str | None]:
    value = proposal.object_value.value if proposal.object_value else None
    target = proposal.correction_target
    return (
        proposal.proposal_id,
        proposal.predicate,
        proposal.scope,
        proposal.client_comment,
        value if isinstance(value, str) else None,
        proposal.object_value.unit if proposal.object_value else None,
        target.relationship_id if target else None,
    )
