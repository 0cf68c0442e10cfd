"""One turn as an operator may read it later: what was asked and answered, and what the references meant. Pure.

Secrets are taken out and long texts are cut. An exchange without an answer says why there is none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.dreaming.model import Proposal
from app.dreaming.provider.sheet import Sheet
from app.llm.model import Answered, Outcome, Question, name_outcome
from app.llm.reading import Unreadable
from app.llm.redaction import cap, redact, redact_json
from app.llm.words import write_out

MOST_CHARACTERS: Final = 64_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """`outcome` is the provider's, `fault` what was wrong with the answer; `ideas` and `malformed` count its
    items.

    `references` says what each reference of the request stood for: ids, names, premises with their sources.
    """

    model: str
    prompt_version: str
    turn: int
    outcome: str
    fault: str | None
    ideas: int
    malformed: int
    request: str
    answer: str | None
    references: Mapping[str, object]


def describe_exchange(
    question: Question,
    outcome: Outcome,
    sheet: Sheet,
    read: Sequence[Proposal] | Unreadable | None,
    *,
    model: str,
    prompt_version: str,
    turn: int,
    secrets: Sequence[str] = (),
) -> Exchange:
    """Return the turn. `read` is what was made of the answer, None where there was none."""
    asked = describe_request(question, sheet, model=model, prompt_version=prompt_version, secrets=secrets)
    text = outcome.text if isinstance(outcome, Answered) else None
    answered = describe_answer(
        name_outcome(outcome),
        text,
        sheet,
        read,
        model=model,
        prompt_version=prompt_version,
        secrets=secrets,
    )
    return replace(answered, turn=turn, request=asked.request)


def mask_answer(exchange: Exchange, mask: Callable[[str], str]) -> Exchange:
    """Return the exchange with its answer, and what was wrong with it, masked."""
    answer, fault = (None if text is None else mask(text) for text in (exchange.answer, exchange.fault))
    return replace(exchange, answer=answer, fault=fault)


def describe_request(
    question: Question, sheet: Sheet, *, model: str, prompt_version: str, secrets: Sequence[str] = ()
) -> Exchange:
    """Return the asking alone: its answer comes later."""
    asked = "\n\n".join(f"[{message.role}]\n{message.text}" for message in question.messages)
    return Exchange(
        model=model,
        prompt_version=prompt_version,
        turn=1,
        outcome="submitted",
        fault=None,
        ideas=0,
        malformed=0,
        request=cap(redact(asked, secrets), MOST_CHARACTERS),
        answer=None,
        references=resolve_references(sheet),
    )


def describe_answer(
    outcome: str,
    text: str | None,
    sheet: Sheet,
    read: Sequence[Proposal] | Unreadable | None,
    *,
    model: str,
    prompt_version: str,
    secrets: Sequence[str] = (),
) -> Exchange:
    """Return the answer alone: what was asked is in the exchange before."""
    items = () if read is None or isinstance(read, Unreadable) else tuple(read)
    return Exchange(
        model=model,
        prompt_version=prompt_version,
        turn=1,
        outcome=outcome,
        fault=read.fault if isinstance(read, Unreadable) else None,
        ideas=len(items),
        malformed=sum(item.malformed is not None for item in items),
        request="",
        answer=None if text is None else cap(write_out(redact_json(text, secrets)), MOST_CHARACTERS),
        references=resolve_references(sheet),
    )


def resolve_references(sheet: Sheet) -> dict[str, object]:
    """Return each reference of the sheet with what it stands for."""
    nodes = {
        reference: {"id": node.node_id, "name": redact(node.name)} for reference, node in sheet.nodes.items()
    }
    paths = {
        reference: {
            "relationships": {source.relationship_id: source.version for source in premise.sources},
            "is_candidate": premise.is_candidate,
        }
        for reference, premise in sheet.paths.items()
    }
    groups = {reference: [pair.first, pair.second] for reference, pair in sheet.groups.items()}
    return {**nodes, **sheet.predicates, **paths, **groups}
