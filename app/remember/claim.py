"""What a verifier is asked: does this citation carry this claim?

Pure. A claim holds names and a predicate, never database ids; a citation holds the whole evidence text
beside its spans, because what stands around a span can take back what stands in it.
"""

from dataclasses import dataclass

from app.ledger.vocabulary import Polarity, Predicate, Span, TypedValue, Verdict


@dataclass(frozen=True, slots=True)
class Claim:
    """One proposed relationship, in words.

    `subject_names` and `object_names` hold the name and the aliases. Exactly one object form is set:
    `object_names` not empty, or `value`. `inverse` is the registered inverse of `predicate`, if there is one;
    its forms then count with the endpoints swapped.
    """

    subject_names: tuple[str, ...]
    predicate: Predicate
    object_names: tuple[str, ...] = ()
    value: TypedValue | None = None
    polarity: Polarity = "+"
    inverse: Predicate | None = None

    def __post_init__(self) -> None:
        if bool(self.object_names) == (self.value is not None):
            raise ValueError("a claim has either object names or a value")


@dataclass(frozen=True, slots=True)
class Citation:
    """Up to four spans of one evidence text, read in order. Spans are half-open ranges of code points."""

    content: str
    spans: tuple[Span, ...]

    @property
    def quote(self) -> str:
        """The cited text: the spans in order, joined by newlines."""
        return "\n".join(self.content[span.start : span.end] for span in self.spans)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its confidence (0..1) and one sentence that says why.

    `code` is the stable word behind the sentence, for counting; it holds no evidence text.
    """

    verdict: Verdict
    confidence: float
    rationale: str
    code: str = ""
