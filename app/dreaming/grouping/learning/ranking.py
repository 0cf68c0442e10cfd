"""Ranking: judged pairs become candidates in total order. Pure."""

import numpy as np

from app.dreaming.grouping.candidates import Candidate, Scores
from app.dreaming.grouping.learning.judgement import Judged, Judgement
from app.dreaming.model import Target

_PAIRS_AT_ONCE = 1_000


def rank_judged(judgement: Judgement, *, least_likelihood: float, max_targets_per_predicate: int) -> Scores:
    """Return the likely pairs that some rule carries, at most so many per predicate, best first."""
    candidates: list[Candidate] = []
    for each in judgement.judged:
        candidates.extend(_pick(each, least_likelihood, max_targets_per_predicate))
    candidates.sort(key=_order_of)
    return Scores(
        judgement.graph,
        tuple(candidates),
        judgement.left_out,
        judgement.find_rules,
        lambda target: _find_likelihood(judgement, target),
    )


def _find_likelihood(judgement: Judgement, target: Target) -> float | None:
    """Return what was judged of an open target that some rule carries, else None."""
    node_ids = judgement.graph.node_ids
    if target.subject_id not in node_ids or target.object_id not in node_ids:
        return None
    ends = node_ids.index(target.subject_id), node_ids.index(target.object_id)
    for each in judgement.judged:
        if each.space.predicate.key == target.predicate_key and len(each.pairs):
            start, end = sorted(ends) if each.space.predicate.symmetric else ends
            pair = start * len(node_ids) + end
            row = min(int(np.searchsorted(each.pairs, pair)), len(each.pairs) - 1)
            if each.pairs[row] == pair and each.carried[row]:
                return float(each.likelihoods[row])
    return None


def _pick(judged: Judged, least_likelihood: float, limit: int) -> list[Candidate]:
    space = judged.space
    rows = np.flatnonzero(judged.carried & (judged.likelihoods >= least_likelihood))
    degrees = space.count_known_at_object(judged.pairs[rows])
    order = np.lexsort((judged.pairs[rows], -degrees, -judged.likelihoods[rows]))
    rows, degrees = rows[order], degrees[order]
    picked: list[Candidate] = []
    # What the database knows beyond the premises is asked in pieces: it costs a digest per pair.
    for begin in range(0, len(rows), _PAIRS_AT_ONCE):
        piece = rows[begin : begin + _PAIRS_AT_ONCE]
        is_open = np.isin(judged.pairs[piece], space.keep_open(judged.pairs[piece]))
        for row, degree in zip(
            piece[is_open].tolist(), degrees[begin : begin + _PAIRS_AT_ONCE][is_open].tolist(), strict=True
        ):
            pair = int(judged.pairs[row])
            start, end = divmod(pair, len(space.node_ids))
            target = Target(space.node_ids[start], space.predicate.key, space.node_ids[end])
            likelihood = float(judged.likelihoods[row])
            picked.append(Candidate(target, space.identity_of(pair), start, end, degree, likelihood))
            if len(picked) == limit:
                return picked
    return picked


def _order_of(candidate: Candidate) -> tuple[float, int, int, str, int]:
    """Ties go by the positions of the nodes, which go by name: the same knowledge entered anew ranks the same."""
    likelihood, degree = -candidate.likelihood, -candidate.object_degree
    return likelihood, degree, candidate.start, candidate.target.predicate_key, candidate.end
