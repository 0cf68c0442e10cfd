"""Logistic regression: one weight per signal, by Newton's method. Pure, and without a random start.

Minimises Σ weight · log loss + |coefficients|² / (2 · strength) over standardised signals; the intercept is not
penalised. `strength` is what other libraries call C. A deviation is a second regression on top of a first one,
whose intercept is penalised, too: without evidence it is nothing.
"""

from dataclasses import dataclass

import numpy as np

from app.dreaming.grouping.learning.features import Matrix

_MAX_STEPS = 50
_ENOUGH = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """`mean` and `scale` standardise the signals; `coefficients` are per standard deviation, intercept last."""

    mean: Matrix
    scale: Matrix
    coefficients: Matrix

    def predict(self, signals: Matrix, deviation: Matrix | None = None) -> Matrix:
        """Return a probability per row; a deviation is added to the coefficients."""
        coefficients = self.coefficients if deviation is None else self.coefficients + deviation
        return _squash(self.standardise(signals) @ coefficients)

    def standardise(self, signals: Matrix) -> Matrix:
        """Return the standardised signals and a last column of ones."""
        return np.hstack([(signals - self.mean) / self.scale, np.ones((len(signals), 1))])


def fit_logistic(signals: Matrix, labels: Matrix, weights: Matrix, *, strength: float) -> Logistic:
    """Return the regression of 0/1 labels on rows × signals; a signal that never varies gets no weight."""
    scale = signals.std(axis=0)
    scale[scale < 1e-9] = np.inf
    empty = Logistic(signals.mean(axis=0), scale, np.zeros(signals.shape[1] + 1))
    penalty = np.append(np.full(signals.shape[1], 1 / strength), 1e-9)
    share = np.average(labels, weights=weights)
    start = np.append(np.zeros(signals.shape[1]), np.log(share / (1 - share)))
    table = empty.standardise(signals)
    solution = _minimise(table, labels, weights, penalty, start, np.zeros(len(labels)))
    return Logistic(empty.mean, empty.scale, solution)


def fit_deviation(
    model: Logistic, signals: Matrix, labels: Matrix, weights: Matrix, *, strength: float
) -> Matrix:
    """Return what these rows would add to the model's coefficients, shrunk towards nothing."""
    table = model.standardise(signals)
    start = np.zeros(table.shape[1])
    penalty = np.full(table.shape[1], 1 / strength)
    return _minimise(table, labels, weights, penalty, start, table @ model.coefficients)


def _minimise(
    table: Matrix, labels: Matrix, weights: Matrix, penalty: Matrix, start: Matrix, offset: Matrix
) -> Matrix:
    solution = start
    loss = _loss(table, labels, weights, penalty, solution, offset)
    for _ in range(_MAX_STEPS):
        said = _squash(offset + table @ solution)
        gradient = table.T @ (weights * (said - labels)) + penalty * solution
        curvature = (table * (weights * said * (1 - said))[:, None]).T @ table + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        # Halving keeps Newton's step from overshooting where the data are nearly separable.
        length = 1.0
        new_loss = _loss(table, labels, weights, penalty, solution - step, offset)
        while new_loss > loss and length > 1e-6:
            length /= 2
            new_loss = _loss(table, labels, weights, penalty, solution - length * step, offset)
        if new_loss >= loss:
            break
        solution = solution - length * step
        if loss - new_loss < _ENOUGH * (1 + abs(loss)):
            break
        loss = new_loss
    return solution


def _squash(values: Matrix) -> Matrix:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -60, 60))))


def _loss(
    table: Matrix, labels: Matrix, weights: Matrix, penalty: Matrix, solution: Matrix, offset: Matrix
) -> float:
    values = offset + table @ solution
    return float(weights @ (np.logaddexp(0, values) - labels * values) + penalty @ solution**2 / 2)
