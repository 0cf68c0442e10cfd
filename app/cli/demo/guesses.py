"""How good are the guesses: held-back edges among the first k, ours beside popularity and chance."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Final, get_args

from app.cli.demo.evidence import HELD_BACK_PREDICATES, Claim
from app.dreaming.grouping.evaluation import Method, precision_at, rank_targets
from app.dreaming.grouping.scoring import score_candidates
from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs, Target
from app.kernel.database import Database, Scope
from app.kernel.processes import run_in_process

DEPTHS: Final = (10, 20)
METHODS: Final[tuple[Method, ...]] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Precision:
    """Share of held-back edges among the first `k` of one ranking for one predicate."""

    predicate: str
    method: Method
    k: int
    share: float
    held_back: int


async def measure_guesses(
    database: Database, team_id: str, held_back: Sequence[Claim], *, seed: int
) -> list[Precision]:
    """Rank what the team's memory leaves open and count the held-back edges; nothing is written."""
    async with database.snapshot(Scope("dreamer", team_id)) as reading:
        inputs = await read_inputs(reading, team_id, max_premises=20_000, now=datetime.now(UTC))
    # Learning takes seconds of processor time, which the server in this process must not lose.
    return await run_in_process(compare, inputs, find_targets(inputs, held_back), seed=seed)


def compare(inputs: Inputs, targets: Collection[Target], *, seed: int) -> list[Precision]:
    """Return each ranking's precision for each predicate, all under the same constraints."""
    ours = [
        candidate.target
        for candidate in score_candidates(inputs, max_targets_per_predicate=max(DEPTHS)).candidates
    ]
    measured = []
    for predicate in sorted(HELD_BACK_PREDICATES):
        wanted = {target for target in targets if target.predicate_key == predicate}
        for method in METHODS:
            ranking: Sequence[Target] = (
                [target for target in ours if target.predicate_key == predicate]
                if method == "rules"
                else rank_targets(inputs, by=method, limit=max(DEPTHS), predicate_key=predicate, seed=seed)
            )
            measured += [
                Precision(predicate, method, k, precision_at(k, ranking, wanted), len(wanted)) for k in DEPTHS
            ]
    return measured


def find_targets(inputs: Inputs, held_back: Sequence[Claim]) -> set[Target]:
    """Return the held-back edges whose two ends the memory knows; no ranking can reach the others."""
    ids = {(node.kind, node.name): node.node_id for node in inputs.nodes.values()}
    found = set()
    for claim in held_back:
        subject = ids.get(("product", claim.package))
        target = ids.get(("document" if claim.predicate == "licensed_under" else "product", claim.target))
        if subject is not None and target is not None:
            found.add(Target(subject, claim.predicate, target))
    return found


def middle(rounds: Sequence[Sequence[Precision]]) -> list[Precision]:
    """Return the median over rounds with different seeds, in the order of the first."""
    return [
        Precision(one.predicate, one.method, one.k, median(same.share for same in column), one.held_back)
        for column in zip(*rounds, strict=True)
        for one in column[:1]
    ]
