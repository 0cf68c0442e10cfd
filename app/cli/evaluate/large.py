"""Synthetic teams of growing size, each through one whole cycle."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from app.cli.evaluate.measuring import Measured, measure_split
from app.cli.evaluate.synthetic.planting import Synthetic, plant_graph
from app.cli.evaluate.triples import Split
from app.kernel.database import Database


@dataclass(frozen=True, slots=True)
class Grown:
    """One graph; `ceiling` is what knowing how it was made would reach, by k. `size` is what was asked for."""

    size: int
    seed: int
    nodes: int
    highest_degree: int
    ceiling: Mapping[int, float]
    measured: Measured


async def measure_growth(
    database: Database,
    *,
    sizes: Sequence[int],
    seeds: Sequence[int],
    max_outputs: int,
    tell: Callable[[str], None],
) -> list[Grown]:
    """Return what was found per number of edges, in the given order, and seed."""
    grown = []
    for size, seed in product(sizes, seeds):
        tell(f"a team of {size} edges, seed {seed}")
        graph = plant_graph(size, seed=seed)
        measured, _, _ = await measure_split(
            database, as_split(graph, f"{size} edges"), seed=seed, max_outputs=max_outputs, calibrates=False
        )
        nodes = len(graph.kinds)
        grown.append(Grown(size, seed, nodes, graph.highest_degree, graph.ceiling, measured))
    return grown


def as_split(graph: Synthetic, name: str) -> Split:
    """Return the graph as a split: what is visible to learn from, and what is hidden as its test half."""
    return Split(name, graph.visible, (), graph.hidden, graph.kinds, graph.signatures)
