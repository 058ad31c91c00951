"""What jobs expect of configurations they could get: the compiled part of `GoodputTraining.goodputs`."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.batch import Bounds, best_batch, place_of
from rarlib.cost.goodput.progress import TrainingState
from rarlib.cost.goodput.throughput import gain
from rarlib.model.jit import hot_kernel
from rarlib.model.offers import MOST_REPLICAS, Configurations

OWN_PROFILE, CODE, PAPER = range(3)
"""How goodput is estimated on a type where the job has no model, or none beyond the fewest GPUs (`GoodputTraining`)."""

OWN, SHARED, NONE = range(3)
"""Limits of replicas: of each type, the largest one for all types, none."""


class Belief(NamedTuple):
    """Arrays that estimates need besides the state of the run."""

    gpus_per_node: NDArray[np.int64]  # GPUs of a node of each type, shape (types,)
    least: NDArray[np.int64]  # fewest samples per GPU that estimates consider, shape (applications, slots)
    largest: NDArray[np.int64]  # most of them
    # samples per second on the fewest GPUs with the largest batch, shape (applications, types)
    single: NDArray[np.float64]
    pipeline: NDArray[np.int64]  # GPUs of one replica, shape (jobs, types); 0: the job cannot run there
    # seconds of an iteration by number of pipelines, shape (applications, types, replicas + 1)
    pipelines_s: NDArray[np.float64]
    high: NDArray[np.int64]  # largest global batch that estimates consider, shape (jobs,)
    fixed: NDArray[np.int64]  # most replicas of jobs whose batch is not chosen, shape (jobs, types)
    limit: NDArray[np.int64]  # most replicas that estimates consider, shape (jobs, types)
    # batches of searches by application and slot (`rarlib.cost.goodput.batch`), shape (places, `NOTED`)
    noted: NDArray[np.float64]
    # goodput by model on one and on several nodes, of the job whose row is being filled, shape (slots, 2, replicas +
    # 1); below 0: not yet
    known: NDArray[np.float64]


@hot_kernel
def _by_model(w: TrainingState, b: Belief, j: int, slot: int, nodes: int, replicas: int) -> float:
    """Goodput by one of the job's models, which knows of nodes only whether the gang spans several."""
    at = replicas if replicas <= MOST_REPLICAS else 0
    known = b.known[slot, min(nodes, 2) - 1]
    if at > 0 and known[at] >= 0.0:
        return known[at]
    job = w.job[j]
    least, high = b.least[job.app, slot], float(b.high[j])
    low = max(float(job.first), float(least * replicas)) if job.tuned else high
    bounds = Bounds(float(job.first), low, high, least, b.largest[job.app, slot])
    noted = b.noted[place_of(job.app * b.least.shape[1] + slot, replicas)]
    goodput, _, _ = best_batch(w.params[j, slot], job.square, job.variance, nodes, replicas, bounds, noted)
    known[at] = max(goodput, 0.0)
    return known[at]


@hot_kernel
def _pipelines(w: TrainingState, b: Belief, j: int, kind: int, replicas: int) -> float:
    """Goodput of pipelines, whose times are not learned: they are known, as the profile gives them."""
    job = w.job[j]
    if replicas >= b.pipelines_s.shape[2] or not b.pipelines_s[job.app, kind, replicas] > 0.0:
        return 0.0
    batch = w.curves[job.curve].first * replicas
    if batch > job.most:
        return 0.0
    return gain(job.square, job.variance, batch / job.first) * job.first / b.pipelines_s[job.app, kind, replicas]


@hot_kernel
def _source(w: TrainingState, j: int, kind: int, rule: int) -> int:
    """The type whose model is used for estimates on `kind`; -1: none."""
    own = w.model[j, kind].fitted == 1
    if rule == OWN_PROFILE or (rule == CODE and own):
        return kind if own else -1
    best = -1
    for other in range(w.model.shape[1]):
        if w.model[j, other].fitted and (
            best < 0 or (rule == PAPER and w.model[j, other].replicas > w.model[j, best].replicas)
        ):
            best = other
    if rule == PAPER and own and (w.model[j, kind].replicas > 1 or w.model[j, best].replicas <= 1):
        return kind
    return best


@hot_kernel
def limit_replicas(w: TrainingState, b: Belief, jobs: NDArray[np.int64], limit: NDArray[np.int64]) -> None:
    """Fill in the most replicas of jobs by type, see `GoodputTraining.limits`."""
    for i in range(len(jobs)):
        j, job = jobs[i], w.job[jobs[i]]
        for kind in range(limit.shape[1]):
            ran = w.model[j, min(kind, w.model.shape[1] - 1)].replicas
            most = min(2 * ran, MOST_REPLICAS, job.most // b.least[job.app, kind])
            limit[i, kind] = max(most, 1) if job.tuned else b.fixed[j, kind]


@hot_kernel
def estimate(
    w: TrainingState,
    b: Belief,
    c: Configurations,
    rule: int,
    limits: int,
    jobs: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Fill the stale rows of a table of goodputs by job and configuration."""
    for i in range(len(jobs)):
        j = jobs[i]
        if not w.job[j].stale:
            continue
        w.job[j].stale = 0
        b.known[:] = -1.0
        limit_replicas(w, b, jobs[i : i + 1], b.limit[j : j + 1])
        if limits != OWN:
            b.limit[j] = max(b.limit[j]) if limits == SHARED else max(c.gpus)
        for k in range(len(c.gpus)):
            out[j, k] = _one(w, b, j, c.kind[k], c.nodes[k], c.gpus[k], rule)


@hot_kernel
def _projected(w: TrainingState, b: Belief, j: int, kind: int, source: int, replicas: int, rule: int) -> float:
    """Goodput on a type: the goodput on another one times a ratio of one-GPU speeds."""
    app = w.job[j].app
    there = _by_model(w, b, j, source, math.ceil(replicas / b.gpus_per_node[source]), replicas)
    if rule == CODE:
        return there * b.single[app, kind] / b.single[app, source]
    here = _by_model(w, b, j, kind, 1, 1)
    return here if replicas == 1 else there * here / _by_model(w, b, j, source, 1, 1)


@hot_kernel
def _one(w: TrainingState, b: Belief, j: int, kind: int, nodes: int, gpus: int, rule: int) -> float:
    each = b.pipeline[j, kind]
    if each == 0 or gpus % each or gpus // each > b.limit[j, kind] or not w.job[j].seen:
        return 0.0
    replicas = gpus // each
    if w.job[j].pipelined:
        return _pipelines(w, b, j, kind, replicas)
    source = _source(w, j, kind, rule)
    if source < 0:
        return 0.0
    if source != kind:
        return _projected(w, b, j, kind, source, replicas, rule)
    return _by_model(w, b, j, kind, nodes, replicas)
