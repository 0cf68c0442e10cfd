"""One split measured: a team loaded, its cycle run, the Hypotheses that it left counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Final

from app.cli.evaluate.judging import Judged, Proposed, Ranking, judge_team, measure_order
from app.cli.evaluate.loading import Loaded, load_team
from app.cli.evaluate.running import Dreamt, dream_once
from app.cli.evaluate.triples import CUTS, Split, Triple
from app.cli.evaluate.watching import Watched, watch
from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs, Target
from app.kernel.database import Database, Scope
from app.kernel.processes import run_in_process

MAX_OUTPUTS: Final = CUTS[-1]
MEGABYTES_NOT_KNOWN: Final = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """What one split gave.

    `proposed` counts the Hypotheses that the cycle left, in the order in which it used them; `judged` everything
    that could be proposed. `is_repeated`: the same knowledge entered in another order, by another team, gave the
    same proposals, likelihoods and explanations, to the last bit.
    """

    name: str
    edges: int
    held_out: int
    status: str
    outputs: int
    hits: int
    proposed: Ranking
    judged: Judged
    is_repeated: bool
    load_seconds: float
    cycle_seconds: float
    generator_seconds: float
    generator_cpu_seconds: float
    generator_megabytes: int
    worker_megabytes: int


async def measure_split(
    database: Database,
    split: Split,
    *,
    seed: int = 0,
    max_outputs: int = MAX_OUTPUTS,
    calibrates: bool = True,
) -> tuple[Measured, Loaded, Dreamt]:
    """Return the figures of one split, and the team and cycle that they are of.

    `seed` is that of the random order; `calibrates` says whether the likelihoods are judged, too, which costs
    as much again.
    """
    started = perf_counter()
    loaded = await load_team(database, split, max_outputs=max_outputs)
    load_seconds = perf_counter() - started
    dreamt = await dream_once(database, loaded.caller)
    other = await load_team(database, split, max_outputs=max_outputs, reverse=True)
    inputs = await _read(database, other, len(split.train))
    keys = {relation: predicate.key for relation, predicate in loaded.predicates.items()}
    watched: Watched[Judged] = await run_in_process(
        watch,
        judge_team,
        inputs,
        split,
        keys,
        max_groups=max_outputs,
        seed=seed,
        calibrates=calibrates,
    )
    relations = {key: relation for relation, key in keys.items()}
    left = order_hypotheses(dreamt, await _read(database, loaded, len(split.train)), relations)
    held_out = {*split.valid, *split.test}
    measured = Measured(
        name=split.name,
        edges=len(set(split.train)),
        held_out=len(held_out),
        status=dreamt.run.status,
        outputs=len(left),
        hits=sum(each.triple in held_out for each in left),
        proposed=measure_order(
            [Target(*each.triple) for each in left], {Target(*triple) for triple in held_out}
        ),
        judged=watched.result,
        is_repeated=watched.result.proposed == left,
        load_seconds=round(load_seconds, 2),
        cycle_seconds=dreamt.seconds,
        generator_seconds=dreamt.generator_seconds,
        generator_cpu_seconds=dreamt.generator_cpu_seconds,
        generator_megabytes=dreamt.generator_megabytes or MEGABYTES_NOT_KNOWN,
        worker_megabytes=dreamt.worker_megabytes or MEGABYTES_NOT_KNOWN,
    )
    return measured, loaded, dreamt


def order_hypotheses(dreamt: Dreamt, inputs: Inputs, relations: Mapping[str, str]) -> tuple[Proposed, ...]:
    """Return what the cycle left in the database, in the order in which it used its groups."""
    found = []
    for group in dreamt.groups:
        key = group.target.predicate_key
        subject, object_ = (
            inputs.nodes[node].name for node in (group.target.subject_id, group.target.object_id)
        )
        row = dreamt.hypotheses.get((subject, key, object_))
        if row is not None:
            rules = tuple(
                (path["rule"], path["support"], path["body"], path["share"]) for path in row["paths"]
            )
            triple: Triple = (subject, relations[key], object_)
            found.append(Proposed(triple, row["likelihood"], rules))
    return tuple(found)


async def _read(database: Database, loaded: Loaded, edges: int) -> Inputs:
    team_id = loaded.caller.team_id
    async with database.snapshot(Scope("dreamer", team_id)) as reading:
        return await read_inputs(reading, team_id, max_premises=max(1, edges), now=datetime.now(UTC))
