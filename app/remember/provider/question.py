"""One claim and one citation as a question to a model, and its answer read back. Pure."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from app.ledger.vocabulary import Predicate, Verdict
from app.llm.fence import fence
from app.llm.model import Effort, Message, Question
from app.llm.prompts import Prompt
from app.llm.reading import Unreadable, find_field_fault, is_share, is_text, read_json
from app.llm.words import Wardens, find_words_fault
from app.remember.claim import Citation, Claim, Judgement
from app.remember.verify import VerifierFailure

# What the model thinks counts as well.
MAX_OUTPUT_TOKENS: Final = 4_000
MAX_RATIONALE_LENGTH: Final = 1_000
_FIELDS: Final = ("request", "verdict", "confidence", "rationale")
_VERDICTS: Final[dict[str, Verdict]] = {
    "entailed": "entailed",
    "insufficient": "insufficient",
    "contradicted": "contradicted",
}
INVALID: Final = VerifierFailure("verifier_invalid_answer", retryable=True)


def build_question(
    prompt: Prompt, claim: Claim, citation: Citation, *, request: str, effort: Effort | None
) -> Question:
    """Return the question; `request` is a reference that the answer has to repeat."""
    document = {
        "request": request,
        "claim": _describe_claim(claim),
        "text": citation.content,
        "cited": [citation.content[span.start : span.end] for span in citation.spans],
    }
    return Question(
        instructions=prompt.instructions,
        messages=(Message("user", fence(document)),),
        schema=prompt.schema,
        max_output_tokens=MAX_OUTPUT_TOKENS,
        effort=effort,
    )


def digest_question(asked: str, claim: Claim, citation: Citation, *, effort: Effort | None) -> str:
    """Return what tells the question from every other one; `asked` is who is asked, the prompt's version included.

    The order of names is nobody's choice, so it makes no difference.
    """
    named = replace(
        claim,
        subject_names=tuple(sorted(set(claim.subject_names))),
        object_names=tuple(sorted(set(claim.object_names))),
    )
    spans = [[span.start, span.end] for span in citation.spans]
    whole = [asked, effort, _describe_claim(named), citation.content, spans]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def read_judgement(
    text: str, *, request: str, names: Iterable[str], wardens: Wardens
) -> Judgement | VerifierFailure:
    """Return the judgement, or INVALID for an answer that is anything but exactly right.

    The rationale decides nothing: it is kept on one line and masked, or withheld where it is no plain prose.
    """
    answer = read_json(text)
    if isinstance(answer, Unreadable) or find_field_fault(answer, _FIELDS) is not None:
        return INVALID
    assert isinstance(answer, dict)
    verdict, confidence, rationale = answer["verdict"], answer["confidence"], answer["rationale"]
    if answer["request"] != request or not isinstance(verdict, str) or verdict not in _VERDICTS:
        return INVALID
    if not is_share(confidence) or not isinstance(rationale, str):
        return INVALID
    return Judgement(_VERDICTS[verdict], float(confidence), _keep_words(rationale, names, wardens))


def name_claim(claim: Claim) -> tuple[str, ...]:
    """Return what the ends of the claim are called."""
    value = () if claim.value is None else (claim.value.canonical,)
    return (*claim.subject_names, *claim.object_names, *value)


def _keep_words(rationale: str, names: Iterable[str], wardens: Wardens) -> str:
    if len(rationale) > MAX_RATIONALE_LENGTH:
        fault: str | None = "it is too long"
    elif not is_text(line := " ".join(rationale.split())) or not line:
        fault = "it is no text"
    else:
        fault = find_words_fault(line, names, wardens)
    return f"[withheld: {fault}]" if fault else wardens.mask(line)


def _describe_claim(claim: Claim) -> dict[str, object]:
    described: dict[str, object] = {
        "subject": {"names": list(claim.subject_names)},
        "predicate": _describe_predicate(claim.predicate, claim.inverse),
        "polarity": claim.polarity,
    }
    if claim.value is None:
        described["object"] = {"names": list(claim.object_names)}
    else:
        value = claim.value
        described["value"] = {"type": value.value_type, "text": value.canonical, "unit": value.unit or None}
    return described


def _describe_predicate(predicate: Predicate, inverse: Predicate | None) -> dict[str, object]:
    described: dict[str, object] = {
        "label": predicate.label,
        "states_as": predicate.verb_phrase,
        "also": list(predicate.aliases),
        "is_about": "a lasting state" if predicate.relationship_kind == "state" else "an event",
        "holds_both_ways": predicate.symmetric,
    }
    if inverse is not None:
        described["converse_states_as"] = inverse.verb_phrase
    return described
