"""Judging citations, outside every transaction: is it an echo, and does it entail the claim?"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.kernel.database import Database, Reading, Scope
from app.remember.claim import Citation, Judgement
from app.remember.examine import Ready
from app.remember.intake import cited_spans
from app.remember.verify import Verifier, VerifierFailure
from app.remember.work import Work


class EchoCheck(Protocol):
    """Whether one of the quotes restates a Hypothesis of the team: a port that a door wires."""

    async def __call__(self, reading: Reading, team_id: str, quotes: Sequence[str], /) -> bool: ...


@dataclass(frozen=True, slots=True)
class Judged:
    """A citation of a proposal; no judgement where it was an echo or was not to be judged."""

    evidence_id: str
    citation_id: str
    is_echo: bool
    judgement: Judgement | None


async def judge_proposals(
    database: Database, work: Work, ready: Mapping[int, Ready], *, verifier: Verifier, echo: EchoCheck
) -> dict[int, tuple[Judged, ...] | VerifierFailure]:
    """Return the judged citations of each proposal, or the failure where one of its citations got no verdict.

    The verifier is asked for all of them at once; nothing is asked about an echo, nor about a modality that is
    no statement.
    """
    if not ready:
        return {}
    # All of them come to their end, also where one raises: what the others have cost by then has to be paid.
    judged = await asyncio.gather(
        *(_judge(one, citations, verifier) for one, citations in await _cite(database, work, ready, echo)),
        return_exceptions=True,
    )
    results = {}
    for number, one in zip(ready, judged, strict=True):
        if isinstance(one, BaseException):
            raise one
        results[number] = one
    return results


@dataclass(frozen=True, slots=True)
class _Cited:
    evidence_id: str
    citation_id: str
    citation: Citation
    is_echo: bool


async def _cite(
    database: Database, work: Work, ready: Mapping[int, Ready], echo: EchoCheck
) -> list[tuple[Ready, list[_Cited]]]:
    found = [(one, _citations(work, one)) for one in ready.values()]
    async with database.reading(Scope("app", work.team_id)) as reading:
        quotes = [text for _, citations in found for _, _, cited in citations for text in _texts(cited)]
        # One question for all: hardly ever is any of them an echo.
        may_hold_echo = bool(quotes) and await echo(reading, work.team_id, list(dict.fromkeys(quotes)))
        return [
            (
                one,
                [
                    _Cited(
                        evidence_id,
                        citation_id,
                        cited,
                        may_hold_echo and await echo(reading, work.team_id, _texts(cited)),
                    )
                    for evidence_id, citation_id, cited in citations
                ],
            )
            for one, citations in found
        ]


async def _judge(
    ready: Ready, citations: list[_Cited], verifier: Verifier
) -> tuple[Judged, ...] | VerifierFailure:
    claim = ready.claim
    results = []
    for one in citations:
        judgement: Judgement | None = None
        if ready.proposal.modality == "statement" and not one.is_echo:
            answer = await verifier.judge(claim, one.citation)
            if isinstance(answer, VerifierFailure):
                return answer
            if not 0 <= answer.confidence <= 1:
                return VerifierFailure("invalid_verdict", retryable=True)
            judgement = answer
        results.append(Judged(one.evidence_id, one.citation_id, one.is_echo, judgement))
    return tuple(results)


def _citations(work: Work, ready: Ready) -> list[tuple[str, str, Citation]]:
    cited = []
    for index, spans in cited_spans(ready.proposal).items():
        text = work.evidence[index]
        citation_id = work.citations[text.evidence_id, spans]
        cited.append((text.evidence_id, citation_id, Citation(text.content, spans)))
    return cited


def _texts(citation: Citation) -> list[str]:
    return [citation.quote, citation.content]
