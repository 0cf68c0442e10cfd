"""Whether a generated item has the closed shape of a Proposal, before any of it is believed. Pure.

The annotations of Proposal promise nothing: a provider's answer, or a faulty generator, may put anything
there. An item that passed can be compared, hashed, encoded and stored without raising.
"""

from app.dreaming.model import CarryingPath, Proposal
from app.llm.reading import is_share, is_text

MAX_REFERENCE_LENGTH = 256
MAX_SOURCE_IDS = 1_000


def find_shape_fault(proposal: Proposal) -> str | None:
    """Return what is wrong with the item's shape in a few words, or None.

    Covers an unreadable answer, wrong types, numbers that are not finite or out of 0..1, blank or overlong
    (over 256) references, no, too many (over 1 000) or repeated source ids, and text that cannot be stored.
    How long a statement or rationale may be is a matter of `wording.py`. Source: Design, section 6.
    """
    if not isinstance(proposal, Proposal):
        return "the item is not a proposal"
    if proposal.malformed is not None:
        return proposal.fault or "the answer could not be read"
    for name, reference in (
        ("subject_entity_id", proposal.subject_entity_id),
        ("predicate_key", proposal.predicate_key),
    ):
        if fault := _find_reference_fault(reference):
            return f"{name} {fault}"
    for name, optional in (
        ("object_entity_id", proposal.object_entity_id),
        ("object_value_id", proposal.object_value_id),
    ):
        if optional is not None and (fault := _find_reference_fault(optional)):
            return f"{name} {fault}"
    for name, text in (("statement", proposal.statement), ("rationale", proposal.rationale)):
        if not is_text(text):
            return f"{name} is not valid text"
    for name, number in (("likelihood", proposal.likelihood), ("confidence", proposal.confidence)):
        if not is_share(number):
            return f"{name} is not a number from 0 to 1"
    return _find_sources_fault(proposal.source_relationship_ids) or _find_paths_fault(proposal.paths)


def _find_reference_fault(reference: object) -> str | None:
    if not isinstance(reference, str) or not is_text(reference):
        return "is not valid text"
    if not reference.strip():
        return "is blank"
    if len(reference) > MAX_REFERENCE_LENGTH:
        return "is too long"
    return None


def _find_sources_fault(source_ids: object) -> str | None:
    if not isinstance(source_ids, tuple):
        return "source_relationship_ids is not a list"
    if not source_ids:
        return "source_relationship_ids is empty"
    if len(source_ids) > MAX_SOURCE_IDS:
        return "source_relationship_ids has too many items"
    for source_id in source_ids:
        if fault := _find_reference_fault(source_id):
            return f"a source id {fault}"
    if len(set(source_ids)) < len(source_ids):
        return "a source id is repeated"
    return None


def _find_paths_fault(paths: object) -> str | None:
    if not isinstance(paths, tuple):
        return "paths is not a list"
    for path in paths:
        if not isinstance(path, CarryingPath):
            return "a path is not a carrying path"
        if not is_text(path.rule) or not isinstance(path.premise_keys, tuple):
            return "a path has no readable rule"
        if not all(is_text(key) for key in path.premise_keys):
            return "a path names no premises"
        if not all(_is_count(count) for count in (path.instances, path.support, path.body)):
            return "a path's counts are not whole numbers"
        if not (is_share(path.confidence) and is_share(path.share)):
            return "a path's confidence or share is not a number from 0 to 1"
    return None


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53
