"""Benchmark: how good are dreams on a folder of triples, beside popularity and chance, in one run. Pure but for
reading the folder and the clock.

The folder holds train.txt and, of what is held out, test.txt and valid.txt: `head<TAB>relation<TAB>tail`, one a
line. Only train.txt is learned from. With a split, all triples are shuffled by the seed and divided anew.

    P@k          share of the first k proposals of the whole graph that are held out (valid and test)
    MRR, H@k     of every test edge among the absent pairs with the same subject, and with the same object;
                 other known edges left out, ties at their mean rank, a node never related to itself
    calibration  a fifth of train.txt hidden, judged by what two other fifths taught, each hidden alone: Brier
                 score beside the one of always saying the base rate; reliability error = mean distance of said
                 and found over ten bins, among pairs of which at least .05 was said, weighted by their pairs

Run: python -m app.dreaming.benchmark DIR [--json] [--split 30/20/50 --seed N]
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from app.dreaming.evaluation import Method, precision_at, rank_targets
from app.dreaming.learning.holdout import hide_folds
from app.dreaming.learning.measures import Calibration, Ranks, measure_calibration, rank_among_absent
from app.dreaming.learning.ranking import rank_judged
from app.dreaming.model import Inputs, Node, Premise, Source, Standing, Target
from app.dreaming.scoring import judge_open_pairs
from app.ledger.identity import Edge, digest, semantic_group_key
from app.ledger.vocabulary import Predicate

Triple = tuple[str, str, str]
METHODS: tuple[Method, ...] = ("rules", "popularity", "random")
CUTS = (20, 100, 200, 500)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Folder:
    """Triples to learn from, and what is held out; MRR is over `test`, P@k over both."""

    train: tuple[Triple, ...]
    valid: tuple[Triple, ...]
    test: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One method's figures; `ranks` only where every pair is judged. `seconds` is wall time."""

    method: Literal["ours", "popularity", "random"]
    precision: dict[int, float]
    ranks: Ranks | None
    subjects_in_100: int
    predicates_in_100: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """What one run measured; `peak_megabytes` is of the whole process, None where it cannot be known."""

    edges: int
    held_out: int
    lines: tuple[Line, ...]
    calibration: Calibration | None
    peak_megabytes: int | None


def read_folder(folder: Path) -> Folder:
    """Return the folder's triples; valid.txt may be missing.

    Raises:
        OSError: train.txt or test.txt cannot be read.
        ValueError: a line does not have three columns.
    """
    parts = [_read_triples(folder / f"{name}.txt") for name in ("train", "test")]
    valid = folder / "valid.txt"
    return Folder(parts[0], _read_triples(valid) if valid.exists() else (), parts[1])


def split_anew(folder: Folder, *, shares: tuple[int, int, int], seed: int) -> Folder:
    """Return all triples divided anew in these shares of a hundred; the same seed gives the same split."""
    triples = sorted({*folder.train, *folder.valid, *folder.test})
    triples.sort(key=lambda triple: digest("split", str(seed), *triple))
    first = len(triples) * shares[0] // 100
    second = first + len(triples) * shares[1] // 100
    return Folder(tuple(triples[:first]), tuple(triples[first:second]), tuple(triples[second:]))


def make_inputs(triples: Sequence[Triple]) -> Inputs:
    """Return the triples as what a team knows: one source each, every node of one kind, every relation open."""
    predicates = {key: Predicate(key, 1, key, key) for _, key, _ in triples}
    nodes = {node: Node(node, node, "other") for head, _, tail in triples for node in (head, tail)}
    premises = [
        Premise(
            group_key=semantic_group_key(
                "benchmark", Edge(*triple), predicates[triple[1]], polarity="+", scope=None
            ),
            subject_id=triple[0],
            predicate_key=triple[1],
            object_id=triple[2],
            polarity="+",
            scope=None,
            modality="statement",
            is_valid_now=True,
            sources=(Source(f"line-{number}", 1, "benchmark", is_candidate=False),),
            eligible_since=_LONG_AGO,
            changed_at=_LONG_AGO,
        )
        for number, triple in enumerate(sorted(set(triples)))
    ]
    premises.sort(key=lambda premise: premise.group_key)
    return Inputs("benchmark", tuple(premises), nodes, predicates, Standing(), len(premises), 0)


def run_benchmark(folder: Folder, *, seed: int = 0) -> Report:
    """Return the figures of all three methods on the same inputs; `seed` is that of the random order."""
    inputs = make_inputs(folder.train)
    held_out = {Target(*triple) for triple in (*folder.valid, *folder.test)}
    lines = [_run_method(inputs, folder, held_out, by, seed) for by in METHODS]
    return Report(len(inputs.premises), len(held_out), tuple(lines), _calibrate(inputs), _read_peak())


def _run_method(inputs: Inputs, folder: Folder, held_out: set[Target], by: Method, seed: int) -> Line:
    begun = time.perf_counter()
    judgement = judge_open_pairs(inputs) if by == "rules" else None
    if judgement is None:
        ranked = rank_targets(inputs, by=by, limit=CUTS[-1], seed=seed)
    else:
        scores = rank_judged(judgement, least_likelihood=0.0, max_targets_per_predicate=CUTS[-1])
        ranked = tuple(candidate.target for candidate in scores.candidates[: CUTS[-1]])
    seconds = time.perf_counter() - begun
    ranks = None
    if judgement is not None and judgement.is_complete:
        known = [Target(*triple) for triple in (*folder.train, *folder.valid, *folder.test)]
        ranks = rank_among_absent(judgement, known=known, asked=[Target(*triple) for triple in folder.test])
    return Line(
        method="ours" if by == "rules" else by,
        precision={cut: round(precision_at(cut, ranked, held_out), 4) for cut in CUTS},
        ranks=ranks,
        subjects_in_100=len({target.subject_id for target in ranked[:100]}),
        predicates_in_100=len({target.predicate_key for target in ranked[:100]}),
        seconds=round(seconds, 2),
    )


def _calibrate(inputs: Inputs) -> Calibration | None:
    """Judge the first fifth, hidden, by what two others taught, each hidden alone in its turn."""
    first, *others = hide_folds(inputs, folds=3)
    judgement = judge_open_pairs(first.inputs, holdouts=others)
    return None if judgement is None else measure_calibration(judgement, first)


def _read_triples(path: Path) -> tuple[Triple, ...]:
    triples: list[Triple] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        columns = line.split("\t")
        if not line.strip():
            continue
        if len(columns) != 3:
            raise ValueError(f"{path.name}, line {number}: three columns are needed, found {len(columns)}")
        triples.append((columns[0], columns[1], columns[2]))
    return tuple(triples)


def _read_peak() -> int | None:
    try:
        import resource  # Not on Windows.
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024) if sys.platform == "darwin" else peak // 1024


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure a folder and write the report to standard output."""
    parser = argparse.ArgumentParser(prog="python -m app.dreaming.benchmark")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--split", help="train/valid/test in hundredths, such as 30/20/50")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    folder = read_folder(asked.folder)
    if asked.split:
        first, second, third = (int(share) for share in asked.split.split("/"))
        folder = split_anew(folder, shares=(first, second, third), seed=asked.seed)
    report = run_benchmark(folder, seed=asked.seed)
    text = json.dumps(asdict(report)) if asked.json else word_report(report)
    sys.stdout.write(text + "\n")


def word_report(report: Report) -> str:
    """Return the report as a plain table."""
    rows = [f"{report.edges} edges, {report.held_out} held out"]
    for line in report.lines:
        shown = "  ".join(f"P@{cut} {share:.2f}" for cut, share in line.precision.items())
        ranks = line.ranks
        if ranks is not None:
            shown += f"  MRR {ranks.mrr:.3f}  H@1 {ranks.hits_at_1:.2f}  H@10 {ranks.hits_at_10:.2f}"
        diverse = f"{line.subjects_in_100} subjects, {line.predicates_in_100} predicates in 100"
        rows.append(f"{line.method:<10}  {shown}  {diverse}  {line.seconds:.1f} s")
    if report.calibration is not None:
        found = report.calibration
        rows.append(
            f"calibration  Brier {found.brier:.4f} (base rate {found.base_brier:.4f})  "
            f"reliability error {found.reliability_error:.3f}"
        )
        rows += [f"  said {said:.2f}  found {share:.2f}  of {count}" for said, share, count in found.bins]
    if report.peak_megabytes is not None:
        rows.append(f"peak {report.peak_megabytes} MB")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
