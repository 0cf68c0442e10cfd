"""What is wrong with a submission before anything is stored: all of it, with a path for each fault. Pure.

Bounds: API of `remember`. What can only be known with the ledger at hand (ids, names, predicates) is not looked
at here: it becomes an outcome of the placement.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Final, get_args

from app.kernel.errors import FieldError, InvalidInput
from app.kernel.storable import is_storable
from app.ledger.nodes.values import InvalidValue, parse_value
from app.ledger.vocabulary import EntityKind, Modality, Polarity, SourceType, ValueType
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
    ValueProposal,
)
from app.tenancy.authority import AUTHORITY_ORDER

MAX_EVIDENCE: Final = 20
MAX_CONTENT_LENGTH: Final = 4000
MAX_ENTITIES: Final = 100
MAX_RELATIONSHIPS: Final = 200
MAX_NAME_LENGTH: Final = 256
MAX_ALIASES: Final = 20
MAX_LABELS: Final = 20
MAX_LABEL_LENGTH: Final = 64
MAX_METADATA_BYTES: Final = 8 * 1024
MAX_KEY_LENGTH: Final = 512
MAX_REF_LENGTH: Final = 128
MAX_SCOPE_LENGTH: Final = 128
MAX_COMMENT_LENGTH: Final = 1000
MAX_SPANS: Final = 4

_Faults = Iterator[FieldError]


def check_submission(submission: Submission) -> None:
    """Say nothing about a submission that may be stored.

    Raises:
        InvalidInput: with every fault, in the order of the body; paths such as
            `proposal.relationships.0.evidence.0.end`.
    """
    faults = tuple(_faults(submission))
    if faults:
        raise InvalidInput("The submission cannot be remembered like this.", errors=faults)


def _faults(submission: Submission) -> _Faults:
    yield from _check_count("evidence", len(submission.evidence), 1, MAX_EVIDENCE)
    for index, item in enumerate(submission.evidence):
        yield from _check_evidence(f"evidence.{index}", item)
    yield from _check_sources(submission.evidence)
    yield from _check_count("proposal.entities", len(submission.entities), 0, MAX_ENTITIES)
    for index, entity in enumerate(submission.entities):
        yield from _check_entity(f"proposal.entities.{index}", entity)
    refs = [entity.ref for entity in submission.entities]
    yield from _check_unique("proposal.entities", "ref", refs)
    count = len(submission.relationships)
    yield from _check_count("proposal.relationships", count, 0, MAX_RELATIONSHIPS)
    ids = [proposal.proposal_id for proposal in submission.relationships]
    yield from _check_unique("proposal.relationships", "proposal_id", ids)
    for index, proposal in enumerate(submission.relationships):
        path = f"proposal.relationships.{index}"
        yield from _check_relationship(path, proposal, frozenset(refs))
        yield from _check_spans(f"{path}.evidence", proposal.evidence, submission.evidence)


def _check_evidence(path: str, item: EvidenceItem) -> _Faults:
    yield from _check_text(f"{path}.content", item.content, MAX_CONTENT_LENGTH)
    yield from _check_word(f"{path}.source_type", item.source_type, get_args(SourceType))
    yield from _check_word(f"{path}.authority", item.authority, AUTHORITY_ORDER)
    for name in ("source_group", "source_key", "source_revision", "previous_source_revision"):
        text: str | None = getattr(item, name)
        if text is not None:
            yield from _check_text(f"{path}.{name}", text, MAX_KEY_LENGTH)
    if item.source_key is None:
        for name in ("source_revision", "previous_source_revision"):
            if getattr(item, name) is not None:
                yield FieldError(f"{path}.{name}", "source_key_missing", "A revision needs a source key.")
    yield from _check_count(f"{path}.labels", len(item.labels), 0, MAX_LABELS)
    for index, label in enumerate(item.labels):
        yield from _check_text(f"{path}.labels.{index}", label, MAX_LABEL_LENGTH)
    yield from _check_metadata(f"{path}.metadata", item.metadata)


def _check_sources(evidence: tuple[EvidenceItem, ...]) -> _Faults:
    """Say where two items of one source disagree on its revision: the submission is one moment."""
    first: dict[str, EvidenceItem] = {}
    for index, item in enumerate(evidence):
        if item.source_key is None:
            continue
        other = first.setdefault(item.source_key, item)
        for name in ("source_revision", "previous_source_revision"):
            if getattr(item, name) != getattr(other, name):
                message = "Another item of this source says something else."
                yield FieldError(f"evidence.{index}.{name}", "revisions_differ", message)


def _check_metadata(path: str, metadata: Mapping[str, object]) -> _Faults:
    try:
        text = json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        yield FieldError(path, "malformed", "This is no JSON object of sensible depth.")
        return
    if not all(is_storable(one) for one in _texts_in(metadata)):
        yield FieldError(path, "text_malformed", "Text may hold neither NUL nor lone surrogates.")
    elif len(text.encode()) > MAX_METADATA_BYTES:
        yield FieldError(path, "too_long", f"At most {MAX_METADATA_BYTES} bytes.")


def _texts_in(metadata: Mapping[str, object]) -> Iterator[str]:
    waiting: list[object] = [metadata]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value


def _check_entity(path: str, entity: EntityProposal) -> _Faults:
    yield from _check_text(f"{path}.ref", entity.ref, MAX_REF_LENGTH)
    yield from _check_text(f"{path}.name", entity.name, MAX_NAME_LENGTH)
    yield from _check_word(f"{path}.entity_kind", entity.entity_kind, get_args(EntityKind))
    yield from _check_count(f"{path}.aliases", len(entity.aliases), 0, MAX_ALIASES)
    for index, alias in enumerate(entity.aliases):
        yield from _check_text(f"{path}.aliases.{index}", alias, MAX_NAME_LENGTH)
    if entity.known_entity_id is not None and not is_storable(entity.known_entity_id):
        yield FieldError(f"{path}.known_entity_id", "text_malformed", "This is no text.")


def _check_relationship(path: str, proposal: RelationshipProposal, refs: frozenset[str]) -> _Faults:
    yield from _check_text(f"{path}.proposal_id", proposal.proposal_id, MAX_REF_LENGTH)
    yield from _check_text(f"{path}.predicate", proposal.predicate, MAX_NAME_LENGTH)
    if proposal.subject_ref not in refs:
        yield FieldError(f"{path}.subject_ref", "unknown_ref", "No entity of the proposal has this ref.")
    if (proposal.object_ref is None) == (proposal.object_value is None):
        yield FieldError(f"{path}.object_ref", "object_form_invalid", "Give object_ref or object_value.")
    elif proposal.object_ref is not None and proposal.object_ref not in refs:
        yield FieldError(f"{path}.object_ref", "unknown_ref", "No entity of the proposal has this ref.")
    if proposal.object_value is not None:
        yield from _check_value(f"{path}.object_value", proposal.object_value)
    yield from _check_word(f"{path}.polarity", proposal.polarity, get_args(Polarity))
    yield from _check_word(f"{path}.modality", proposal.modality, get_args(Modality))
    if proposal.scope is not None:
        yield from _check_text(f"{path}.scope", proposal.scope, MAX_SCOPE_LENGTH)
    yield from _check_window(path, proposal.valid_from, proposal.valid_to)
    target = proposal.correction_target
    if target is not None and not 1 <= target.expected_version < 2**31:
        yield FieldError(f"{path}.correction_target.expected_version", "out_of_range", "Versions start at 1.")
    if target is not None and not is_storable(target.relationship_id):
        yield FieldError(f"{path}.correction_target.relationship_id", "text_malformed", "This is no text.")
    comment = proposal.client_comment
    if comment is not None and (len(comment) > MAX_COMMENT_LENGTH or not is_storable(comment)):
        yield FieldError(f"{path}.client_comment", "too_long", f"At most {MAX_COMMENT_LENGTH} characters.")


def _check_value(path: str, value: ValueProposal) -> _Faults:
    if value.type not in get_args(ValueType):
        yield from _check_word(f"{path}.type", value.type, get_args(ValueType))
        return
    try:
        parse_value(value.type, value.value, value.unit)
    except InvalidValue as error:
        field = "unit" if error.code.startswith("unit") else "value"
        yield FieldError(f"{path}.{field}", error.code, f"This is no {value.type}.")


def _check_window(path: str, valid_from: datetime | None, valid_to: datetime | None) -> _Faults:
    for name, moment in (("valid_from", valid_from), ("valid_to", valid_to)):
        if moment is not None and moment.tzinfo is None:
            yield FieldError(f"{path}.{name}", "time_zone_missing", "A time needs its offset.")
            return
    if valid_from is not None and valid_to is not None and valid_from >= valid_to:
        yield FieldError(f"{path}.valid_to", "window_empty", "valid_to must be later than valid_from.")


def _check_spans(path: str, spans: tuple[CitedSpan, ...], evidence: tuple[EvidenceItem, ...]) -> _Faults:
    if not spans:
        yield FieldError(path, "evidence_missing", "A relationship cites at least one span.")
    by_item: dict[int, list[CitedSpan]] = defaultdict(list)
    for index, span in enumerate(spans):
        if not 0 <= span.evidence_index < len(evidence):
            message = "There is no evidence item with this index."
            yield FieldError(f"{path}.{index}.evidence_index", "out_of_range", message)
            continue
        length = len(evidence[span.evidence_index].content)
        if not 0 <= span.start < length:
            yield FieldError(f"{path}.{index}.start", "out_of_range", f"0..{length - 1} for this item.")
        elif not span.start < span.end <= length:
            message = f"{span.start + 1}..{length} for this item."
            yield FieldError(f"{path}.{index}.end", "out_of_range", message)
        elif not evidence[span.evidence_index].content[span.start : span.end].strip():
            yield FieldError(f"{path}.{index}", "blank", "The span holds only white space.")
        else:
            by_item[span.evidence_index].append(span)
    for item, cited in by_item.items():
        if len(cited) > MAX_SPANS:
            yield FieldError(path, "too_many", f"At most {MAX_SPANS} spans of evidence item {item}.")
        in_order = sorted(cited, key=lambda span: span.start)
        if any(first.end > second.start for first, second in pairwise(in_order)):
            yield FieldError(path, "spans_overlap", f"Spans of evidence item {item} overlap.")


def _check_text(path: str, text: str, longest: int) -> _Faults:
    if not is_storable(text):
        yield FieldError(path, "text_malformed", "Text may hold neither NUL nor lone surrogates.")
    elif not text.strip():
        yield FieldError(path, "blank", "This must not be blank.")
    elif len(text) > longest:
        yield FieldError(path, "too_long", f"At most {longest} characters.")


def _check_word(path: str, word: str, known: tuple[str, ...]) -> _Faults:
    if word not in known:
        yield FieldError(path, "unknown_word", f"Known are {', '.join(known)}.")


def _check_count(path: str, count: int, fewest: int, most: int) -> _Faults:
    if not fewest <= count <= most:
        yield FieldError(path, "too_few" if count < fewest else "too_many", f"{fewest}..{most} of them.")


def _check_unique(path: str, name: str, values: list[str]) -> _Faults:
    repeated = {value for value, count in Counter(values).items() if count > 1}
    for index, value in enumerate(values):
        if value in repeated:
            yield FieldError(f"{path}.{index}.{name}", "repeated", "This is used twice.")
