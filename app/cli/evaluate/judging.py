"""All open pairs of a team judged, for what proposals alone cannot tell. Pure; seconds of processor time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.cli.evaluate.triples import CUTS, Split, Triple
from app.dreaming.grouping.candidates import LIKELIHOOD_FLOOR, LeftOut
from app.dreaming.grouping.evaluation import precision_at, rank_targets
from app.dreaming.grouping.groups import count_targets_needed, group_candidates
from app.dreaming.grouping.learning.holdout import PARTS, hide_folds
from app.dreaming.grouping.learning.measures import Calibration, Ranks, measure_calibration, rank_among_absent
from app.dreaming.grouping.learning.ranking import rank_judged
from app.dreaming.grouping.scoring import count_lessons, judge_open_pairs, score_candidates
from app.dreaming.model import Inputs, Target


@dataclass(frozen=True, slots=True)
class Proposed:
    """One proposal without its ids. `rules` are (rule in words, support, body, share of the score)."""

    triple: Triple
    likelihood: float
    rules: tuple[tuple[str, int, int, float], ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first of one order of targets; P@k by k, and how many subjects and predicates its first 100 have."""

    precision: Mapping[int, float]
    subjects_in_100: int
    predicates_in_100: int


@dataclass(frozen=True, slots=True)
class Judged:
    """`proposed` are the groups that the same inputs give, in order. `ranks` only where all pairs are judged."""

    proposed: tuple[Proposed, ...]
    ranked: Ranking
    popularity: Ranking
    random: Ranking
    ranks: Ranks | None
    calibration: Calibration | None
    left_out: LeftOut


def judge_team(
    inputs: Inputs,
    split: Split,
    keys: Mapping[str, str],
    *,
    max_groups: int,
    seed: int,
    calibrates: bool,
) -> Judged:
    """Return what a team's inputs tell of what is held out; `keys` are predicate keys by relation."""
    names = {node.name: node_id for node_id, node in inputs.nodes.items()}

    def aim(triples: Sequence[Triple]) -> list[Target]:
        # A node that the team does not know stays a name, which no target has.
        return [
            Target(names.get(head, head), keys[key], names.get(tail, tail)) for head, key, tail in triples
        ]

    held_out = set(aim((*split.valid, *split.test)))
    judgement = judge_open_pairs(inputs)
    if judgement is None:
        scores = every = score_candidates(inputs, least_likelihood=LIKELIHOOD_FLOOR)
        ranks = None
    else:
        scores = rank_judged(
            judgement,
            least_likelihood=LIKELIHOOD_FLOOR,
            max_targets_per_predicate=count_targets_needed(inputs),
        )
        every = rank_judged(judgement, least_likelihood=0.0, max_targets_per_predicate=CUTS[-1])
        ranks = None
        if judgement.is_complete and split.test:
            known = aim((*split.train, *split.valid, *split.test))
            ranks = rank_among_absent(judgement, known=known, asked=aim(split.test))
    del judgement
    groups = group_candidates(inputs, scores, max_groups=max_groups).groups
    relations = {key: relation for relation, key in keys.items()}
    return Judged(
        proposed=tuple(
            Proposed(
                (
                    inputs.nodes[group.target.subject_id].name,
                    relations[group.target.predicate_key],
                    inputs.nodes[group.target.object_id].name,
                ),
                group.likelihood,
                tuple((path.rule, path.support, path.body, path.share) for path in group.paths),
            )
            for group in groups
        ),
        ranked=measure_order([candidate.target for candidate in every.candidates], held_out),
        popularity=measure_order(rank_targets(inputs, by="popularity", limit=CUTS[-1], seed=seed), held_out),
        random=measure_order(rank_targets(inputs, by="random", limit=CUTS[-1], seed=seed), held_out),
        ranks=ranks,
        calibration=_calibrate(inputs) if calibrates else None,
        left_out=scores.left_out,
    )


def measure_order(targets: Sequence[Target], held_out: set[Target]) -> Ranking:
    """Return how many of the first targets were held out; places that a short order lacks are misses."""
    return Ranking(
        {cut: round(precision_at(cut, targets, held_out), 4) for cut in CUTS},
        len({target.subject_id for target in targets[:100]}),
        len({target.predicate_key for target in targets[:100]}),
    )


def _calibrate(inputs: Inputs) -> Calibration | None:
    """Judge the first fifth, hidden, by what others taught, each hidden alone in its turn.

    They are as many as a cycle of this team learns from, or the four that are left.
    """
    first, *others = hide_folds(inputs, folds=min(PARTS, 1 + count_lessons(inputs)))
    judgement = judge_open_pairs(first.inputs, holdouts=others)
    return None if judgement is None else measure_calibration(judgement, first)
