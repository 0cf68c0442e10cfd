"""Whether the evidence of a confirmation is independent of the Hypothesis, and of earlier confirmations."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Final, LiteralString

from app.hypotheses.independence import fold_statements
from app.hypotheses.novelty import know_texts
from app.kernel.database import Reading, Row
from app.kernel.errors import FieldError, IndependenceRefused
from app.remember.claim import Citation
from app.remember.intake import cited_spans
from app.remember.submission import Submission

MAX_SOURCE_EVIDENCES: Final = 1_000


async def check_independence(reading: Reading, team_id: str, hypothesis: Row, submission: Submission) -> None:
    """Return if nothing in the submission's evidence says the guess, or one of its sources' evidences, again.

    Compared are the whole content of each item and each citation: with statement and rationale by the echo
    rule, with the source evidences as the same words, and with all of them strung together, in pieces, or with
    little else. Source: Design, section 7, Confirming.

    Raises:
        IndependenceRefused: names each field that is not independent.
    """
    said = [hypothesis["statement"], hypothesis["rationale"]]
    params = {"team_id": team_id, "hypothesis_id": hypothesis["id"], "limit": MAX_SOURCE_EVIDENCES}
    rows = await reading.fetch_all(_SOURCE_EVIDENCES, params)
    contents = [row["content"] for row in rows]
    # Others are answered meanwhile: a long confirmation and many sources take seconds.
    errors = await asyncio.to_thread(_find_dependent, said, contents, submission)
    _refuse("A Hypothesis needs evidence that is independent of it.", errors)


def _find_dependent(said: list[str], contents: list[str], submission: Submission) -> list[FieldError]:
    guess, sources = fold_statements(said), fold_statements(contents)
    everything, known = fold_statements([*said, *contents]), know_texts(said, contents)
    named = _named(submission)

    @cache
    def compare(text: str) -> tuple[str, str] | None:
        if guess.restated_by(text):
            return "restates_hypothesis", "This only says the Hypothesis again."
        if sources.repeated_by(text):
            return "repeats_source", "The Hypothesis was made from this very evidence."
        if everything.strung_together_by(text):
            return "restates_hypothesis", "This only says the Hypothesis and what it was made from again."
        if known.cover(text, named=named):
            return "repeats_source", "This adds nothing to what the Hypothesis was made from."
        return None

    texts = ((field, compare(text)) for field, text in texts_of(submission))
    return [FieldError(field, *found) for field, found in texts if found is not None]


async def check_other_evidence(
    reading: Reading, team_id: str, hypothesis_id: str, submission: Submission
) -> None:
    """Return if no content and no citation has the same words as one of an earlier submission.

    Run it under the Hypothesis' lock and before the submission is opened. Source: Design, section 7, Confirming.

    Raises:
        IndependenceRefused: names each field that was submitted before.
    """
    params = {"team_id": team_id, "hypothesis_id": hypothesis_id}
    rows = await reading.fetch_all(_EARLIER_TEXTS, params)
    errors = await asyncio.to_thread(_find_repeated, [row["text"] for row in rows], submission)
    _refuse("A Hypothesis is confirmed again with other evidence only.", errors)


def _find_repeated(earlier: list[str], submission: Submission) -> list[FieldError]:
    repeats = cache(fold_statements(earlier).repeated_by)
    message = "This was submitted for the Hypothesis before."
    return [
        FieldError(field, "submitted_before", message)
        for field, text in texts_of(submission)
        if repeats(text)
    ]


def count_characters(submission: Submission) -> int:
    """Return how many code points are to be compared; the same text counts once."""
    return sum(map(len, {text for _, text in texts_of(submission)}))


def texts_of(submission: Submission) -> Sequence[tuple[str, str]]:
    """Return every text that could carry the claim, with its field: the contents, then the citations.

    The spans of one Relationship in one evidence item are one citation. The spans are known to be in range.
    """
    texts = [(f"evidence.{index}.content", item.content) for index, item in enumerate(submission.evidence)]
    for place, proposal in enumerate(submission.relationships):
        for index, spans in cited_spans(proposal).items():
            quote = Citation(submission.evidence[index].content, spans).quote
            texts.append((f"proposal.relationships.{place}.evidence", quote))
    return texts


def _named(submission: Submission) -> list[str]:
    """Return the names and values that the submission speaks of."""
    names = [name for entity in submission.entities for name in (entity.name, *entity.aliases)]
    values = [
        f"{one.object_value.value} {one.object_value.unit or ''}"
        for one in submission.relationships
        if one.object_value is not None
    ]
    return names + values


def _refuse(message: str, errors: Sequence[FieldError]) -> None:
    if errors:
        raise IndependenceRefused(message, errors=tuple(errors))


_SOURCE_EVIDENCES: LiteralString = """
    SELECT DISTINCT evidence.id, evidence.content
    FROM hypothesis_sources AS source
    JOIN (
        SELECT team_id, relationship_id, citation_id FROM supports
        UNION SELECT team_id, relationship_id, citation_id FROM verification_events
    ) AS link ON link.team_id = source.team_id AND link.relationship_id = source.relationship_id
    JOIN citations ON citations.team_id = link.team_id AND citations.id = link.citation_id
    JOIN evidence ON evidence.team_id = citations.team_id AND evidence.id = citations.evidence_id
    WHERE source.team_id = %(team_id)s AND source.hypothesis_id = %(hypothesis_id)s
    ORDER BY evidence.id LIMIT %(limit)s
"""
_EARLIER_TEXTS: LiteralString = """
    SELECT texts.text
    FROM hypothesis_submissions AS submission
    JOIN ingest_evidence AS item
      ON item.team_id = submission.team_id AND item.ingest_id = submission.ingest_id
    CROSS JOIN LATERAL (
        SELECT evidence.content AS text FROM evidence
        WHERE evidence.team_id = item.team_id AND evidence.id = item.evidence_id
        UNION
        SELECT citation.quote FROM citations AS citation
        WHERE citation.team_id = item.team_id AND citation.evidence_id = item.evidence_id
    ) AS texts
    WHERE submission.team_id = %(team_id)s AND submission.hypothesis_id = %(hypothesis_id)s
"""
