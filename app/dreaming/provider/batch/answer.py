"""What a batch has brought, read against the request as it was and against the names of now."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.dreaming.generation import Generated, Generator
from app.dreaming.inputs.snapshot import read_nodes
from app.dreaming.inputs.standing import read_standing
from app.dreaming.model import Inputs
from app.dreaming.provider.answer import read_answer
from app.dreaming.provider.batch.record import KeptBatch
from app.dreaming.provider.conversation import Line, Said
from app.dreaming.provider.exchange import Exchange, describe_answer, mask_answer
from app.dreaming.provider.generator import fall_back, groups_of, merge_hints, provider_generator
from app.dreaming.provider.pairs import Plan
from app.dreaming.provider.reference_map import Recalled, read_premises, read_sheet
from app.kernel.database import Database, Scope
from app.ledger.predicates.registry import list_predicates
from app.llm.batches import Ended
from app.llm.model import Answered
from app.llm.reading import Unreadable


@dataclass(frozen=True, slots=True)
class Collected:
    """What the batch brought, and the inputs as they were when it was handed in."""

    inputs: Inputs
    generated: Generated
    generator: Generator


async def collect_batch(
    database: Database,
    batch: KeptBatch,
    ended: Ended,
    *,
    line: Line,
    plan: Callable[[Inputs], Awaitable[Plan]],
    falls_back: bool,
    now: datetime,
    keep: Callable[[Exchange, int], Awaitable[None]],
) -> Collected:
    """Return the answer's proposals, or those of the rules where it was no use and they may dream instead.

    Premises are those of the request, in its versions; names, vocabulary and what stands are those of now.

    Raises:
        ProviderFailed: the batch was no use and nothing else may be used.
    """
    document: Mapping[str, Any] = batch.reference_map
    recalled = read_premises(document)
    inputs = await _read_inputs(database, batch.permit.team_id, recalled, now=now)
    sheet = read_sheet(document, recalled, inputs.nodes)
    text = ended.outcome.text if isinstance(ended.outcome, Answered) else None
    read = None if text is None else read_answer(text, sheet, line.wardens)
    if line.exchange_days > 0:
        exchange = describe_answer(
            ended.code,
            text,
            sheet,
            read,
            model=batch.permit.model,
            prompt_version=batch.prompt_version,
            secrets=line.secrets(),
        )
        await keep(mask_answer(exchange, line.wardens.mask), line.exchange_days)
    planned = await plan(inputs)
    if read is None or isinstance(read, Unreadable):
        failure = f"batch_{ended.code}" if read is None else "unreadable_answer"
        generated = fall_back(inputs, planned, Said(failure=failure), falls_back=falls_back)
    else:
        generated = Generated(
            groups=groups_of(inputs, sheet.pairs),
            proposals=merge_hints(read, planned, inputs),
            stopped_by=recalled.stopped_by,
        )
    # The prompt and the model may be others by now.
    generator = replace(
        provider_generator(line, falls_back=falls_back),
        version=batch.prompt_version,
        model=batch.permit.model,
    )
    return Collected(inputs, generated, generator)


async def _read_inputs(database: Database, team_id: str, recalled: Recalled, *, now: datetime) -> Inputs:
    node_ids = recalled.node_ids()
    async with database.snapshot(Scope("dreamer", team_id)) as reading:
        predicates = await list_predicates(reading, team_id)
        return Inputs(
            team_id=team_id,
            premises=recalled.premises,
            nodes=await read_nodes(reading, team_id, node_ids),
            predicates=predicates,
            standing=await read_standing(reading, team_id, node_ids=node_ids, predicates=predicates, now=now),
            eligible_count=recalled.eligible_count,
            over_input_budget=recalled.over_input_budget,
        )
