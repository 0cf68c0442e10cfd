"""The model's answer, read strictly: a list of proposals, or why none of it can be read. Pure.

The whole answer is unreadable when it is not one JSON object of the schema with this request's reference.
Otherwise each item is judged alone: one that is not exactly right becomes a malformed proposal, which
validation rejects and counts. But for a rationale's line breaks nothing is trimmed, folded, completed or guessed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from app.dreaming.model import Proposal
from app.dreaming.provider.sentence import find_sentence_fault
from app.dreaming.provider.sheet import Sheet
from app.dreaming.validation.wording import MAX_TEXT_LENGTH
from app.llm.reading import Unreadable, find_field_fault, is_share, is_text, read_json
from app.llm.words import NO_WARDENS, Wardens, find_words_fault

ITEM_FIELDS: Final = (
    "group",
    "subject",
    "predicate",
    "object",
    "paths",
    "statement",
    "rationale",
    "likelihood",
    "confidence",
)
MOST_PATHS_PER_IDEA: Final = 12
# Many times what is ever asked for: each of them is judged and counted.
MOST_ITEMS: Final = 500
_REFERENCE: Final = re.compile(r"(?:node|predicate|path|group|choice)_[0-9]", re.IGNORECASE)
_LINE_BREAKS: Final = re.compile(r"[\r\n]+")

Reason = Literal["schema_invalid", "unknown_reference", "statement_invalid"]


def read_answer(text: str, sheet: Sheet, wardens: Wardens = NO_WARDENS) -> tuple[Proposal, ...] | Unreadable:
    """Return one proposal an item, in the answer's order; an empty list is an answer."""
    answer = read_json(text)
    if isinstance(answer, Unreadable):
        return answer
    if fault := find_field_fault(answer, ("request", "ideas")):
        return Unreadable(f"the answer's object: {fault}")
    assert isinstance(answer, dict)
    if answer["request"] != sheet.request:
        return Unreadable("the field request does not repeat this request's reference")
    ideas = answer["ideas"]
    if not isinstance(ideas, list):
        return Unreadable("the field ideas is not a list")
    if len(ideas) > MOST_ITEMS:
        return Unreadable(f"the field ideas holds more than {MOST_ITEMS} items")
    return tuple(
        read_item(item, sheet, wardens)
        if place < sheet.most_ideas
        else _malformed("schema_invalid", "more ideas than were asked for")
        for place, item in enumerate(ideas)
    )


def read_item(item: object, sheet: Sheet, wardens: Wardens = NO_WARDENS) -> Proposal:
    """Return the item as a proposal, malformed where anything in it is not exactly right.

    Its texts are masked, and the rationale is one line; the statement is only held against the rules: the ledger
    keeps one of its own words.
    """
    if fault := _find_form_fault(item):
        return _malformed("schema_invalid", fault)
    assert isinstance(item, dict)
    subject, object_ = sheet.nodes.get(item["subject"]), sheet.nodes.get(item["object"])
    predicate = sheet.predicates.get(item["predicate"])
    pair = sheet.groups.get(item["group"])
    paths = [sheet.paths.get(reference) for reference in item["paths"]]
    premises = [premise for premise in paths if premise is not None]
    if subject is None or object_ is None or predicate is None or pair is None or len(premises) < len(paths):
        return _malformed("unknown_reference", "a reference names nothing that was supplied")
    if {subject.node_id, object_.node_id} != {pair.first, pair.second}:
        return _malformed("unknown_reference", "the idea is not about the pair of its group")
    if any(len(item[name]) > MAX_TEXT_LENGTH for name in ("statement", "rationale")):
        # Nothing else is looked for in them: it would take time, and they are refused anyway.
        return _malformed("statement_invalid", f"a text is longer than {MAX_TEXT_LENGTH} characters")
    statement, rationale = item["statement"], _LINE_BREAKS.sub(" ", item["rationale"]).strip()
    if fault := _find_statement_fault(statement, rationale, (subject.name, object_.name)):
        return _malformed("statement_invalid", fault)
    names = [node.name for node in sheet.nodes.values()]
    for text in (statement, rationale):
        if fault := find_words_fault(text, names, wardens):
            return _malformed("statement_invalid", fault)
    is_value = object_.kind is None
    return Proposal(
        subject_entity_id=subject.node_id,
        predicate_key=predicate,
        object_entity_id=None if is_value else object_.node_id,
        object_value_id=object_.node_id if is_value else None,
        statement=wardens.mask(statement),
        rationale=wardens.mask(rationale),
        likelihood=float(item["likelihood"]),
        confidence=float(item["confidence"]),
        source_relationship_ids=tuple(
            source.relationship_id for premise in premises for source in premise.sources
        ),
    )


def _find_form_fault(item: object) -> str | None:
    if fault := find_field_fault(item, ITEM_FIELDS):
        return fault
    assert isinstance(item, Mapping)
    for name in ("group", "subject", "predicate", "object", "statement", "rationale"):
        if not is_text(item[name]):
            return f"the field {name} is not text"
    for name in ("likelihood", "confidence"):
        if not is_share(item[name]):
            return f"the field {name} is not a number from 0 to 1"
    paths = item["paths"]
    if not isinstance(paths, list) or not all(is_text(path) for path in paths):
        return "the field paths is not a list of references"
    if not 0 < len(paths) <= MOST_PATHS_PER_IDEA or len(set(paths)) < len(paths):
        return "the field paths is empty, too long or repeats one"
    return None


def _find_statement_fault(statement: str, rationale: str, names: Sequence[str]) -> str | None:
    """Return why the texts may not be shown for this idea. Hedging and length are validated with all others."""
    if fault := find_sentence_fault(statement, names):
        return fault
    if _REFERENCE.search(statement) or _REFERENCE.search(rationale):
        return "a text names a reference, which means nothing to a reader"
    return None


def _malformed(reason: Reason, fault: str) -> Proposal:
    return Proposal("", "", None, None, "", "", 0.0, 0.0, (), malformed=reason, fault=fault)
