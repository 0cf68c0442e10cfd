"""Does the evidence carry the scope and the dates that a proposal names? Pure.

A verifier is asked about subject, predicate, object and polarity; a scope and a window of validity are the
client's own words until the evidence is seen to say them. What it does not say is put to a review, never stored
as it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from app.kernel.compatibility import normalize
from app.ledger.nodes.values import MONTHS, spellings
from app.ledger.vocabulary import Span, TypedValue
from app.remember.examine import Held
from app.remember.review_choices import ACCEPT, UNDATED, UNSCOPED
from app.remember.submission import RelationshipProposal

_EASTERNMOST: Final = timedelta(hours=14)
_MONTH: Final = "|".join(f"{month.casefold()}|{month[:3].casefold()}" for month in MONTHS)
_DAY_OR_MONTH: Final = re.compile(rf"(?:\b(?:{_MONTH})\.?|\d(?:st|nd|rd|th)?)(?: of)?[ ,]*$")


@dataclass(frozen=True, slots=True)
class CitedItem:
    """One cited evidence item, the cited spans in reading order, and its record where it comes from a source.

    `record` is the name of its source revision with its metadata, for an item that has a source key; else empty.
    Without a key nobody can look the record up, so it is only the client's word once more.
    """

    content: str
    spans: tuple[Span, ...]
    record: tuple[object, ...] = ()


def find_uncarried(proposal: RelationshipProposal, items: Sequence[CitedItem]) -> Held | None:
    """Return the review of what the proposal names and its evidence does not say, or None. The scope comes first.

    What a review has decided is not asked again.
    """
    scope = None if proposal.scope is None else proposal.scope.strip()
    if scope is not None and not proposal.is_scope_decided and not carries_scope(items, scope):
        return Held("relationship_needs_review", "scope_not_cited", "scope", (scope, UNSCOPED))
    moments = [one for one in (proposal.valid_from, proposal.valid_to) if one is not None]
    if not proposal.is_window_decided and not all(carries_moment(items, one) for one in moments):
        return Held("relationship_needs_review", "window_not_cited", "temporal", (ACCEPT, UNDATED))
    return None


def carries_scope(items: Sequence[CitedItem], scope: str) -> bool:
    """Return whether each citation holds every word of the scope, in any order and letter case."""
    words = _words(scope)
    return all(
        words <= _words("\n".join(item.content[s.start : s.end] for s in item.spans)) for item in items
    )


def carries_moment(items: Sequence[CitedItem], moment: datetime) -> bool:
    """Return whether each cited item carries the day of this moment: in its text, or in its source's record.

    The day counts in UTC, or in a zone further east where the moment is midnight. Forms are those of a date Value;
    a first of a month may be given by its month alone, a first of January by its year.
    """
    days = _days_of(moment)
    return all(
        any(
            _holds_day(text, day)
            for text in map(_fold, (item.content, *_texts_in(item.record)))
            for day in days
        )
        for item in items
    )


def _days_of(moment: datetime) -> list[date]:
    day = moment.date()
    until_midnight = timedelta(days=1) - timedelta(
        hours=moment.hour, minutes=moment.minute, seconds=moment.second, microseconds=moment.microsecond
    )
    # Zones lie a multiple of a quarter of an hour apart.
    is_midnight_somewhere = until_midnight <= _EASTERNMOST and not until_midnight % timedelta(minutes=15)
    return [day, day + timedelta(days=1)] if is_midnight_somewhere and day < date.max else [day]


def _holds_day(text: str, day: date) -> bool:
    whole = spellings(TypedValue("date", day.isoformat(), ""))
    if any(_find(text, form) for form in whole):
        return True
    month = MONTHS[day.month - 1]
    short = (
        f"{day.year}-{day.month:02d}",
        *(f"{name} {day.year}" for name in (month, month[:3], f"{month[:3]}.")),
    )
    shorter = (
        *(short if day.day == 1 else ()),
        *((str(day.year),) if (day.month, day.day) == (1, 1) else ()),
    )
    # "4 March 2024" does not give the first of March.
    return any(
        not _DAY_OR_MONTH.search(text[: found.start()]) for form in shorter for found in _find(text, form)
    )


def _find(text: str, form: str) -> list[re.Match[str]]:
    pattern = rf"(?<![\w./-]){re.escape(_fold(form))}(?![./-]?\d|[a-su-z_]|t(?!\d))"
    return list(re.finditer(pattern, text))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", _fold(text)))


def _fold(text: str) -> str:
    return " ".join(normalize("NFKC", text).casefold().split())


def _texts_in(record: Iterable[object]) -> Iterable[str]:
    waiting: list[object] = list(record)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
