"""Teams of few edges: what they are told, and how much of it is right."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.cli.evaluate.loading import load_team
from app.cli.evaluate.running import dream_once
from app.cli.evaluate.triples import Split, draw_young
from app.kernel.database import Database


@dataclass(frozen=True, slots=True)
class Young:
    """One draw: how many Hypotheses passed the floor, and how many of them are edges of the whole set."""

    edges: int
    draw: int
    outputs: int
    hits: int


async def measure_young(
    database: Database, split: Split, *, sizes: Sequence[int], draws: int, max_outputs: int
) -> list[Young]:
    """Return what teams of so many edges, drawn from all of the split's, get in their first cycle."""
    measured = []
    for edges in sizes:
        for draw in range(draws):
            drawn = draw_young(split, edges=edges, seed=draw)
            loaded = await load_team(database, drawn, max_outputs=max_outputs)
            dreamt = await dream_once(database, loaded.caller)
            relations = {predicate.key: relation for relation, predicate in loaded.predicates.items()}
            true = set(drawn.test)
            hits = sum(
                (subject, relations[key], object_) in true for subject, key, object_ in dreamt.hypotheses
            )
            measured.append(Young(edges, draw, len(dreamt.hypotheses), hits))
    return measured
