"""Instances of SJF-BCO's evaluation: 160 jobs, up to 20 servers, iteration times (MobiHoc 2022, section 7).

The paper states the job mix, the servers (GPUs uniform on {4, 8, 16, 32}) and the ranges of iterations (1000 to 6000)
and iteration times (0.01 to 0.05 slot). It leaves open how iteration times depend on the gang and how contention enters
them; `SETUPS` names three complete readings, compared in the calibration notebook.
"""

from collections.abc import Mapping
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
_SERVERS = 20
_ITERATIONS = (1000, 6000)
TAU = (0.01, 0.05)


@dataclass(frozen=True)
class Setup:
    """What the paper leaves open about an instance.

    Attributes:
        gpus: GPUs that 20 servers must have together; clusters are redrawn until they do. None: no redraw.
        rising: tau0 rises with the gang size (else all gangs of several GPUs have the largest).
        highest: largest tau0, slots.
        extra: weight of contention and of each server in an iteration.
        alpha: loss per further job on a link.
        cap_relative: whether the iteration time is capped at tau0 / 0.85, so that contention and overhead stay within
            15 % of it (else at the stated 0.05 slot).
    """

    gpus: tuple[int, int] | None
    rising: bool
    highest: float
    extra: float
    alpha: float
    cap_relative: bool


SETUPS = {
    "P200": Setup((185, 215), True, 0.05, 0.06, 0.0, False),
    "PNAT": Setup(None, True, 0.05, 0.06, 0.0, False),
    "M15": Setup((205, 235), False, 0.0425, 0.04, 0.3, True),
}


@dataclass(frozen=True)
class Instance:
    """Jobs that all wait at time 0, servers, and the price of an iteration; times in slots."""

    jobs: Jobs
    cluster: Cluster
    cost: SlottedRingCost


def instance(
    seed: int, servers: int, setup: str, durations: Mapping[int, NDArray[np.float64]] | None = None
) -> Instance:
    """The instance of a seed; all schedulers get the same one.

    Fewer than 20 servers are the first of the same draw of 20. Jobs are in random order, so ties by row are random but
    the same for all schedulers, and submission order is a random order.

    Args:
        seed: of the instance.
        servers: 1 to 20.
        setup: a name in `SETUPS`.
        durations: recorded durations by gang size, as `scaled_iterations` takes them; None: iterations uniform on
            1000..6000.

    Raises:
        InputError: for an unknown set-up or a number of servers out of range.
    """
    if setup not in SETUPS:
        raise InputError(f"unknown set-up {setup!r}; known: {', '.join(SETUPS)}", field="setup")
    if not 1 <= servers <= _SERVERS:
        raise InputError(f"must be 1 to {_SERVERS}, found {servers}", field="servers")
    how = SETUPS[setup]
    gangs = stream(seed, "sjf-bco", "order").permutation(np.repeat(list(JOB_MIX), list(JOB_MIX.values())))
    tau0 = _iteration_times(how, gangs, stream(seed, "sjf-bco", "tau").random(len(gangs)))
    draw = stream(seed, "sjf-bco", "iterations")
    if durations is None:
        iterations = draw.integers(_ITERATIONS[0], _ITERATIONS[1] + 1, len(gangs)).astype(float)
    else:
        iterations = scaled_iterations(gangs, durations, draw)
    alone = np.ceil(iterations / np.floor(1.0 / tau0 * (1.0 + 1e-12)))
    cap = tau0 / 0.85 if how.cap_relative else np.full(len(gangs), TAU[1])
    return Instance(
        Jobs.build(submit_s=np.zeros(len(gangs)), gpus=gangs, duration_s=alone),
        Cluster.of(_server_sizes(seed, how)[:servers], spec=f"{setup}, seed {seed}, {servers} servers"),
        SlottedRingCost(iterations, tau0, how.extra, cap, how.alpha),
    )


def _server_sizes(seed: int, how: Setup) -> NDArray[np.int64]:
    rng = stream(seed, "sjf-bco", "servers")
    while True:
        sizes = rng.choice(_SERVER_SIZES, _SERVERS)
        if how.gpus is None or how.gpus[0] <= sizes.sum() <= how.gpus[1]:
            return sizes


def _iteration_times(how: Setup, gangs: NDArray[np.int64], draw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of tau0: uniform for single GPUs, higher for larger gangs (the averages in Fig. 4 require it)."""
    low = np.sqrt(np.sqrt(np.log2(gangs) / np.log2(max(JOB_MIX)))) if how.rising else (gangs > 1).astype(float)
    return TAU[0] + (how.highest - TAU[0]) * np.maximum(draw, low)


def scaled_iterations(
    gangs: NDArray[np.int64], durations: Mapping[int, NDArray[np.float64]], draw: np.random.Generator
) -> NDArray[np.float64]:
    """Iterations scaled down from a trace: recorded durations of each gang size, by rank, onto 1000..6000.

    Each job draws a recorded duration of its gang size, or of the nearest size in the trace. The rank of this duration
    among all drawn ones sets how far between 1000 and 6000 the job's iterations lie. This keeps the trace's relation
    between gang size and duration within the stated range.

    Args:
        gangs: gang sizes, shape (jobs,).
        durations: recorded durations by gang size, each at least one.
        draw: random stream.
    """
    sizes = np.array(sorted(durations))
    drawn = np.empty(len(gangs))
    for gang in np.unique(gangs):
        nearest = int(sizes[np.argmin(np.abs(np.log2(sizes / gang)))])
        drawn[gangs == gang] = draw.choice(durations[nearest], int((gangs == gang).sum()))
    rank = np.argsort(np.argsort(drawn, kind="stable"), kind="stable") / max(len(gangs) - 1, 1)
    return np.round(_ITERATIONS[0] + (_ITERATIONS[1] - _ITERATIONS[0]) * rank)


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
    jobs, cost = case.jobs, case.cost
    names = {name: getattr(jobs, name)[rows] for name in ("submit_s", "gpus", "duration_s")}
    cap = np.broadcast_to(cost.cap, cost.tau0.shape)[rows]
    grown = SlottedRingCost(cost.iterations[rows], cost.tau0[rows], cost.extra, cap, cost.alpha, cost.xi)
    return Instance(type(jobs).build(**names), Cluster.of(np.tile(case.cluster.gpus, times)), grown)


def small_instance(seed: int, setup: str, jobs: int) -> Instance:
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
