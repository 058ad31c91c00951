"""Instances of SJF-BCO's evaluation: 160 jobs, up to 20 servers, iteration times (MobiHoc 2022, section 7).

The paper states the job mix, the servers (GPUs uniform on {4, 8, 16, 32}) and the ranges of iterations (1000 to 6000)
and iteration times (0.01 to 0.05 slot). It leaves open how iteration times depend on the gang and how contention enters
them: a `Setup` says so.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.ring import SlottedRingCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream

JOB_MIX = {1: 80, 2: 14, 4: 26, 8: 30, 16: 8, 32: 2}
_SERVER_SIZES = (4, 8, 16, 32)
_SERVERS, _JOBS = 20, sum(JOB_MIX.values())
_ITERATIONS = (1000, 6000)
TAU = (0.01, 0.05)
RHO = (50.0, 300.0)
"""Stated range of rho-hat, slots: exactly 0.05 times that of the iterations."""


@dataclass(frozen=True)
class Setup:
    """What the paper leaves open about an instance.

    Attributes:
        gpus: GPUs that 20 servers must have together; clusters are redrawn until they do. None: no redraw.
        law: of tau0. `uniform`: the same for all gangs. `rising`: the larger the gang, the higher the least tau0.
            `top`: uniform for single GPUs, the largest for all gangs of several. `product`: uniform, but such that
            tau0 F is in the stated range of rho-hat, 50 to 300 slots. `ring`: the least tau0 rises as (w - 1) / w, the
            share of its data that each of w workers sends in a ring phase (eq. 8).
        highest: largest tau0, slots.
        extra: weight of contention and of each server in an iteration.
        alpha: loss per further job on a link.
        cap: `none`; `stated`: iteration times are cut at the stated 0.05 slot; `relative`: at tau0 / 0.85, so that
            contention and overhead stay within 15 % of every iteration.
        xi: share of a server's spanning jobs that contend.
    """

    gpus: tuple[int, int] | None
    law: str
    highest: float
    extra: float
    alpha: float
    cap: str
    xi: float = 1.0


@dataclass(frozen=True)
class Instance:
    """Jobs that all wait at time 0, servers, and the price of an iteration; times in slots."""

    jobs: Jobs
    cluster: Cluster
    cost: SlottedRingCost


def gangs_of(jobs: int) -> NDArray[np.int64]:
    """Gang sizes of the paper's mix scaled to a number of jobs, ascending; the largest remainders get what is left."""
    shares = jobs * np.array(list(JOB_MIX.values())) / _JOBS
    counts = np.floor(shares).astype(int)
    counts[np.argsort(counts - shares, kind="stable")[: jobs - counts.sum()]] += 1
    return np.repeat(list(JOB_MIX), counts)


def instance(
    seed: int,
    servers: int,
    setup: Setup,
    jobs: int = _JOBS,
) -> Instance:
    """The instance of a seed; all schedulers get the same one.

    Fewer than 20 servers are the first of the same draw of 20. Jobs are in random order, so ties by row are random but
    the same for all schedulers, and submission order is a random order.

    `servers`: 1 to 20; `setup`: what the paper leaves open about it; `jobs`: number of jobs, in the paper's mix.

    Raises:
        InputError: for a number of servers out of range.
    """
    if not 1 <= servers <= _SERVERS:
        raise InputError(f"must be 1 to {_SERVERS}, found {servers}", field="servers")
    gangs = stream(seed, "sjf-bco", "order").permutation(gangs_of(jobs))
    draw = stream(seed, "sjf-bco", "iterations")
    iterations = draw.integers(_ITERATIONS[0], _ITERATIONS[1] + 1, len(gangs)).astype(float)
    tau0 = _iteration_times(setup, gangs, iterations, stream(seed, "sjf-bco", "tau").random(len(gangs)))
    alone = np.ceil(iterations / np.floor(1.0 / tau0 * (1.0 + 1e-12)))
    cap = {"relative": tau0 / 0.85, "stated": np.full(len(gangs), TAU[1]), "none": np.full(len(gangs), np.inf)}[
        setup.cap
    ]
    return Instance(
        Jobs.build(submit_s=np.zeros(len(gangs)), gpus=gangs, duration_s=alone),
        Cluster.of(_server_sizes(seed, setup)[:servers], spec=f"seed {seed}, {servers} servers"),
        SlottedRingCost(iterations, tau0, setup.extra, cap, setup.alpha, setup.xi),
    )


def _server_sizes(seed: int, how: Setup) -> NDArray[np.int64]:
    rng = stream(seed, "sjf-bco", "servers")
    while True:
        sizes = rng.choice(_SERVER_SIZES, _SERVERS)
        if how.gpus is None or how.gpus[0] <= sizes.sum() <= how.gpus[1]:
            return sizes


def _iteration_times(
    how: Setup, gangs: NDArray[np.int64], iterations: NDArray[np.float64], draw: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of tau0 between the stated 0.01 and `highest`, by the law of the set-up."""
    if how.law == "product":
        least = np.minimum(np.maximum(TAU[0], RHO[0] / iterations), how.highest)
        return least + (how.highest - least) * draw
    low = {
        "uniform": np.zeros(len(gangs)),
        "rising": np.sqrt(np.sqrt(np.log2(gangs) / np.log2(max(JOB_MIX)))),
        "top": (gangs > 1).astype(float),
        "ring": (gangs - 1.0) / gangs,
    }[how.law]
    return TAU[0] + (how.highest - TAU[0]) * np.maximum(draw, low)


def part(case: Instance, rows: NDArray[np.int64], cluster: Cluster) -> Instance:
    """Some jobs of an instance on another cluster."""
    cost = case.cost
    cap = np.broadcast_to(cost.cap, cost.tau0.shape)[rows]
    return Instance(
        case.jobs.take(rows), cluster, replace(cost, iterations=cost.iterations[rows], tau0=cost.tau0[rows], cap=cap)
    )


def repeated(case: Instance, times: int) -> Instance:
    """An instance with all jobs and servers `times` times: larger, with the same load and gangs."""
    rows = np.tile(np.arange(len(case.jobs)), times)
    grown = part(case, rows, Cluster.of(np.tile(case.cluster.gpus, times)))
    names = {name: getattr(grown.jobs, name) for name in ("submit_s", "gpus", "duration_s")}
    return replace(grown, jobs=Jobs.build(**names))


def small_instance(seed: int, setup: Setup, jobs: int) -> Instance:
    """A few jobs of the paper's instance on two or three servers of 2 or 4 GPUs.

    Gang sizes are drawn evenly from those that fit the cluster, so that gangs wait, span servers and share links.
    """
    rng = stream(seed, "sjf-bco", "small", jobs)
    sizes = rng.choice([2, 4], int(rng.integers(2, 4)))
    whole = instance(seed, _SERVERS, setup)
    gangs = np.asarray(whole.jobs.gpus)
    fitting = [g for g in np.unique(gangs) if g <= sizes.sum()]
    rows: list[int] = []
    for gang in rng.choice(fitting, jobs):
        rows.append(int(rng.choice([row for row in np.flatnonzero(gangs == gang) if row not in rows])))
    return part(whole, np.sort(rows), Cluster.of(sizes))
