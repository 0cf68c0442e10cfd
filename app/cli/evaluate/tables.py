"""What is printed: one table a question, and the same as data. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Final

from app.cli.evaluate.explaining import Explained
from app.cli.evaluate.judging import Ranking
from app.cli.evaluate.large import Grown
from app.cli.evaluate.measuring import Measured
from app.cli.evaluate.triples import CUTS
from app.cli.evaluate.young import Young
from app.cli.output import Json
from app.dreaming.grouping.candidates import LeftOut

QUALITY: Final = {
    "Split": "split",
    "Order": "order",
    **{f"P@{cut}": f"p{cut}" for cut in CUTS},
    "MRR": "mrr",
    "H@1": "h1",
    "H@10": "h10",
    "Subjects": "subjects",
    "Predicates": "predicates",
}

HONESTY: Final = {
    "Split": "split",
    "Brier": "brier",
    "Base rate": "base",
    "Of it": "share",
    "Reliability error": "error",
    "Two runs": "repeated",
}
COST: Final = {
    "Split": "split",
    "Edges": "edges",
    "Held out": "held_out",
    "Load s": "load",
    "Cycle s": "cycle",
    "Generator s": "generator",
    "CPU s": "cpu",
    "Generator MB": "generator_mb",
    "Worker MB": "worker_mb",
}
YOUNG: Final = {
    "Edges": "edges",
    "Draw": "draw",
    "Proposed": "outputs",
    "Right": "hits",
    "Share": "share",
}
GROWTH: Final = {
    "Edges": "edges",
    "Seed": "seed",
    "Nodes": "nodes",
    "Highest degree": "degree",
    "Order": "order",
    **{f"P@{cut}": f"p{cut}" for cut in CUTS},
    "Predicates": "predicates",
    "Load s": "load",
    "Cycle s": "cycle",
    "Generator s": "generator",
    "CPU s": "cpu",
    "Generator MB": "generator_mb",
    "Worker MB": "worker_mb",
    "Left out": "dropped",
}


def quality_rows(measured: Measured) -> list[Json]:
    """Return four rows: what was proposed, all that was judged, popularity, chance."""
    judged, ranks = measured.judged, measured.judged.ranks
    rows = []
    for order, ranking in (
        ("proposed", measured.proposed),
        ("judged", judged.ranked),
        ("popularity", judged.popularity),
        ("random", judged.random),
    ):
        row = _precision_row(ranking) | {"split": measured.name, "order": order}
        if order == "judged" and ranks is not None:
            row |= {
                "mrr": f"{ranks.mrr:.3f}",
                "h1": ranks.hits_at_1,
                "h10": ranks.hits_at_10,
            }
        rows.append(row)
    return rows


def mean_rows(name: str, group: Sequence[Measured]) -> list[Json]:
    """Return the same four rows, the means over splits with different seeds."""
    tables = [quality_rows(each) for each in group]
    rows = []
    for same in zip(*tables, strict=True):
        row: Json = {"split": name, "order": same[0]["order"]}
        for field in (*(f"p{cut}" for cut in CUTS), "h1", "h10"):
            if field in same[0]:
                row[field] = fmean(each[field] for each in same)
        if "mrr" in same[0]:
            row["mrr"] = f"{fmean(float(each['mrr']) for each in same):.3f}"
        rows.append(row)
    return rows


def honesty_row(measured: Measured) -> Json:
    """Return how honest the likelihoods are, and whether a second run gave the same."""
    found = measured.judged.calibration
    row: Json = {"split": measured.name, "repeated": "bit-equal" if measured.is_repeated else "DIFFER"}
    if found is not None:
        row |= {
            "brier": f"{found.brier:.4f}",
            "base": f"{found.base_brier:.4f}",
            "share": found.brier / found.base_brier if found.base_brier else None,
            "error": f"{found.reliability_error:.3f}",
        }
    return row


def reliability_rows(group: Sequence[Measured]) -> tuple[Mapping[str, str], list[Json]]:
    """Return the headings and rows of said against found, a column for each split."""
    headings = {"Said": "said"} | {each.name: f"found{place}" for place, each in enumerate(group)}
    rows: dict[int, Json] = {}
    for place, each in enumerate(group):
        for said, share, pairs in each.judged.calibration.bins if each.judged.calibration else ():
            tenth = min(9, int(said * 10))
            row = rows.setdefault(tenth, {"said": f"{max(0.05, tenth / 10):.2f} to {(tenth + 1) / 10:.1f}"})
            row[f"found{place}"] = f"{said:.2f} → {share:.2f} of {pairs}"
    return headings, [rows[tenth] for tenth in sorted(rows)]


def cost_row(measured: Measured) -> Json:
    """Return what the measurement cost; the cycle's seconds are from lease to end."""
    return {
        "split": measured.name,
        "edges": measured.edges,
        "held_out": measured.held_out,
        "load": f"{measured.load_seconds:.1f}",
        "cycle": f"{measured.cycle_seconds:.1f}",
        "generator": f"{measured.generator_seconds:.1f}",
        "cpu": f"{measured.generator_cpu_seconds:.1f}",
        "generator_mb": measured.generator_megabytes,
        "worker_mb": measured.worker_megabytes,
        "dropped": _word_left_out(measured.judged.left_out),
    }


def young_rows(measured: Sequence[Young]) -> list[Json]:
    """Return a row per draw, and one per size with all draws together."""
    rows = []
    for edges in dict.fromkeys(each.edges for each in measured):
        draws = [each for each in measured if each.edges == edges]
        outputs, hits = sum(each.outputs for each in draws), sum(each.hits for each in draws)
        rows += [asdict(each) | {"share": _share(each.hits, each.outputs)} for each in draws]
        rows.append(
            {"edges": edges, "draw": "all", "outputs": outputs, "hits": hits, "share": _share(hits, outputs)}
        )
    return rows


def growth_rows(grown: Sequence[Grown]) -> list[Json]:
    """Return four rows a size; the first one has the cost."""
    rows: list[Json] = []
    for each in grown:
        size: Json = {
            "edges": each.measured.edges,
            "seed": each.seed,
            "nodes": each.nodes,
            "degree": each.highest_degree,
        }
        lines = [
            row | size
            for row in quality_rows(each.measured)
            if row["order"] in ("proposed", "judged", "popularity")
        ]
        lines[0] |= cost_row(each.measured)
        ceiling = {f"p{cut}": share for cut, share in each.ceiling.items()}
        rows += [*lines, size | ceiling | {"order": "knowing how it was made"}]
    return rows


def word_explanation(number: int, explained: Explained) -> list[str]:
    """Return one Hypothesis with its reasons, a line each."""
    mark = "held out" if explained.is_held_out else "not in the set"
    lines = [
        f"{number}. {explained.statement}  ({mark})",
        f"   likelihood {explained.likelihood:.2f}, confidence {explained.confidence:.2f}: {explained.rationale}",
    ]
    for path in explained.paths:
        lines.append(f"   {path.share:.2f}  {path.rule}  ({path.support} of {path.body})")
        known = "" if path.are_known else "  NOT ALL IN train.txt"
        lines.append("         " + "; ".join(" ".join(edge) for edge in path.edges) + known)
    return lines


def _precision_row(ranking: Ranking) -> Json:
    row: Json = {f"p{cut}": share for cut, share in ranking.precision.items()}
    return row | {"subjects": ranking.subjects_in_100, "predicates": ranking.predicates_in_100}


def _word_left_out(left_out: LeftOut) -> str:
    return (
        f"{left_out.shapes} shapes, {left_out.paths:,} paths; {left_out.rules} rules,"
        f" {left_out.rule_pairs:,} pairs; {left_out.hub_pairs:,} pairs of hubs"
    )


def _share(hits: int, outputs: int) -> float | None:
    return hits / outputs if outputs else None
