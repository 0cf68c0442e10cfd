"""The blend: what every signal is worth, learned on hidden premises. Pure.

One logistic regression over the signals of all predicates, and for each predicate a small deviation
from it, shrunk hard. How hard cannot be learned from the holdouts: their absent pairs are the same ones, so
that learning them by heart would look like knowledge. The blend's output is the likelihood that
a pair with these signals is a recorded edge.

Rows: every hidden edge; four times as many absent pairs, those that the ridge ranks highest; and of the other
absent pairs a sample spread evenly over the ridge's order, weighted up to all of them. True edges that nobody
recorded are among the absent ones, so the likelihood reads low where memory is incomplete.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.dreaming.grouping.learning.features import Matrix
from app.dreaming.grouping.learning.regression import Logistic, fit_deviation, fit_logistic

HARD_PER_HIDDEN = 4
OTHER_ROWS = 60_000
DEVIATION_STRENGTH = 0.01
DIGITS = 9
_LEAST_SCORE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Rows of one holdout: `signals` rows × signals, `keys` the predicate of each row."""

    signals: Matrix
    labels: Matrix
    weights: Matrix
    keys: npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """`deviations`: per predicate key what is added to the common coefficients, the intercept last."""

    common: Logistic
    deviations: Mapping[str, Matrix]
    plain: npt.NDArray[np.bool_]

    def judge(self, signals: Matrix, key: str) -> Matrix:
        """Return the likelihood of each row of signals for the predicate, 0..1, kept to 9 digits."""
        table = widen_signals(signals, self.plain)
        return np.round(self.common.predict(table, self.deviations.get(key)), DIGITS)


def select_rows(
    signals: npt.NDArray[np.floating], labels: npt.NDArray[np.bool_], *, order_by: int, other_rows: int
) -> tuple[npt.NDArray[np.int64], Matrix]:
    """Return the rows to learn from, and their weights, of signals × rows; `order_by` is the ridge's signal."""
    hidden, absent = np.flatnonzero(labels), np.flatnonzero(~labels)
    absent = absent[np.argsort(-signals[order_by, absent], kind="stable")]
    hard = min(HARD_PER_HIDDEN * len(hidden), len(absent))
    rest = absent[hard:]
    taken = min(other_rows, len(rest))
    sample = rest[np.arange(taken) * len(rest) // max(1, taken)]
    weights = np.concatenate((np.ones(len(hidden) + hard), np.full(taken, len(rest) / max(1, taken))))
    return np.concatenate((hidden, absent[:hard], sample)), weights


def learn_blend(
    lessons: Iterable[Lesson],
    *,
    plain: npt.NDArray[np.bool_],
    strength: float,
    deviation_strength: float = DEVIATION_STRENGTH,
) -> Blend | None:
    """Return the blend, or None where nothing hidden was open to be found.

    Args:
        plain: which signals enter as they are; of the others the logarithm enters, too.
        strength: of the regression; small shrinks more.
        deviation_strength: the same of each predicate's own part.
    """
    parts = [_widen(lesson, plain) for lesson in lessons if len(lesson.labels)]
    if not parts:
        return None
    whole = _join(parts)
    if not whole.labels.any() or whole.labels.all():
        return None
    common = fit_logistic(whole.signals, whole.labels, whole.weights, strength=strength)
    deviations = {}
    for key in np.unique(whole.keys).tolist():
        rows = np.flatnonzero(whole.keys == key)
        deviations[key] = fit_deviation(
            common, whole.signals[rows], whole.labels[rows], whole.weights[rows], strength=deviation_strength
        )
    return Blend(common, deviations, plain)


def _widen(lesson: Lesson, plain: npt.NDArray[np.bool_]) -> Lesson:
    return replace(lesson, signals=widen_signals(lesson.signals, plain))


def _join(lessons: Sequence[Lesson]) -> Lesson:
    return Lesson(
        np.concatenate([lesson.signals for lesson in lessons]),
        np.concatenate([lesson.labels for lesson in lessons]),
        np.concatenate([lesson.weights for lesson in lessons]),
        np.concatenate([lesson.keys for lesson in lessons]),
    )


def widen_signals(signals: Matrix, plain: npt.NDArray[np.bool_]) -> Matrix:
    """Return the signals and, of those that are not plain, ln(max(signal, .001))."""
    values = signals.astype(np.float64)
    return np.hstack([values, np.log(np.maximum(values[:, ~plain], _LEAST_SCORE))])
