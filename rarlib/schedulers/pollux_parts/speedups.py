"""Pollux's estimate of a job's speedup: relative to its fair share, blind to GPU types, reduced by restart costs."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rarlib.model.offers import Configurations, GoodputEstimates
from rarlib.model.prices import Prices, iteration_s, iterations_per_s
from rarlib.model.scheduler import View

Values = NDArray[np.float64]
_Numbers = NDArray[np.int64]
Rates = tuple[Values, Values]
"""By nodes and GPUs; by GPUs on one node."""


def speedup_configurations(total: int, spread: int, size: int, most: int) -> Configurations:
    """All allocations on nodes of one size, and every fair share of the cluster, which is taken as one node.

    The type is left open.
    """
    fair = {-(-total // jobs) for jobs in range(1, total + 1)}
    pairs = [(1, gpus) for gpus in sorted({*range(1, size + 1), *fair})]
    pairs += [(n, gpus) for n in range(2, spread + 1) for gpus in range(n, min(n * size, most) + 1)]
    nodes, gpus = np.array(pairs, np.int64).T
    return Configurations(np.zeros_like(nodes), nodes.copy(), gpus.copy())


def fair_share_speedups(
    view: View, jobs: _Numbers, spread: _Numbers, most: _Numbers, total: int, options: Configurations | None
) -> list[Values]:
    """Speedups over the fair share: the cluster's GPUs divided by the number of jobs, rounded up.

    A job without estimates expects a speedup proportional to its GPUs; the same holds for a gang larger than all
    `options`. A fair share is at most what the job can use.

    Args:
        view: what the scheduler sees.
        jobs: rows of the job table, shape (jobs,).
        spread: most nodes of each, shape (jobs,).
        most: most GPUs of each, shape (jobs,).
        total: GPUs of the cluster.
        options: configurations whose goodput jobs estimate; None if they know no goodput, then the price table is used.

    Returns:
        For every job, the speedups by number of nodes and of GPUs, shape (spread + 1, most + 1).
    """
    fair = -(-total // len(jobs))
    goodput = view.offers.goodput
    if goodput is None or options is None:
        found = _priced(view.prices, jobs, spread, most, fair)
    else:
        found = _learned(goodput, jobs, options)
    tables = []
    for (rates, alone), nodes, gpus in zip(found, spread.tolist(), most.tolist(), strict=True):
        usable = np.flatnonzero(alone[1 : fair + 1] > 0.0)
        if len(usable) and rates[: nodes + 1, gpus].any():
            tables.append(rates[: nodes + 1, : gpus + 1] / alone[usable[-1] + 1])
        else:
            tables.append(np.tile(np.arange(gpus + 1) / fair, (nodes + 1, 1)))
    return tables


def _learned(goodput: GoodputEstimates, jobs: _Numbers, options: Configurations) -> Iterator[Rates]:
    """Rates by the jobs' own models; 0 while there is none."""
    shape = int(options.nodes.max()) + 1, int(options.gpus.max()) + 1
    for goodputs in goodput.goodputs(jobs, options):
        rates = np.zeros(shape)
        rates[options.nodes, options.gpus] = goodputs
        yield rates, rates[1]


def _priced(prices: Prices, jobs: _Numbers, spread: _Numbers, most: _Numbers, fair: int) -> Iterator[Rates]:
    """Rates by the price table, on GPUs of speed 1 that share no link."""
    for job, nodes, gpus in zip(jobs.tolist(), spread.tolist(), most.tolist(), strict=True):
        by_nodes = [iterations_per_s(prices, job, iteration_s(prices, job, n, 1)) for n in range(1, nodes + 1)]
        width, curve = max(gpus, fair) + 1, int(prices.curve[job])
        by_gpus = np.ones(width)
        if curve >= 0:
            by_gpus = prices.speedup[curve, np.minimum(np.arange(width), prices.speedup.shape[1] - 1)]
        rates = np.array([0.0, *by_nodes])[:, None] * by_gpus
        yield rates, rates[1]


def restart_factor(age_s: Values, restarts: Values, delay_s: float) -> Values:
    """Fraction of its age that a job would spend running if it restarted once more, at its past rate of restarts."""
    return np.maximum(age_s - restarts * delay_s, 0.0) / (age_s + delay_s)
