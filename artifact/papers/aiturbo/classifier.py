"""Can unpredictable jobs be recognised? A logistic regression, evaluated on jobs that it was not fitted to.

AITurbo (Zhao et al., HPDC 2021, doi 10.1145/3431379.3460639) keeps the five factors that correlate most with
predictability and builds a predictor from them [TALK]; neither the predictor nor its evaluation is public. The
features below and the regression are ours [RECON].

| features | contain |
|---|---|
| `submission` | what is known when a job is submitted |
| `started` | also the throughput, which is known soon after the start |
| `five` | the five strongest correlates; accuracy, loss and running time are known only after the job has ended |
| `ended` | all columns, known after the job has ended |
| `best accuracy` | one column, no fit: jobs below `THRESHOLD` count as unpredictable |

k-fold cross-validation puts repeated submissions of one model into both the training and the test set, so it measures
how well jobs of known models are classified. Leaving out all jobs of one type measures the same for unseen models.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from rarlib.model.seeds import stream

_SUBMISSION = ("servers", "workers", "epochs", "gpus", "memory_gb", "cpus", "batch", "learning_rate", "steps", "first")
_FEATURES = {
    "submission": _SUBMISSION,
    "started": (*_SUBMISSION, "throughput"),
    "five": ("accuracy", "loss", "first", "running_s", "memory_gb"),
    "ended": (*_SUBMISSION, "throughput", "accuracy", "loss", "running_s"),
}
_LOGARITHM = ("epochs", "batch", "learning_rate", "steps", "throughput", "running_s")
"""Columns that span orders of magnitude."""

THRESHOLD = 0.435
"""Best accuracy below which nearly all jobs of the data set are labelled unpredictable [DATA]."""

BASELINE = "best accuracy"
_RIDGE, _STEPS = 1.0, 25


class Fold(NamedTuple):
    """Jobs that are left out of a fit together.

    Attributes:
        scheme: `k-fold` or `type left out`.
        number: of the fold; the job type in the second scheme.
        test: which jobs are left out, shape (jobs,).
    """

    scheme: str
    number: int
    test: NDArray[np.bool_]


class Judged(NamedTuple):
    """How well a set of features classifies the jobs of a fold.

    Attributes:
        features: name of the set.
        auc: probability that an unpredictable job scores above a predictable one; NaN if the fold lacks a class.
        right: fraction of jobs classified correctly.
        score: of each job of the fold; a larger score means less predictable.
    """

    features: str
    fold: Fold
    auc: float
    right: float
    score: NDArray[np.float64]


def folds(frame: pd.DataFrame, k: int, seed: int) -> Iterator[Fold]:
    """Folds of two schemes: `k` random ones, stratified by class, then one per job type."""
    order = stream(seed, "aiturbo", "folds").permutation(len(frame))
    label = frame["unpredictable"].to_numpy()
    place = np.empty(len(frame), dtype=np.int64)
    assigned = order[np.argsort(label[order], kind="stable")]
    place[assigned] = np.arange(len(frame)) % k
    yield from (Fold("k-fold", number, place == number) for number in range(k))
    kinds = frame["type"].to_numpy()
    yield from (Fold("type left out", int(kind), kinds == kind) for kind in np.unique(kinds))


def cross_validate(frame: pd.DataFrame, fold: Fold, starts: dict[str, NDArray[np.float64]]) -> Iterator[Judged]:
    """Fit a regression on every set of features to the jobs outside a fold and evaluate it on those inside.

    `fold`: which jobs to leave out. `starts`: weights of the previous fold by set of features, from which the fit
    starts; updated in place. They save time and do not affect the result, because the optimal weights are unique.
    """
    label = frame["unpredictable"].to_numpy()
    for name, columns in _FEATURES.items():
        x = _matrix(frame, columns)
        train = x[~fold.test]
        mean, spread = train.mean(axis=0), np.maximum(train.std(axis=0), 1e-9)
        starts[name] = fit_logistic((train - mean) / spread, label[~fold.test], starts.get(name))
        score = expit(_with_constant((x[fold.test] - mean) / spread) @ starts[name])
        yield _judged(name, fold, label[fold.test], score, 0.5)
    score = 1.0 - frame["accuracy"].to_numpy()[fold.test]
    yield _judged(BASELINE, fold, label[fold.test], score, 1.0 - THRESHOLD)


def fit_logistic(
    x: NDArray[np.float64], label: NDArray[np.float64], start: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Weights, constant first, of a logistic regression with a small ridge (not on the constant), by Newton's method.

    `x`: standardised features, shape (jobs, features). `label`: 0 or 1, shape (jobs,). `start`: weights to start from,
    finite; None: zeros.
    """
    columns = _with_constant(x)
    ridge = np.diag([0.0] + [_RIDGE] * x.shape[1])
    weights = np.zeros(columns.shape[1]) if start is None else start.copy()
    for _ in range(_STEPS):
        p = expit(columns @ weights)
        slope = columns.T @ (label - p) - ridge @ weights
        curvature = (columns * (p * (1.0 - p))[:, None]).T @ columns + ridge
        step = np.linalg.solve(curvature, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def area_under_roc(label: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """Probability that a job of class 1 scores above one of class 0 (ties count half); NaN without both classes."""
    ones = int((label == 1).sum())
    zeros = len(label) - ones
    if not (ones and zeros):
        return float("nan")
    ranks = pd.Series(score).rank().to_numpy()
    return float((ranks[label == 1].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def roc(
    label: NDArray[np.float64], score: NDArray[np.float64], false_alarms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """True-positive rates at the given false-positive rates, interpolated linearly between thresholds."""
    cuts = np.unique(score)[::-1]
    ones, zeros = np.sort(score[label == 1]), np.sort(score[label == 0])
    found = 1.0 - np.searchsorted(ones, cuts, side="left") / len(ones)
    alarms = 1.0 - np.searchsorted(zeros, cuts, side="left") / len(zeros)
    return np.interp(false_alarms, np.concatenate([[0.0], alarms]), np.concatenate([[0.0], found]))


def _judged(name: str, fold: Fold, label: NDArray[np.float64], score: NDArray[np.float64], cut: float) -> Judged:
    right = float(((score > cut) == (label == 1)).mean())
    return Judged(name, fold, area_under_roc(label, score), right, score)


def _matrix(frame: pd.DataFrame, columns: tuple[str, ...]) -> NDArray[np.float64]:
    return np.stack(
        [np.log(np.maximum(frame[c].to_numpy(), 1e-9)) if c in _LOGARITHM else frame[c].to_numpy() for c in columns],
        axis=1,
    )


def _with_constant(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.ones((len(x), 1)), x], axis=1)
