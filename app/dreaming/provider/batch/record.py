"""The durable record of a run's batch: an intent before it is made, its name after, its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from psycopg.types.json import Jsonb

from app.dreaming.spending.purse import Permit
from app.dreaming.spending.usage import read_permit
from app.kernel.database import Reading, Row, Writing

# The outcome of an intent of which no batch came: the run may hand in another one.
NOT_MADE: Final = "not_made"


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A batch that is about to be made. `reference_map` is that of `provider.reference_map`."""

    record_id: str
    permit: Permit
    custom_id: str
    prompt_version: str
    reference_map: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBatch:
    """A batch on record. `batch_id` is None while nobody knows the provider's name for it.

    `intended_at` and `read_at` are the database's time; `run_is_over`: nobody will read its results any more.
    """

    record_id: str
    permit: Permit
    custom_id: str
    prompt_version: str
    reference_map: Mapping[str, object]
    batch_id: str | None
    outcome: str | None
    intended_at: datetime
    read_at: datetime
    run_is_over: bool


async def insert_intent(writing: Writing, intent: Intent) -> None:
    """Leave the intent on record, before anything is handed in."""
    params = {
        "team_id": intent.permit.team_id,
        "id": intent.record_id,
        "run_id": intent.permit.run_id,
        "permit_id": intent.permit.permit_id,
        "custom_id": intent.custom_id,
        "model": intent.permit.model,
        "prompt_version": intent.prompt_version,
        "reference_map": Jsonb(dict(intent.reference_map)),
    }
    await writing.execute(_INSERT, params)


async def find_batch_of_run(reading: Reading, team_id: str, run_id: str) -> KeptBatch | None:
    """Return the run's batch, or None where it has none, or only intents of which none came."""
    row = await reading.fetch_one(
        f"{_READ} AND batch.cycle_run_id = %(run_id)s AND {_STANDS}", {"team_id": team_id, "run_id": run_id}
    )
    return None if row is None else _batch(row)


async def read_batch(reading: Reading, team_id: str, record_id: str) -> KeptBatch:
    """Return the batch of the record, which exists."""
    row = await reading.fetch_one(f"{_READ} AND batch.id = %(id)s", {"team_id": team_id, "id": record_id})
    assert row is not None, "a batch is never deleted"
    return _batch(row)


async def note_batch_id(writing: Writing, team_id: str, record_id: str, batch_id: str) -> None:
    """Leave the provider's name for the batch on record, unless there is one."""
    await writing.execute(_NAME, {"team_id": team_id, "id": record_id, "batch_id": batch_id})


async def note_outcome(writing: Writing, team_id: str, record_id: str, outcome: str) -> None:
    """Leave on record how the batch ended; the first word stands."""
    await writing.execute(_END, {"team_id": team_id, "id": record_id, "outcome": outcome})


def _batch(row: Row) -> KeptBatch:
    return KeptBatch(
        record_id=row["record_id"],
        permit=read_permit(row),
        custom_id=row["custom_id"],
        prompt_version=row["prompt_version"],
        reference_map=row["reference_map"],
        batch_id=row["batch_id"],
        outcome=row["outcome"],
        intended_at=row["intended_at"],
        read_at=row["read_at"],
        run_is_over=row["run_is_over"],
    )


_INSERT: LiteralString = """
    INSERT INTO provider_batches
        (team_id, id, cycle_run_id, permit_id, custom_id, model, prompt_version, reference_map)
    VALUES
        (%(team_id)s, %(id)s, %(run_id)s, %(permit_id)s, %(custom_id)s, %(model)s, %(prompt_version)s,
         %(reference_map)s)
"""

_STANDS: LiteralString = "batch.outcome IS DISTINCT FROM 'not_made'"

_READ: LiteralString = """
    SELECT permit.*, batch.id AS record_id, batch.custom_id, batch.prompt_version, batch.reference_map,
           batch.batch_id, batch.outcome, batch.created_at AS intended_at, clock_timestamp() AS read_at,
           run.finished_at IS NOT NULL AS run_is_over
    FROM provider_batches AS batch
    JOIN spending_permits AS permit ON permit.team_id = batch.team_id AND permit.id = batch.permit_id
    JOIN cycle_runs AS run ON run.team_id = batch.team_id AND run.id = batch.cycle_run_id
    WHERE batch.team_id = %(team_id)s
"""

_NAME: LiteralString = """
    UPDATE provider_batches SET batch_id = %(batch_id)s
    WHERE team_id = %(team_id)s AND id = %(id)s AND batch_id IS NULL
"""

_END: LiteralString = """
    UPDATE provider_batches SET outcome = %(outcome)s
    WHERE team_id = %(team_id)s AND id = %(id)s AND outcome IS NULL
"""
