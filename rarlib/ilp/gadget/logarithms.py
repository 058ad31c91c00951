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
from rarlib.model.jit import hot_kernel, kernel

_Ints = NDArray[np.int64]
_Logs = NDArray[np.float64]

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
    def majorants(cls, marginal: _Logs, smallest: _Ints, largest: _Ints, demand: _Logs) -> "Pieces":
        """The least concave majorants of gains of `smallest` to `largest` workers, shape (jobs,) each.

        Job by job with falling slopes; workers that gain nothing are left out.
        """
        last, slope = np.zeros(marginal.shape, np.int64), np.zeros(marginal.shape)
        tied = np.full(marginal.shape, -np.inf)
        while _climb(marginal, smallest, largest, demand, last, slope, tied):
            for row in np.flatnonzero(tied.max(axis=1) > -np.inf):
                piece, ends = np.count_nonzero(last[row]), np.flatnonzero(tied[row] > -np.inf) + 1
                end = _steepest(marginal[row], int(last[row].max()), ends)
                last[row, piece], slope[row, piece], tied[row] = end, tied[row, end - 1], -np.inf
        step, job = np.nonzero(last.T)
        first = np.where(step > 0, last[job, step - 1], 0)
        return cls(job, first, last[job, step], slope[job, step], marginal, demand)

    @classmethod
    def rings(cls, marginal: _Logs, gain: _Logs, sizes: _Ints, demand: _Logs) -> "Pieces":
        """One piece of each job: no workers to a ring of this size, 0: none, shape (jobs,); `gain`: `log_gains`."""
        job = np.flatnonzero(sizes)
        slope = gain[job, sizes[job]] - np.log(sizes[job] * demand[job])
        gains = np.isfinite(slope)
        job = job[gains]
        return cls(job, np.zeros(len(job), np.int64), sizes[job], slope[gains], marginal, demand)

    def falling(self) -> NDArray[np.int64]:
        """Positions by falling slope, equal slopes in the order of jobs."""
        order = np.argsort(-self.slope, kind="stable")
        slope = self.slope[order]
        apart = np.flatnonzero(slope[:-1] - slope[1:] > NEAR_TIE) + 1
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
        share = np.zeros(len(self.job))
        _fill(self.falling(), (self.last - self.first) * self.demand[self.job], capacity, share)
        return share


def log_gains(marginal: _Logs) -> _Logs:
    """Logarithm of what k workers gain in all, shape (jobs, most workers + 1)."""
    none = np.full((len(marginal), 1), -np.inf)
    return np.hstack([none, np.logaddexp.accumulate(marginal, axis=1)]) if marginal.shape[1] else none


@hot_kernel
def _fill(order: NDArray[np.int64], asked: _Logs, capacity: float, share: _Logs) -> None:
    total = 0.0
    for at in order:
        total += asked[at]
        part = min(max((capacity - (total - asked[at])) / asked[at], 0.0), 1.0)
        share[at] = part if part >= TOLERANCE else 0.0


@kernel
def _climb(
    marginal: _Logs, smallest: _Ints, largest: _Ints, demand: _Logs, last: _Ints, slope: _Logs, tied: _Logs
) -> bool:
    """Continue each job's majorant to its end, or to where slopes are nearly equal; whether there are such.

    `last` and `slope`, by piece, hold the workers after it and its slope; `tied` receives the slopes that are nearly
    equal, by the workers after them, else -inf. All three have the shape of `marginal`.
    """
    jobs, most = marginal.shape
    here, any_tied = np.empty(most), False
    for j in range(jobs):
        count = np.count_nonzero(last[j])
        at = last[j, count - 1] if count else 0
        while at < most:
            total, best = -np.inf, -np.inf
            for k in range(at, most):
                total = np.logaddexp(total, marginal[j, k])
                allowed = smallest[j] <= k + 1 <= largest[j]
                here[k] = total - np.log((k + 1 - at) * demand[j]) if allowed else -np.inf
                best = max(best, here[k])
            near, end = 0, 0
            for k in range(at, most):
                if here[k] >= best - NEAR_TIE > -np.inf:
                    near, end = near + 1, k + 1
            if near == 0:
                break
            if near > 1:
                any_tied = True
                for k in range(at, most):
                    tied[j, k] = here[k] if here[k] >= best - NEAR_TIE else -np.inf
                break
            at = last[j, count] = end
            slope[j, count] = here[end - 1]
            count += 1
    return any_tied


def _steepest(marginal: NDArray[np.float64], at: int, ends: NDArray[np.int64]) -> int:
    """The end of the steepest piece that begins at `at`, the last one of equals."""
    best = int(ends[0])
    for end in ends[1:].tolist():
        now, then = (Quotient(marginal[at:e].tolist(), Fraction(e - at)) for e in (end, best))
        best = end if difference_sign(now, then) >= 0 else best
    return best
