"""What a placement's reason means, and what to do about it, in words that hold no evidence text. Pure."""

from collections.abc import Mapping
from typing import Final

from app.remember.lexical.judge import RATIONALES

_CITE_PLAINLY: Final = "Cite a sentence that says it plainly, or wait for one that does."
_CITE_RECORD: Final = "Cite the name line and the line with the key of one record, each whole."
_NAME: Final = (
    "Let the spans cover its name, and propose the name or an alias that the text uses. Where a word such as AS, "
    "IT or No is part of the name, cite a text that uses another name of it."
)
_ASK: Final = "Answer the review (GET /v1/reviews), or submit it again"
_FITTING: Final = (
    "Answer the review with a key that fits (predicate_options holds the nearest), or submit it again with the "
    "right entity_kind."
)
_REMEDIES: Mapping[str, str] = {
    "states_the_opposite": "Propose it with the other polarity.",
    "sentence_denies": "Propose it with polarity -, or cite another sentence.",
    "span_invalid": "Count the spans in code points, from 0, the end exclusive.",
    "subject_not_cited": _NAME,
    "object_not_cited": _NAME,
    "subject_possessive": "Propose what the sentence is about, or cite one about the subject itself.",
    "object_possessive": "Propose what the sentence is about, or cite one about the object itself.",
    "predicate_not_cited": "Let the spans cover it; GET /v1/predicates lists the words that each predicate is "
    "said in.",
    "taken_back": (
        "Where they take nothing back, send the sentence as evidence of its own, or among plain statements that "
        "do not name both of its ends."
    ),
    "record_conditional": _CITE_PLAINLY,
    "record_doubtful": _CITE_PLAINLY,
    "record_value_differs": _CITE_PLAINLY,
    "sentences_disagree": "Cite a text that says one thing.",
    "order_not_recognised": "Cite a sentence in which subject, predicate and object follow each other, such as "
    "“A uses B”.",
}
_SENTENCES: Mapping[str, str] = {
    # Who and what is meant.
    "known_entity_unknown": f"The team has no entity with the given known_entity_id. {_ASK} without it.",
    "name_mismatch": f"The entity of the given known_entity_id has other names. {_ASK} with one of its names.",
    "ambiguous_name": f"Several entities have this name. {_ASK} with the known_entity_id of one.",
    "generic_name": "A name of an end, or an alias, could stand for anything, so no entity is made of it. "
    "Submit it again with a name that tells it apart, or let the review say which entity it is; where it is one "
    "letter, such as C, an operator may answer new, and from then on its known_entity_id is enough.",
    "self_loop": "Both ends are the same entity. Propose another subject or object.",
    "predicate_unknown": "No predicate of the team has this key, label, verb phrase or alias. "
    "Answer the review with a registered key (predicate_options holds the nearest), or have it registered: "
    "POST /v1/predicates.",
    # What the evidence does not say.
    "scope_not_cited": "The evidence does not say the scope. Answer the review with the scope or unscoped.",
    "window_not_cited": "The evidence does not say the dates. Answer the review with accept or undated.",
    # What became of the evidence.
    "evidence_quarantined": "Its evidence looks like instructions to a model. An operator can release it (GET "
    "/v1/quarantine); until then nothing reads it.",
    "evidence_discarded": "An operator has discarded its evidence. Submit other evidence.",
    "evidence_retracted": "Its evidence was taken back. Submit other evidence.",
    "source_revision_not_current": "Its evidence is of a source revision that is not the current one. "
    "Submit the current revision.",
    # What stands in its way.
    "correction_target_unknown": "No Relationship that this could take the place of has the id of "
    "correction_target. Look the id up, or leave it out.",
    "not_owner": "The Relationship of correction_target belongs to another profile. "
    "Leave it out: a position of one's own may contradict it.",
    "stale_input": "The Relationship of correction_target has changed since. Read it again and name its version.",
    "correction_target_closed": "The Relationship of correction_target has ended already. Leave it out.",
    "correction_target_same": "The Relationship of correction_target says this already. Leave it out.",
    "own_opposite_position": "This profile holds the opposite. "
    "Answer the review: accept replaces it, dispute keeps both, reject drops this one.",
    "several_open_windows": "This profile holds several others of which only one may hold. "
    "Answer the review: accept replaces them, reject drops this one.",
    "supersession_without_dates": "This profile holds another of which only one may hold, and no date tells "
    "which is later. Answer the review, or submit it again with valid_from or correction_target.",
    "superseded_already": "A later position of this profile has taken its place. Answer the review: accept or "
    "reject.",
    "predicate_changed": "The predicate lets only one hold now. Answer the review: accept or reject.",
    # What was not judged, or not believed.
    "echo_of_hypothesis": "The cited text repeats a guess of this memory, so it supports nothing. "
    "Cite evidence that says it in its own words.",
    **{
        f"modality_{modality}": f"It was proposed as a {modality}, so it is kept as a candidate and not judged. "
        "Propose it as a statement where the text states it."
        for modality in ("question", "proposal", "speculation")
    },
    "modality_quoted": "It was proposed as quoted, so it is kept as a candidate and not judged. "
    "Propose it as a statement where the text states it.",
    "below_write_threshold": "The verifier is less sure than the team's write_threshold asks. Cite a plainer "
    "sentence.",
    "insufficient": "The evidence does not carry the claim; the trace holds the verifier's rationale. "
    "Cite a sentence that says it plainly.",
    "contradicted": "The evidence says the opposite; the trace holds the verifier's rationale. "
    "Propose it with the other polarity, or cite another sentence.",
    # What reviews and failures left.
    "review_rejected": "Its review was answered with reject. Submit it again if that was wrong.",
    "review_resolved": "Its review was answered; it stands as category, tier and status say. Nothing is left to "
    "do.",
    "review_withdrawn": "What it was held for has ended; it stands as category, tier and status say. "
    "Nothing is left to do.",
    "attempts_exhausted": "Placing failed three times. Submit it again under another idempotency_key.",
    "verifier_refused": "The model refused to judge it. Cite other evidence.",
    **dict.fromkeys(
        ("verifier_invalid_answer", "verifier_malformed", "verifier_truncated"),
        "The model gave no readable verdict, several times. Submit it again later, or cite other evidence.",
    ),
}


def explain_reason(reason: str, *, misfit: str | None = None) -> str | None:
    """Return what the reason means and what to do, None for a word that is no reason of ours.

    `misfit` says which end has a kind that the predicate does not take, where that is known.
    """
    if reason == "endpoint_kind_invalid":
        return f"{misfit or 'The predicate takes no end of this kind.'} {_FITTING}"
    if reason in _SENTENCES:
        return _SENTENCES[reason]
    if reason not in RATIONALES:
        return None
    remedy = _REMEDIES.get(reason, _CITE_RECORD if reason.startswith("record_") else _CITE_PLAINLY)
    return f"{RATIONALES[reason]} {remedy}"
