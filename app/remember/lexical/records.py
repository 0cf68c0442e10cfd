"""The record form: `Key: value` lines, as in package metadata.

Pure. A record is a run of lines without an empty one between, every line `Key: value` or the indented
continuation of one, with exactly one `Name:` line, and every key known (`record_block`). A claim is
carried by two whole cited lines: `Name: S` and a line whose key is a key, alias or label of the predicate.
Values: a requirement (`starlette[full]>=0.40`) names the distribution, if a version can meet it; a
classifier path (`Classifier: Topic :: Internet :: WWW/HTTP`) has its first part as key; all else must be the
object exactly.
"""

import re
from collections.abc import Sequence

from app.ledger.nodes.values import spellings
from app.ledger.vocabulary import Predicate
from app.remember.claim import Citation, Claim
from app.remember.lexical.record_block import (
    Line,
    block_around,
    fold_key,
    has_doubtful_prose,
    is_metadata,
    is_surrounded_plainly,
    read_key,
)
from app.remember.lexical.specifiers import is_satisfiable
from app.remember.lexical.tokens import fold

_LINE = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+){0,2}):[ \t]+(?P<value>\S.*)")
_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[A-Za-z0-9._,\s-]*\])?\s*"
    r"(?:\(\s*(?P<inner>[^()]*)\)|(?P<outer>[<>=!~].*)|@\s*[a-z+]+://\S+)?"
)
_REQUIREMENT_KEYS = frozenset({"requires dist", "requires"})
_CLASSIFIER_KEYS = frozenset({"classifier", "classifiers"})
_PATH_MARK = " :: "
_SKIPPED_PATH_PARTS = frozenset({"osi approved"})
_UNKNOWN_VALUES = frozenset({"unknown", "none", "n/a", "na", "null", "tbd", "unspecified", "other", "-"})


def read_record(claim: Claim, citation: Citation) -> str | None:
    """Return `record_states`, the reason why a record does not carry the claim, or None if there is no record.

    A record is in question only when a cited line has a key of the predicate.
    """
    lines = _cut_lines(citation)
    keys = record_keys(claim.predicate)
    reasons: list[str] = []
    for index, line in enumerate(lines):
        if not line.is_touched:
            continue
        parsed = _parse(line.text)
        if parsed is None:
            continue
        key, value = parsed
        if key not in keys:
            continue
        reason = _judge_line(claim, citation, lines, index, key, value)
        if reason == "record_states":
            return reason
        reasons.append(reason)
    order = (
        "record_conditional",
        "record_line_cut",
        "record_continues",
        "record_ambiguous",
        "record_doubtful",
    )
    return min(
        reasons, key=lambda reason: order.index(reason) if reason in order else len(order), default=None
    )


def record_keys(predicate: Predicate) -> frozenset[str]:
    """Return the folded record keys of the predicate: its key, label and aliases."""
    return frozenset(fold_key(word) for word in (predicate.key, predicate.label, *predicate.aliases))


def _judge_line(
    claim: Claim, citation: Citation, lines: Sequence[Line], index: int, key: str, value: str
) -> str:
    line = lines[index]
    if ";" in line.text:
        return "record_conditional"
    if not _names_object(claim, key, value):
        return "record_value_differs"
    if not line.is_cited:
        return "record_line_cut"
    if index + 1 < len(lines) and lines[index + 1].text[:1] in (" ", "\t"):
        return "record_continues"
    block = block_around(lines, index)
    names = [lines[number] for number in block if read_key(lines[number].text) == "name"]
    if len(names) != 1 or not is_metadata(lines, block, record_keys(claim.predicate)):
        return "record_ambiguous"
    name = _parse(names[0].text)
    if name is None or not names[0].is_cited or not _is_named(name[1], claim.subject_names):
        return "record_name_missing"
    if has_doubtful_prose(lines, block) or not is_surrounded_plainly(lines, block, claim.subject_names):
        return "record_doubtful"
    return "record_states"


def _cut_lines(citation: Citation) -> list[Line]:
    lines: list[Line] = []
    position = 0
    for text in citation.content.split("\n"):
        start, end = position, position + len(text)
        position = end + 1
        body_end = start + len(text.rstrip())
        touched = [
            span for span in citation.spans if span.start < max(body_end, start + 1) and start < span.end
        ]
        is_cited = any(span.start <= start and body_end <= span.end for span in touched)
        # A line of spaces alone continues the record: long licence texts are folded so.
        body = text.rstrip() or (" " if text.rstrip("\r") else "")
        lines.append(Line(start, end, body, is_cited and body_end > start, bool(touched)))
    return lines


def _parse(text: str) -> tuple[str, str] | None:
    """Return the folded key and the value; for a classifier, the first part of its path and the rest."""
    found = _LINE.fullmatch(text)
    if found is None:
        return None
    key, value = fold_key(found["key"]), _collapse(found["value"])
    if key not in _CLASSIFIER_KEYS:
        return key, value
    head, mark, rest = value.partition(_PATH_MARK)
    if not mark:
        return None
    parts = [part for part in rest.split(_PATH_MARK) if fold(part.strip()) not in _SKIPPED_PATH_PARTS]
    return fold_key(head), _PATH_MARK.join(parts)


def _names_object(claim: Claim, key: str, value: str) -> bool:
    if fold(value) in _UNKNOWN_VALUES:
        return False
    if claim.value is not None:
        return any(_collapse(form) == _collapse(value) for form in spellings(claim.value))
    if _is_named(value, claim.object_names):
        return True
    if key not in _REQUIREMENT_KEYS:
        return False
    found = _REQUIREMENT.fullmatch(value)
    if found is None or not is_satisfiable(found["inner"] or found["outer"] or ""):
        return False
    return _is_named(found["name"], claim.object_names)


def _is_named(text: str, names: Sequence[str]) -> bool:
    folded = fold(_collapse(text))
    return bool(folded) and any(folded == fold(_collapse(name)) for name in names)


def _collapse(text: str) -> str:
    return " ".join(text.split())
