"""Laws of two jobs that share a network: numbers by job, fitted to pairs of models other than the one predicted.

`1 / (1 + u v)` is the fabric's law (`rarlib.fabric.law`) for two jobs on one link, u and v being the shares of their
iterations in which they send alone. While both send, each has half of the link. The states are those of a closed
queueing network with product form, so only means matter: with c for computing and s for sending alone,

    P(1 computes) = c_1 (c_2 + s_2) / ((c_1 + s_1)(c_2 + s_2) + s_1 s_2)

and the throughput P(1 computes) / c_1 over that alone, 1 / (c_1 + s_1), is 1 / (1 + u v). Both jobs lose the same
share.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, nnls

from artifact.machines.deepshare import BesideRow, PlacedModel

_Row = TypeVar("_Row")

OTHER_MODELS = "all pairs but those of the same two models"
"""Rows that `pairs_held_out` fits to."""

SameNumber = Callable[[PlacedModel], Hashable]
"""Jobs with the same key have the same number."""

BesideLaw = Callable[[Sequence[BesideRow]], Callable[[BesideRow], float]]
"""Rows to fit to -> a law that predicts a ratio of throughputs."""


def alike(rows: Sequence[_Row], key: Callable[[_Row], Hashable]) -> dict[Hashable, list[_Row]]:
    """Rows by key, in the order of their first row."""
    found: dict[Hashable, list[_Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def pairs_held_out(rows: Sequence[BesideRow], law: BesideLaw) -> dict[str, float]:
    """Predicted ratios by row, each from rows of other pairs of models; both directions of a pair are held out.

    A row has none (NaN) if no other row tells anything of one of its jobs.
    """
    found: dict[str, float] = {}
    for held in alike(rows, lambda row: frozenset((row.job.model, row.other.model))).values():
        names = {row.id for row in held}
        others = [row for row in rows if row.id not in names]
        predict = law(others) if others else lambda row: np.nan
        found |= {row.id: predict(row) for row in held}
    return found


def blind_law(rows: Sequence[BesideRow]) -> Callable[[BesideRow], float]:
    """Eq. 7 of SJF-BCO for two jobs: a ratio 1 / (1 + (1 + alpha) s) for each kind of job, whoever is beside it.

    The ratio is the one with the least squared relative errors.
    """
    ratios = {}
    for kind, mine in alike(rows, lambda row: row.job).items():
        each = np.array([1.0 / row.ratio for row in mine])
        ratios[kind] = float(each.sum() / (each**2).sum())
    return lambda row: ratios.get(row.job, np.nan)


def product_law(rows: Sequence[BesideRow], key: SameNumber, *, tied: bool) -> Callable[[BesideRow], float]:
    """1 / (1 + u v), with the least squared relative errors.

    Args:
        rows: to fit to.
        key: jobs that have the same number.
        tied: one number from 0 to 1 for each key, u of a job beside v of the other one; if not, a job has one number
            for what it suffers and another one for what it does to others, both at least 0.
    """
    keys = list(dict.fromkeys(key(job) for row in rows for job in (row.job, row.other)))
    place = {each: at for at, each in enumerate(keys)}
    mine = np.array([place[key(row.job)] for row in rows])
    other = np.array([place[key(row.other)] for row in rows]) + (0 if tied else len(keys))
    ratio = np.array([row.ratio for row in rows])
    at = np.arange(len(rows))

    def errors(u: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1.0 / (1.0 + u[mine] * u[other]) / ratio - 1.0

    def slopes(u: NDArray[np.float64]) -> NDArray[np.float64]:
        factor = -1.0 / (1.0 + u[mine] * u[other]) ** 2 / ratio
        found = np.zeros((len(rows), len(u)))
        np.add.at(found, (at, mine), factor * u[other])
        np.add.at(found, (at, other), factor * u[mine])
        return found

    count = len(keys) if tied else 2 * len(keys)
    bounds = (0.0, 1.0 if tied else np.inf)
    fitted = least_squares(errors, np.full(count, 0.5), slopes, bounds, xtol=1e-12, ftol=1e-12, gtol=1e-12).x
    shift = 0 if tied else len(keys)

    def ratio_of(row: BesideRow) -> float:
        own, beside = key(row.job), key(row.other)
        if own not in place or beside not in place:
            return np.nan
        return float(1.0 / (1.0 + fitted[place[own]] * fitted[place[beside] + shift]))

    return ratio_of


def shares_alone(alone: Mapping[PlacedModel, float]) -> dict[PlacedModel, float]:
    """Share of an iteration in which a job sends when it is alone, from its iterations on 2 and on 4 nodes.

    An iteration is c + w 2 (n - 1) / n on n nodes, with c and w at least 0 for each model.

    `alone`: seconds of an iteration, up to a factor for each model.
    """
    found = {}
    for kinds in alike(list(alone), lambda kind: kind.model).values():
        passes = np.array([2 * (kind.nodes - 1) / kind.nodes for kind in kinds])
        terms = np.column_stack([np.ones(len(kinds)), passes])
        (compute, sent), _ = nnls(terms, np.array([alone[kind] for kind in kinds]))
        for kind, each in zip(kinds, passes, strict=True):
            found[kind] = float(each * sent / (compute + each * sent))
    return found
