"""Ridge: for every predicate one weight per shape of path, by penalised least squares. Pure.

All predicates share one inverse. What a predicate's own forward step would say of it is its own label, so that
feature is taken out for the predicate, without inverting anew. Two values are given per pair:

    fitted   what the weights say of the pair
    unseen   what weights would say that had not seen the pair's own label: (fitted − leverage · label) /
             (1 − leverage), exactly

With more features than pairs the kernel of the pairs is inverted instead; the result is the same.
Design, section 6, "Generators".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from app.dreaming.grouping.learning.features import Features, Matrix, Sparse

Ints = npt.NDArray[np.int64]
_LEAST_REST = 1e-6
_FEW_FEATURES = 200
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What is to be predicted: `known` is predicates × pairs (0 or 1) over `rows`, the pairs looked at.

    `own` is the column of each predicate's own forward step, −1 where the features have none.
    """

    rows: Ints
    known: Sparse
    own: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """`fitted` and `unseen`: predicates × rows. `weights`: predicates × features, per unit of feature value."""

    fitted: Matrix
    unseen: Matrix
    weights: Matrix


def fit_ridge(
    features: Sparse, labels: Labels, *, penalties: Sequence[float], standardised: bool = True
) -> list[Fit]:
    """Return one fit per penalty.

    Standardised, every feature is shrunk alike, however rare; else a penalty counts like so many cases against
    each feature, so that rare ones are shrunk most.
    """
    table = features[labels.rows]
    count = max(1, table.shape[0])
    mean = np.asarray(table.mean(axis=0)).ravel() if table.shape[1] else np.empty(0)
    square = np.asarray(table.multiply(table).mean(axis=0)).ravel() if table.shape[1] else np.empty(0)
    variance = square - mean**2
    # A feature that is the same everywhere tells nothing, and would not survive the inversion.
    scale = np.where(variance > _LEAST_VARIANCE, np.sqrt(np.maximum(variance, 0.0)), np.inf)
    if not standardised:
        scale = np.ones(len(mean))
    scaled = sparse.csr_matrix(table @ sparse.diags(1 / scale))
    base = np.asarray(labels.known.sum(axis=1)).ravel() / count
    problem = _Problem(scaled, mean / scale, scale, labels, base)
    fits = []
    gram = None
    for penalty in penalties:
        if table.shape[1] > count:
            fits.append(_fit_by_pairs(problem, penalty))
        else:
            if gram is None:
                gram = (scaled.T @ scaled).toarray() - count * np.outer(problem.centre, problem.centre)
            fits.append(_fit_by_features(problem, gram, penalty))
    return fits


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    scaled: Sparse
    centre: Matrix
    scale: Matrix
    labels: Labels
    base: Matrix


def _fit_by_features(problem: _Problem, gram: Matrix, penalty: float) -> Fit:
    scaled, centre, labels = problem.scaled, problem.centre, problem.labels
    inverse = _invert(gram, penalty)
    # Labels are centred by their share; with centred features the constant drops out of the product.
    targets = (scaled.T @ labels.known.T).toarray() - np.outer(
        centre, np.asarray(labels.known.sum(axis=1)).ravel()
    )
    weights = inverse @ targets
    own = np.flatnonzero(labels.own >= 0)
    columns = labels.own[own]
    diagonal = inverse[columns, columns]
    weights[:, own] -= inverse[:, columns] * (weights[columns, own] / diagonal)
    leverage = _quadratic_forms(scaled, inverse, centre)
    own_part = scaled @ inverse[:, columns] - centre @ inverse[:, columns]
    fitted = np.ascontiguousarray((scaled @ weights - centre @ weights + problem.base).T)
    leverages = np.broadcast_to(leverage, fitted.shape).copy()
    leverages[own] -= (own_part**2 / diagonal).T
    return Fit(fitted, _leave_out(fitted, leverages, labels.known), (weights / problem.scale[:, None]).T)


def _fit_by_pairs(problem: _Problem, penalty: float) -> Fit:
    labels = problem.labels
    table = problem.scaled.toarray() - problem.centre
    inverse = _invert(table @ table.T, penalty)
    known = labels.known.toarray() - problem.base[:, None]
    fitted, leverages, weights = np.empty(known.shape), np.empty(known.shape), np.empty((len(known), 0))
    rows = []
    for number, label in enumerate(known):
        column = labels.own[number]
        own = table[:, column] if column >= 0 else np.zeros(len(table))
        turned = inverse @ own
        rest = 1 - own @ turned
        solved = inverse @ label + turned * ((turned @ label) / rest)
        fitted[number] = label - penalty * solved + problem.base[number]
        leverages[number] = 1 - penalty * (np.diag(inverse) + turned**2 / rest)
        weight = table.T @ solved
        if column >= 0:
            weight[column] = 0.0
        rows.append(weight / problem.scale)
    weights = np.array(rows).reshape(len(known), table.shape[1])
    return Fit(fitted, _leave_out(fitted, leverages, labels.known), weights)


def _invert(matrix: Matrix, penalty: float) -> Matrix:
    factor = linalg.cholesky(matrix + penalty * np.eye(len(matrix)), lower=True, overwrite_a=True)
    inverse, _ = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    whole: Matrix = np.tril(inverse) + np.tril(inverse, -1).T
    return whole


def _quadratic_forms(scaled: Sparse, inverse: Matrix, centre: Matrix) -> Matrix:
    """Return x · inverse · x for every centred row x.

    A row has few values, so only their corner of the inverse is read; with few features that does not pay.
    """
    turned = inverse @ centre
    forms = float(centre @ turned) - 2 * (scaled @ turned)
    if scaled.shape[1] <= _FEW_FEATURES:
        return np.asarray(forms + np.asarray(scaled.multiply(scaled @ inverse).sum(axis=1)).ravel())
    bounds = scaled.indptr.tolist()
    for row in range(scaled.shape[0]):
        inside = slice(bounds[row], bounds[row + 1])
        columns, values = scaled.indices[inside], scaled.data[inside]
        forms[row] += values @ inverse[columns[:, None], columns] @ values
    result: Matrix = forms
    return result


def _leave_out(fitted: Matrix, leverages: Matrix, known: Sparse) -> Matrix:
    """Return the fitted values without each pair's own label.

    The own label moves the mean of all labels, too, by one part in the number of pairs; that is left alone.
    """
    rest = np.maximum(1 - leverages, _LEAST_REST)
    return np.asarray((fitted - leverages * known.toarray()) / rest)


def find_columns(features: Features, lengths: set[int]) -> Ints:
    """Return the columns of the features whose shapes have one of these lengths."""
    return np.array([place for place, shape in enumerate(features.shapes) if len(shape) in lengths], np.int64)
