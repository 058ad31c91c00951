"""Gains of one slot by their logarithms: which is larger, exactly, and the optimum of a slot with one capacity.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, eq. 12-18, Alg. 2, l. 3.

| paper | here | unit |
|---|---|---|
| pi_i,k - pi_i,k-1 | exp of `marginal[i, k - 1]` | utility |
| chi_i,k | `filled` | 1 |

A slot is given by floating-point numbers a_ik, and its gains are the real numbers sum of exp(a_ij) over j <= k, which
may be as small as exp(-1500). All decisions compare quantities (sum of exp(a)) / w with rational w. Logarithms in
floating point decide where they differ by more than `NEAR_TIE`, a thousand times their error; otherwise
`difference_sign` does, with as many digits as it takes. It ends: by Lindemann and Weierstrass, exponentials of
different rational numbers are linearly independent over the rationals, so that a difference is 0 only if it vanishes
term by term.

Theorem. Let w be the capacity that one worker takes, C the capacity of all. The LP max sum g_ik chi_ik with
sum_k chi_ik <= 1 and sum k w_i chi_ik <= C is solved by the pieces of each job's least concave majorant, in the order
of falling slope g / w, until C is used up. Proof: let p be the slope of the last piece taken (0 if all are). By weak
duality no chi is worth more than p C + sum_i max_k (g_ik - p k w_i). What is taken attains this: all pieces of slopes
above p are taken whole, so that each job attains its maximum, and the rest of C goes to slopes of p.
"""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.problem import TOLERANCE

NEAR_TIE = 1e-9
"""Logarithms of slopes that differ by less are compared by `difference_sign`."""


def difference_sign(one: "Quotient", other: "Quotient") -> int:
    """Sign of the difference of two quotients: 1 if the first one is larger, 0 if they are equal, else -1."""
    terms: Counter[float] = Counter()
    for logs, weight in ((one.logs, 1 / one.weight), (other.logs, -1 / other.weight)):
        for log in logs:
            terms[log] += weight  # type: ignore[assignment]  # of rational numbers, not of whole ones
    left = {log: Fraction(weight) for log, weight in terms.items() if weight and log > -np.inf}
    digits = 40
    while left:
        with localcontext(prec=digits):
            top = Decimal(max(left))
            parts = [(Decimal(log) - top).exp() * w.numerator / w.denominator for log, w in left.items()]
            total = sum(parts, Decimal(0))
            if abs(total) > sum(map(abs, parts), Decimal(0)).scaleb(8 - digits):
                return 1 if total > 0 else -1
        digits *= 2
    return 0


class Quotient(NamedTuple):
    """The number (sum of exp(logs)) / weight."""

    logs: Iterable[float]  # logarithms of the terms, -inf: none
    weight: Fraction  # above 0


class Pieces(NamedTuple):
    """Steps of jobs from `first` to `last` workers; all but the last three attributes have shape (pieces,)."""

    job: NDArray[np.int64]  # row of the job
    first: NDArray[np.int64]  # workers before
    last: NDArray[np.int64]  # workers after
    slope: NDArray[np.float64]  # logarithm of the gain per unit of capacity
    marginal: NDArray[np.float64]  # logarithm of what the k-th worker of each job gains, shape (jobs, most workers)
    demand: NDArray[np.float64]  # capacity that a worker takes, shape (jobs,)

    @classmethod
    def majorants(
        cls, marginal: NDArray[np.float64], allowed: NDArray[np.bool_], demand: NDArray[np.float64]
    ) -> "Pieces":
        """The least concave majorants of gains where `allowed`, shape (jobs, most workers + 1).

        Job by job with falling slopes; workers that gain nothing are left out.
        """
        jobs, most = marginal.shape
        at, rows = np.zeros(jobs, np.int64), np.arange(jobs)
        found: list[tuple[NDArray[np.int64], ...]] = []
        slopes: list[NDArray[np.float64]] = []
        while most:
            slope = _slopes(marginal, at, demand, allowed)
            best = slope.max(axis=1)
            near = slope >= (best - NEAR_TIE)[:, None]
            last = most - np.argmax(near[:, ::-1], axis=1)
            for row in np.flatnonzero((best > -np.inf) & (near.sum(axis=1) > 1)):
                last[row] = _steepest(marginal[row], int(at[row]), np.flatnonzero(near[row]) + 1)
            going = rows[best > -np.inf]
            if not len(going):
                break
            found.append((going, at[going], last[going]))
            slopes.append(slope[going, last[going] - 1])
            at[going] = last[going]
        if not found:
            none = np.zeros(0, np.int64)
            return cls(none, none, none, np.zeros(0), marginal, demand)
        job, first, end = (np.concatenate(part) for part in zip(*found, strict=True))
        return cls(job, first, end, np.concatenate(slopes), marginal, demand)

    @classmethod
    def rings(cls, marginal: NDArray[np.float64], sizes: NDArray[np.int64], demand: NDArray[np.float64]) -> "Pieces":
        """One piece of each job: from no workers to a ring of the given size, 0: none, shape (jobs,)."""
        job = np.flatnonzero(sizes)
        slope = log_gains(marginal)[job, sizes[job]] - np.log(sizes[job] * demand[job])
        gains = np.isfinite(slope)
        job = job[gains]
        return cls(job, np.zeros(len(job), np.int64), sizes[job], slope[gains], marginal, demand)

    def falling(self) -> NDArray[np.int64]:
        """Positions by falling slope, equal slopes in the order of jobs."""
        order = np.argsort(-self.slope, kind="stable")
        apart = np.flatnonzero(np.diff(-self.slope[order]) > NEAR_TIE) + 1
        if len(apart) == len(order) - 1:
            return order

        def flatter(one: int, other: int) -> int:
            return difference_sign(self._quotient(other), self._quotient(one))

        key = cmp_to_key(flatter)
        runs = [sorted(run.tolist(), key=key) if len(run) > 1 else run for run in np.split(order, apart)]
        return np.concatenate(runs).astype(np.int64)

    def _quotient(self, at: int) -> Quotient:
        job, first, last = int(self.job[at]), int(self.first[at]), int(self.last[at])
        return Quotient(self.marginal[job, first:last].tolist(), (last - first) * Fraction(float(self.demand[job])))

    def filled(self, capacity: float) -> NDArray[np.float64]:
        """Share of each piece that the optimum takes, shape (pieces,); at most one lies between 0 and 1."""
        order = self.falling()
        asked = ((self.last - self.first) * self.demand[self.job])[order]
        before = np.cumsum(asked) - asked
        share = np.zeros(len(order))
        share[order] = np.clip((capacity - before) / asked, 0.0, 1.0)
        share[share < TOLERANCE] = 0.0
        return share


def log_gains(marginal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of what k workers gain in all, shape (jobs, most workers + 1)."""
    none = np.full((len(marginal), 1), -np.inf)
    return np.hstack([none, np.logaddexp.accumulate(marginal, axis=1)]) if marginal.shape[1] else none


def _slopes(
    marginal: NDArray[np.float64], at: NDArray[np.int64], demand: NDArray[np.float64], allowed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Logarithm of the slope from `at` workers to k more, -inf where not allowed, shape (jobs, most workers)."""
    count = np.arange(1, marginal.shape[1] + 1) - at[:, None]
    total = np.logaddexp.accumulate(np.where(count > 0, marginal, -np.inf), axis=1)
    slope = total - np.log(np.maximum(count, 1) * demand[:, None])
    return np.where((count > 0) & allowed[:, 1:], slope, -np.inf)


def _steepest(marginal: NDArray[np.float64], at: int, ends: NDArray[np.int64]) -> int:
    """The end of the steepest piece that begins at `at`, the last one of equals."""
    best = int(ends[0])
    for end in ends[1:].tolist():
        now, then = (Quotient(marginal[at:e].tolist(), Fraction(e - at)) for e in (end, best))
        best = end if difference_sign(now, then) >= 0 else best
    return best
