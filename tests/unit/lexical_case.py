"""What a labelled case of the lexical verifier is, and how its text becomes a citation."""

import re
from dataclasses import dataclass
from typing import Literal

from app.ledger.predicates.seed import SEEDED_BY_KEY
from app.ledger.vocabulary import Polarity, Span, TypedValue
from app.remember.claim import Citation, Claim

Label = Literal["E", "C", "I"]


@dataclass(frozen=True, slots=True)
class Case:
    text: str
    subject: str
    predicate: str
    object: str | TypedValue
    label: Label
    polarity: Polarity = "+"

    @property
    def claim(self) -> Claim:
        return make_claim(self.subject, self.predicate, self.object, polarity=self.polarity)

    @property
    def citation(self) -> Citation:
        return cite(self.text)


def make_claim(
    subject: str, predicate_key: str, object_: str | TypedValue, *, polarity: Polarity = "+"
) -> Claim:
    predicate = SEEDED_BY_KEY[predicate_key]
    return Claim(
        subject_names=(subject,),
        predicate=predicate,
        object_names=() if isinstance(object_, TypedValue) else (object_,),
        value=object_ if isinstance(object_, TypedValue) else None,
        polarity=polarity,
        inverse=SEEDED_BY_KEY[predicate.inverse_key] if predicate.inverse_key else None,
    )


def cite(marked: str) -> Citation:
    """Return the citation of the `[[…]]` parts, or of the whole text where nothing is marked."""
    content, spans, position = "", [], 0
    for found in re.finditer(r"\[\[(.*?)\]\](?!\])", marked, re.DOTALL):
        content += marked[position : found.start()]
        spans.append(Span(len(content), len(content) + len(found[1])))
        content += found[1]
        position = found.end()
    content += marked[position:]
    return Citation(content, tuple(spans) or (Span(0, len(content)),))
