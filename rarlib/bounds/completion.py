"""Lower bounds on the mean JCT (completion minus submission) with release times.

Below, n jobs have least times p, areas a, widths g, releases r (`rarlib.bounds.processing`) and complete at C. The mean
busy time M of a job is the time at which it is charged, averaged over its first a units.

*Middle.* C >= M + a/(2g): the job is charged at most g per second, so M is largest, for a given C, when the a units
immediately precede it.

Sources: Schrage, Operations Research 16, 1968 (shortest remaining time first); Eastman, Even, Isaacs, Management
Science 11, 1964 (halving the areas); Goemans, SODA 1997 (mean busy times).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.bounds.one_machine import MachineSchedule, serve
from rarlib.bounds.processing import Demand
from rarlib.ilp.linear import LinearProgram
from rarlib.model.jit import hot_kernel

_BUCKETS = 96
_MOST_SHARES = 40_000
"""Variables of the linear program beyond which similar jobs are merged in it."""
_MOST_POINTS = 2048
"""Most points of a polyline of prices; a longer one is thinned evenly."""
_HALVINGS = 20
"""Bisection steps for the m of a job; the error left costs at most a few millionths of the bound, never its proof."""


def _mean(demand: Demand, completions: float) -> float:
    return (completions - float((demand.submit + demand.slack).sum())) / len(demand.time)


def _halves(demand: Demand) -> float:
    return float((demand.area / demand.width).sum()) / 2.0


def alone(demand: Demand) -> float:
    """Every job starts at its release and takes its least time."""
    return _mean(demand, float((demand.release + demand.time).sum()))


def squashed_areas(demand: Demand) -> float:
    """Shortest remaining area first on one machine as fast as all GPUs.

    The cluster's schedule is one of that machine with completions no later, and shortest remaining area first has the
    least sum of completions there, also among schedules that divide an instant (Schrage's exchange: take all the time
    that two jobs get after some instant, and give it first to the one with less left).
    """
    return _mean(demand, float(serve(demand.release, demand.area, demand.capacity, True).finish.sum()))


def mean_busy_times(demand: Demand, served: MachineSchedule) -> float:
    """Mean busy times of smallest area first on one machine as fast as all GPUs, plus half a least time each.

    Sum C >= sum M + sum a/(2g) by *Middle*, and M on the cluster is M on that machine. There the sum of M is least if
    every unit of work goes to the released job with the largest 1/a: exchanging two units of work of jobs i and j, both
    released, at times s < t, changes the sum by (t - s)(1/a_i - 1/a_j).
    """
    return _mean(demand, float(served.middle.sum()) + _halves(demand))


class Priced(NamedTuple):
    """A bound from prices of GPU time, and where the prices came from."""

    value: float
    source: str


def priced_gpu_time(demand: Demand, served: MachineSchedule) -> Priced:
    """Lagrangian dual of: least sum of mean busy times when job j is charged at most g_j and all together N per second.

    Let h_j(t) be what j is charged at t in the cluster's schedule, as in *Middle*: 0 <= h_j <= g_j, zero before r_j,
    a_j in total, sum_j h_j(t) <= N. For any price y(t) >= 0,

        sum_j M_j = sum_j int h_j t/a_j dt >= sum_j min_h [ int h (t/a_j + y(t)) dt ] - N int y dt,

    the minimum being over all h that meet j's own conditions; and for any m, because int h = a_j and h <= g_j,

        int h c dt = m a_j - int h (m - c) dt >= m a_j - g_j int max(0, m - c(t)) dt over t >= r_j.

    So any y and any m_j prove a bound; good ones prove a good one. y = 0 gives `alone` on rigid jobs, the prices
    of the fast machine's schedule (`_own_prices`) at least `mean_busy_times`. Usually better than both are the prices
    of capacity in the same problem with time cut into `_BUCKETS` equal parts, which is a linear program.
    """
    best = Priced(-np.inf, "")
    at, price = _own_prices(demand, served)
    for share in (0.8, 1.0):
        value = _value(demand, at, share * price)
        if value > best.value:
            best = Priced(value, f"prices {share:g} x those of one fast machine")
    value = _value(demand, *_bucket_prices(demand))
    if value > best.value:
        best = Priced(value, f"prices of a linear program with {_BUCKETS} parts of time")
    return best


def _own_prices(demand: Demand, served: MachineSchedule) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prices under which the fast machine's schedule is optimal for itself, as a polyline with jumps at releases.

    While job j is served the price is u_j - t/a_j, at which all times cost j the same. When j completes, the price goes
    on as if its heir were served at once, or is 0 if there is no heir; this gives u_j from the heir's u.
    """
    weight = np.divide(1.0, demand.area, out=np.zeros(len(demand.area)), where=demand.area > 0.0)
    level = np.zeros(len(weight) + 1)  # the last entry stands for no job
    weight = np.append(weight, 0.0)
    for job in np.argsort(-served.finish, kind="stable").tolist():
        heir = served.heir[job]
        level[job] = level[heir] + served.finish[job] * (weight[job] - weight[heir])
    kept = np.arange(len(served.at))
    if len(kept) > _MOST_POINTS:
        kept = np.linspace(0, len(kept) - 1, _MOST_POINTS).astype(np.int64)
    at, who = served.at[kept], served.who[kept]
    return at, np.maximum(level[who] - at * weight[who], 0.0)


def _value(demand: Demand, at: NDArray[np.float64], price: NDArray[np.float64]) -> float:
    paid = demand.capacity * float(np.sum(np.diff(at) * (price[1:] + price[:-1]) / 2.0))
    some = demand.area > 0.0
    least = np.zeros(int(some.sum()))
    first = np.maximum(np.searchsorted(at, demand.release[some], side="right") - 1, 0)
    _cheapest(demand.release[some], demand.area[some], demand.width[some], at, price, first, least)
    return _mean(demand, float(demand.release.sum()) + float(least.sum()) - paid + _halves(demand))


def _bucket_prices(demand: Demand) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prices of GPU time as a polyline through the middles of the parts."""
    some = demand.take(demand.area > 0.0)
    if not len(some.area):
        return np.zeros(2), np.zeros(2)
    busy = float(some.area.sum()) / some.capacity
    horizon = 1.25 * max(float((some.release + some.time).max()), float(some.release.max()) + busy)
    part = horizon / _BUCKETS
    kind = np.arange(len(some.area))
    if len(kind) * _BUCKETS > _MOST_SHARES:
        kind = _alike(some, part)
    count = np.bincount(kind)
    release = np.bincount(kind, some.release) / count
    area, width = np.bincount(kind, some.area), np.bincount(kind, some.width)
    program = LinearProgram()
    done = [program.row(1.0) for _ in count]
    capacity_rows = [program.row(-1.0) for _ in range(_BUCKETS)]
    for j in range(len(count)):
        program.column(2.0 * count[j], [(done[j], 1.0)])
        for k in range(int(release[j] / part), _BUCKETS):
            begin = max(release[j], k * part)
            span = (k + 1) * part - begin
            wait = (begin + span / 2.0 - release[j]) / horizon
            share = [(done[j], 1.0), (capacity_rows[k], -area[j] / (some.capacity * part))]
            program.column(wait * count[j], share, upper=max(width[j] * span / area[j], 0.0))
    prices = program.solve().prices[len(done) :] * horizon / (some.capacity * part)
    at = np.concatenate([[0.0], (np.arange(_BUCKETS) + 0.5) * part, [horizon]])
    first = max(prices[0] + (prices[0] - prices[1]) / 2.0, 0.0)
    return at, np.concatenate([[first], prices, [0.0]])


def _alike(demand: Demand, part: float) -> NDArray[np.int64]:
    """Group of each job: jobs of a group are released in one part of time and have areas within a factor of 4."""
    kinds = np.stack([np.floor(demand.release / part), np.round(np.log2(demand.area) / 2.0)])
    return np.unique(kinds, axis=1, return_inverse=True)[1]


@hot_kernel
def _above(
    m: float, area: float, release: float, at: NDArray[np.float64], price: NDArray[np.float64], k: int
) -> tuple[float, float]:
    """Integral and length of where m exceeds c(t) = (t - release)/area + price(t), t >= release."""
    total, length, end, last = 0.0, 0.0, release + area * m, len(at) - 1
    while k <= last and (k == last or at[k] < end):
        low, v = at[k], price[k]
        high, slope = end, 0.0
        if k < last:
            high = at[k + 1]
            slope = (price[k + 1] - v) / (high - low) if high > low else 0.0
        else:
            v = 0.0
        if low < release:
            v += slope * (release - low)
            low = release
        high = min(high, end)
        if high > low:
            span = high - low
            first = m - (low - release) / area - v
            second = m - (high - release) / area - v - slope * span
            if first >= 0.0 and second >= 0.0:
                total += (first + second) / 2.0 * span
                length += span
            elif first > 0.0 or second > 0.0:
                top = max(first, second)
                span *= top / abs(first - second)
                total += top * span / 2.0
                length += span
        k += 1
    return total, length


@hot_kernel
def _cheapest(
    release: NDArray[np.float64],
    area: NDArray[np.float64],
    width: NDArray[np.float64],
    at: NDArray[np.float64],
    price: NDArray[np.float64],
    first: NDArray[np.int64],
    least: NDArray[np.float64],
) -> None:
    """Least cost of each job's GPU time; bisection finds the m below which c stays for area/width seconds."""
    for j in range(len(area)):
        low, high = 0.0, 1.0 / width[j]
        while _above(high, area[j], release[j], at, price, first[j])[1] * width[j] < area[j]:
            low, high = high, 2.0 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            if _above(middle, area[j], release[j], at, price, first[j])[1] * width[j] < area[j]:
                low = middle
            else:
                high = middle
        least[j] = high * area[j] - width[j] * _above(high, area[j], release[j], at, price, first[j])[0]
