"""The order of judging, and the sentence that says why.

Pure. See the package's docstring for the order and the codes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.ledger.vocabulary import Verdict
from app.remember.claim import Citation, Claim, Judgement
from app.remember.lexical.context import is_left_alone, is_struck_out
from app.remember.lexical.cues import find_cue
from app.remember.lexical.mentions import find_names
from app.remember.lexical.records import read_record
from app.remember.lexical.sentence_form import (
    Reading,
    Wording,
    find_form,
    read_sentence,
    word_claim,
)
from app.remember.lexical.sentences import Sentence, split_sentences
from app.remember.lexical.tokens import Token, tokenize

MAX_SPANS: Final = 4
CONFIDENCE_RECORD: Final = 0.97
CONFIDENCE_ADJACENT: Final = 0.95
CONFIDENCE_WITH_WORDS_BETWEEN: Final = 0.9
CONFIDENCE_DENIED: Final = 0.9
CONFIDENCE_INSUFFICIENT: Final = 0.9

RATIONALES: Mapping[str, str] = {
    "record_states": "The cited lines of a record name the subject and, under a key of the predicate, the object.",
    "sentence_states": "A cited sentence names subject, predicate and object in an order that states the claim.",
    "sentence_denies": "A cited sentence explicitly denies the relationship.",
    "states_the_opposite": "The cited sentence affirms what the claim denies.",
    "span_invalid": "The spans do not lie within the evidence.",
    "subject_not_cited": "The cited text does not name the subject, or only in words that may mean another thing.",
    "object_not_cited": "The cited text does not name the object, or only in words that may mean another thing.",
    "subject_possessive": "The cited text speaks of something that is the subject's, not of the subject.",
    "object_possessive": "The cited text speaks of something that is the object's, not of the object.",
    "predicate_not_cited": "The cited text does not express the predicate.",
    "question": "The sentence is a question.",
    "quoted": "The sentence holds a quotation, so it may be somebody else's words.",
    "attributed": "The sentence attributes the statement to somebody or something.",
    "conditional": "The sentence states a condition or a choice.",
    "hedged": "The sentence is hedged or speaks of another time, or its first word may do so, as Will does.",
    "negation_unclear": "The sentence holds a negation whose reach is unclear.",
    "script_unclear": "The sentence holds letters of another script or invisible signs beside the names.",
    "taken_back": "Words or marks beside the cited sentence might take it back; not all of them are known not to.",
    "sentences_disagree": "The cited sentences both affirm and deny the relationship.",
    "order_not_recognised": "The cited words do not stand in an order that states the claim.",
    "record_line_cut": "The cited record line is not cited whole.",
    "record_conditional": "The record line carries a condition.",
    "record_continues": "The record line continues on the next line.",
    "record_ambiguous": "The lines do not belong to one record with one name.",
    "record_doubtful": "What stands before the record puts it in doubt.",
    "record_name_missing": "The record's name line is not cited or names something else.",
    "record_value_differs": "The record line's value is not the object.",
}


@dataclass(frozen=True, slots=True)
class _CitedSentence:
    number: int
    tokens: tuple[Token, ...]
    cited: tuple[bool, ...]


def judge_lexically(claim: Claim, citation: Citation) -> Judgement:
    """Return the verdict of the lexical verifier. Never raises, whatever the text and the spans are."""
    if not _are_spans_valid(citation):
        return _insufficient("span_invalid")
    record = read_record(claim, citation)
    if record == "record_states" and claim.polarity == "+":
        return _judgement("entailed", CONFIDENCE_RECORD, record)
    if record == "record_states":
        return _insufficient("states_the_opposite")
    judged = _judge_sentences(claim, citation)
    if judged.verdict == "insufficient" and record is not None:
        return _insufficient(record)
    return judged


def _judge_sentences(claim: Claim, citation: Citation) -> Judgement:
    wording = word_claim(claim)
    sentences = tuple(_cited_sentences(citation))
    missing = _find_missing(wording, sentences)
    if missing is not None:
        return _insufficient(missing)
    refusals: list[str] = []
    held: list[Reading] = []
    left_alone: list[Reading] = []
    _, tokens = _read_content(citation.content)
    for sentence in sentences:
        for reading in read_sentence(wording, sentence.tokens, sentence.cited):
            if reading.cue is not None:
                refusals.append(reading.cue)
            elif reading.is_cited:
                held.append(reading)
                if is_left_alone(tokens, sentence.number, wording):
                    left_alone.append(reading)
    if not held:
        return _insufficient(refusals[0] if refusals else _explain(wording, sentences))
    if _do_sentences_disagree(wording, citation, denies=held[0].denies):
        return _insufficient("sentences_disagree")
    if not left_alone or is_struck_out(citation.content):
        return _insufficient("taken_back")
    return _judge_polarity(claim, left_alone)


def _do_sentences_disagree(wording: Wording, citation: Citation, *, denies: bool) -> bool:
    """Whether any sentence of the content, cited or not, reads as the opposite."""
    _, sentences = _read_content(citation.content)
    return any(
        reading.denies is not denies and reading.cue is None
        for tokens in sentences
        for reading in read_sentence(wording, tokens, (True,) * len(tokens))
    )


def _judge_polarity(claim: Claim, held: Sequence[Reading]) -> Judgement:
    if held[0].denies:
        verdict: Verdict = "entailed" if claim.polarity == "-" else "contradicted"
        return _judgement(verdict, CONFIDENCE_DENIED, "sentence_denies")
    if claim.polarity == "-":
        return _insufficient("states_the_opposite")
    is_adjacent = any(reading.gap == "adjacent" for reading in held)
    confidence = CONFIDENCE_ADJACENT if is_adjacent else CONFIDENCE_WITH_WORDS_BETWEEN
    return _judgement("entailed", confidence, "sentence_states")


def _cited_sentences(citation: Citation) -> Iterator[_CitedSentence]:
    """Yield the sentences that a span touches, each with its cited tokens."""
    sentences, tokens = _read_content(citation.content)
    for sentence in sentences:
        if not any(span.start < sentence.end and sentence.start < span.end for span in citation.spans):
            continue
        number = sentence.number
        cited = tuple(
            any(span.start <= token.start and token.end <= span.end for span in citation.spans)
            for token in tokens[number]
        )
        yield _CitedSentence(number, tokens[number], cited)


@lru_cache(maxsize=32)
def _read_content(content: str) -> tuple[tuple[Sentence, ...], tuple[tuple[Token, ...], ...]]:
    """Return the sentences with their tokens; one evidence text usually carries many claims."""
    sentences = split_sentences(content)
    return sentences, tuple(tokenize(content, sentence.start, sentence.end) for sentence in sentences)


def _find_missing(wording: Wording, sentences: Sequence[_CitedSentence]) -> str | None:
    """Return which of the three is named nowhere inside the cited text."""
    cited = [
        tuple(
            token.folded if is_cited else ""
            for token, is_cited in zip(sentence.tokens, sentence.cited, strict=True)
        )
        for sentence in sentences
    ]
    for end, names in (("subject", wording.subjects), ("object", wording.objects)):
        if not any(find_names(folded, names) for folded in cited):
            owners = [(*name[:-1], f"{name[-1]}'s") for name in names]
            is_owner = any(find_names(folded, owners) for folded in cited)
            return f"{end}_possessive" if is_owner else f"{end}_not_cited"
    if not any(any(True for _ in find_form(folded, form)) for folded in cited for form in wording.forms):
        # The words of a denial may lie outside the spans; then the reading itself decides.
        whole = [tuple(token.folded for token in sentence.tokens) for sentence in sentences]
        if not any(any(True for _ in find_form(folded, form)) for folded in whole for form in wording.forms):
            return "predicate_not_cited"
    return None


def _explain(wording: Wording, sentences: Sequence[_CitedSentence]) -> str:
    """Return the cue that best explains why no reading was found."""
    for sentence in sentences:
        folded = tuple(token.folded for token in sentence.tokens)
        if find_names(folded, wording.subjects) and find_names(folded, wording.objects):
            cue = find_cue(sentence.tokens, sentence_start=sentence.tokens[0].start)
            if cue is not None:
                return cue
    return "order_not_recognised"


def _are_spans_valid(citation: Citation) -> bool:
    length = len(citation.content)
    return 1 <= len(citation.spans) <= MAX_SPANS and all(
        0 <= span.start < span.end <= length for span in citation.spans
    )


def _insufficient(code: str) -> Judgement:
    return _judgement("insufficient", CONFIDENCE_INSUFFICIENT, code)


def _judgement(verdict: Verdict, confidence: float, code: str) -> Judgement:
    return Judgement(verdict, confidence, RATIONALES[code], code)
