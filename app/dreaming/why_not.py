"""Asking why an idea is absent: one snapshot, then the thinking in a process of its own, within bounded time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final, LiteralString

from app.dreaming.absence import Absence, Obstacle, Situation, explain_absence
from app.dreaming.generation import RULES_VERSION
from app.dreaming.grouping.split import weigh_predicates
from app.dreaming.inputs.snapshot import read_inputs, read_nodes
from app.dreaming.inputs.standing import read_standing
from app.dreaming.model import Inputs, Target
from app.dreaming.spending.budgets import team_budgets
from app.dreaming.validation.validated import Current
from app.hypotheses.explanation import CONDITION_FAULTS
from app.hypotheses.outcomes import read_outcomes
from app.kernel.database import Database, Reading, Row, Scope
from app.kernel.errors import NotFound, Unavailable
from app.kernel.ids import is_id
from app.kernel.processes import run_in_process
from app.ledger.predicates.phrases import negated_statement, statement
from app.tenancy.configuration import effective_configuration

Compute = Callable[[Callable[[Situation], Absence], Situation], Awaitable[Absence]]
MAX_SECONDS: Final = 20.0
MAX_NEIGHBOURS: Final = 200
MAX_UNFIT: Final = 10


async def ask_why_not(
    database: Database,
    team_id: str,
    target: Target,
    *,
    now: datetime,
    compute: Compute = run_in_process,
    max_seconds: float = MAX_SECONDS,
) -> Absence:
    """Return what stands in the way of the target today; nothing is written.

    Args:
        compute: runs the CPU-bound part off the event loop; a process of its own can be stopped.

    Raises:
        NotFound: the team has no such Entity or Value.
        Unavailable: `question_too_large`, where the team is too large to be thought through in time.
    """
    is_node = is_id(target.object_id, "ent") or is_id(target.object_id, "val")
    if not is_id(target.subject_id, "ent") or not is_node:
        raise NotFound("There is no such Entity or Value.")
    try:
        async with asyncio.timeout(max_seconds):
            async with database.snapshot(Scope("dreamer", team_id)) as reading:
                situation = await _read_situation(reading, team_id, target, now)
            return await compute(explain_absence, situation)
    except TimeoutError as error:
        message = f"The team knows too much to think this through within {max_seconds:g} seconds."
        raise Unavailable(message, code="question_too_large") from error


async def _read_situation(reading: Reading, team_id: str, target: Target, now: datetime) -> Situation:
    """Read what a cycle of the rules would, and what may be said about the two ends besides."""
    ends = [target.subject_id, target.object_id]
    own = await read_nodes(reading, team_id, ends)
    if not own.keys() >= set(ends):
        raise NotFound("There is no such Entity or Value.")
    merged = await reading.fetch_all(_MERGED, {"team_id": team_id, "ends": ends})
    unfit = await reading.fetch_all(
        _UNFIT, {"team_id": team_id, "ends": ends, "neighbours": MAX_NEIGHBOURS, "limit": MAX_UNFIT}
    )
    budgets = team_budgets(await effective_configuration(reading, team_id))
    outcomes = await read_outcomes(reading, team_id)
    inputs = await read_inputs(reading, team_id, max_premises=budgets.max_premises, now=now)
    standing = inputs.standing
    if not inputs.nodes.keys() >= set(ends):
        # Nothing that may be read mentions an end, so no cycle has asked how targets at it stand.
        standing = await read_standing(
            reading, team_id, node_ids=[*inputs.nodes, *ends], predicates=inputs.predicates, now=now
        )
    weights = weigh_predicates(outcomes, generator_version=RULES_VERSION)
    inputs = replace(inputs, nodes={**own, **inputs.nodes}, split_weights=weights)
    return Situation(
        target=target,
        inputs=inputs,
        current=Current(
            source_versions=_read_versions(inputs),
            standing=standing,
            missing_nodes=frozenset(row["id"] for row in merged),
            predicates=inputs.predicates,
        ),
        budgets=budgets,
        unfit=tuple(_word_unfit(row) for row in unfit),
    )


def _read_versions(inputs: Inputs) -> dict[str, tuple[int, bool]]:
    sources = (source for premise in inputs.premises for source in premise.sources)
    return {source.relationship_id: (source.version, True) for source in sources}


def _word_unfit(row: Row) -> Obstacle:
    said = statement if row["polarity"] == "+" else negated_statement
    text = said(row["subject_name"], row["verb_phrase"], row["object_name"])
    faults = "; ".join(fault for name, fault in CONDITION_FAULTS.items() if not row[name])
    return Obstacle("not_eligible", f"“{text}” cannot be built on: {faults}.", (row["relationship_id"],))


_MERGED: LiteralString = """
    SELECT id FROM entities WHERE team_id = %(team_id)s AND id = ANY (%(ends)s) AND is_merged
"""

# The newest Relationships at the ends only: a hub has thousands, and each costs a look at its evidence. What has
# ended for good stands in nobody's way.
_UNFIT: LiteralString = """
    WITH near AS (
        SELECT r.team_id, r.id, r.polarity, r.predicate_key, r.predicate_version, r.subject_entity_id,
               r.object_entity_id, r.object_value_id, r.changed_at
        FROM relationships AS r
        WHERE r.team_id = %(team_id)s
          AND (r.subject_entity_id = ANY (%(ends)s) OR r.object_entity_id = ANY (%(ends)s)
               OR r.object_value_id = ANY (%(ends)s))
          AND r.status NOT IN ('retracted', 'superseded', 'rejected')
        ORDER BY r.changed_at DESC, r.id DESC LIMIT %(neighbours)s
    )
    SELECT r.id AS relationship_id, r.polarity, predicate.verb_phrase, subject.name AS subject_name,
           coalesce(object.name, trim(value.canonical || ' ' || value.unit)) AS object_name,
           e.is_established OR e.is_assessed_candidate AS is_established_or_assessed, e.endpoints_exist,
           e.predicate_fits, e.has_no_open_review, e.has_no_open_conflict, e.is_preferred_position,
           e.has_current_evidence
    FROM near AS r
    JOIN predicates AS predicate ON predicate.team_id = r.team_id
         AND predicate.predicate_key = r.predicate_key AND predicate.version = r.predicate_version
    JOIN entities AS subject ON subject.team_id = r.team_id AND subject.id = r.subject_entity_id
    LEFT JOIN entities AS object ON object.team_id = r.team_id AND object.id = r.object_entity_id
    LEFT JOIN typed_values AS value ON value.team_id = r.team_id AND value.id = r.object_value_id
    CROSS JOIN LATERAL (
        SELECT * FROM relationship_eligibility AS eligibility
        WHERE eligibility.team_id = r.team_id AND eligibility.relationship_id = r.id OFFSET 0
    ) AS e
    WHERE NOT ((e.is_established OR e.is_assessed_candidate) AND e.endpoints_exist AND e.predicate_fits
               AND e.has_no_open_review AND e.has_no_open_conflict AND e.is_preferred_position
               AND e.has_current_evidence)
    ORDER BY r.changed_at DESC, r.id DESC LIMIT %(limit)s
"""
