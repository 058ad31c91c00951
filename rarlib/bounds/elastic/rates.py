"""The fastest a job can progress on a number of GPUs of a type, in each of its epochs, whatever it chooses.

Under the goodput model (`rarlib.cost.goodput`) an iteration of B samples on K GPUs, each with `local` samples at once
in s + 1 parts, takes (step - sync)(s + 1) + sync seconds and is worth gain(B)/slow-down iterations of the initial
batch. Everything that can happen in a run is a choice of placement, `local` and s:

* B = K local (s + 1) is between the initial and the largest batch, `local` at most what a batch is cut into, and on
  one GPU s >= 1 unless B is the initial batch (`rarlib.cost.goodput.batch.accumulation_steps`).
* Times depend on the shape of the placement if that was measured, else on the numbers of nodes and GPUs alone, so one
  such shape stands for all.
* Contention, links of other racks and restarts only add to the time; a gang that spans servers exchanges over a link no
  faster than the cluster's fastest, and pays the overhead of each server.
* A gang over several types runs at the times of the slowest. Each of its GPUs is charged as one of the cheapest type
  it has: so its rate counts for every type it may consist of.

The largest rate of all these is `Pace.rate`, an upper bound that measured placements attain.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import gpu_type
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Gradients, single_speed
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel


class Pace(NamedTuple):
    """Fastest progress of one application on a cluster."""

    work: NDArray[np.float64]  # iterations with the initial batch, of each epoch, shape (epochs,)
    # most of them per second, by type, GPUs and epoch; 0 where it cannot run; shape (types, GPUs + 1, epochs)
    rate: NDArray[np.float64]


def pace(cost: GoodputCost, name: str, cluster: Cluster, most: int | None = None) -> Pace:
    """Fastest progress of an application with the data set as measured, for jobs with at most `most` GPUs.

    Raises:
        InputError: a pipeline-parallel application, or one that was measured on none of the cluster's types.
    """
    app = cost.times.application(name)
    if app.stages:
        raise InputError(f"no bound is known for {app.model}", field="application")
    gradients = cost.profiles.gradients[name]
    work, worth = _work(gradients, app.epochs), _worth(gradients, app.epochs) / app.slowdown
    types = list(dict.fromkeys(cluster.gpu_type))
    kinds = [gpu_type(kind) for kind in types]
    known = [k for k, kind in enumerate(kinds) if (name, kind) in cost.profiles.steps]
    if not known:
        raise InputError(f"{name} was measured on none of {', '.join(types)}", field="application")
    rate = np.zeros((len(types), cluster.total_gpus + 1, app.epochs))
    speed = {k: single_speed(cost.profiles, name, kinds[k]) for k in known}
    of_node = np.array([types.index(kind) for kind in cluster.gpu_type])
    for k in known:
        faster = [each for each in known if each != k and speed[each] >= speed[k]]
        for gang in [[k], [k, *faster]] if faster else [[k]]:
            pool = _NodePool(
                cost, name, kinds[k], cluster.gpus[np.isin(of_node, gang)], cluster, most or cluster.total_gpus
            )
            found = _rates(pool, worth, gradients)
            rate[gang, : len(found)] = np.maximum(rate[gang, : len(found)], found)
    return Pace(work, rate)


class _NodePool(NamedTuple):
    """Nodes that an application may use, with GPUs as fast as those of one type; it gets at most `most` of them."""

    cost: GoodputCost
    name: str
    kind: str
    gpus: NDArray[np.int64]
    cluster: Cluster
    most: int


def _work(gradients: Gradients, epochs: int) -> NDArray[np.float64]:
    ends = np.maximum.accumulate(gradients.progress.min(axis=0)[:epochs])
    total = float(gradients.progress[:, epochs - 1].min())
    return np.diff(np.minimum(ends, total), prepend=0.0)


def _worth(gradients: Gradients, epochs: int) -> NDArray[np.float64]:
    """What an iteration is worth by global batch and epoch, shape (largest batch + 1, epochs)."""
    batch = np.arange(int(gradients.batch[-1]) + 1)
    square, variance = (
        np.stack([np.interp(batch, gradients.batch, values[:, e]) for e in range(epochs)], axis=1)
        for values in (gradients.square, gradients.variance)
    )
    below = variance * (float(gradients.batch[0]) / np.maximum(batch, 1))[:, None] + square
    return np.divide(variance + square, below, out=np.ones(below.shape), where=below > 0.0)


def _rates(pool: _NodePool, worth: NDArray[np.float64], gradients: Gradients) -> NDArray[np.float64]:
    """Largest rate by GPUs and epoch, shape (GPUs + 1, epochs)."""
    first, most = int(gradients.batch[0]), int(gradients.batch[-1])
    rate = np.zeros((int(pool.gpus.sum()) + 1, worth.shape[1]))
    times, network = pool.cost.times, pool.cost.network
    link = 1.0 if network is None else float(network.links(pool.cluster)[0].min())
    overhead = 0.0 if network is None else network.overhead_s
    least: dict[int, NDArray[np.float64]] = {}
    for shape in _shapes(pool):
        gpus = sum(shape)
        if gpus > most:
            continue
        try:
            row = times.curve(pool.name, pool.kind, shape)  # may replace the table
        except ValueError:
            continue
        curve = times.curves[row]
        last = min(int(curve["last"]), max(int(curve["largest"]), int(curve["first"])))
        at = int(curve["offset"]) + np.arange(last - int(curve["first"]) + 1)
        compute, sync = times.times[at, 0] - times.times[at, 1], times.times[at, 1]
        if len(shape) > 1:
            sync = sync * link + overhead * len(shape)
        seconds = least.setdefault(gpus, np.full(most // gpus + 1, np.inf))
        _shortest(compute, np.ascontiguousarray(sync), int(curve["first"]), first if gpus == 1 else most, seconds)
    for gpus, seconds in least.items():
        each = np.arange(-(-first // gpus), most // gpus + 1)
        rate[gpus] = (worth[each * gpus] / seconds[each, None]).max(axis=0, initial=0.0)
    return rate


@hot_kernel
def _shortest(
    compute: NDArray[np.float64], sync: NDArray[np.float64], first: int, whole: int, seconds: NDArray[np.float64]
) -> None:
    """Shortest iteration by samples per GPU; in one part at most `whole` of them."""
    for i in range(len(compute)):
        local = first + i
        if local < 1 or np.isnan(sync[i]):
            continue
        parts = 1
        while local * parts < len(seconds):
            if parts > 1 or local <= whole:
                seconds[local * parts] = min(seconds[local * parts], compute[i] * parts + sync[i])
            parts += 1


def _shapes(pool: _NodePool) -> Iterator[tuple[int, ...]]:
    """All measured shapes that fit, and one that was not measured for each number of nodes and GPUs that has one."""
    node_gpus = np.sort(pool.gpus)[::-1]
    measured = {shape for shape in pool.cost.profiles.of(pool.name, pool.kind).shape if shape}
    yield from sorted(shape for shape in measured if sum(shape) <= pool.most and _fits(shape, node_gpus))
    for nodes in range(1, min(len(node_gpus), pool.most) + 1):
        largest = tuple(sorted(node_gpus[:nodes].tolist()))
        for gpus in range(nodes, min(sum(largest), pool.most) + 1):
            found = next((shape for shape in spreads(gpus, largest) if _rotated(shape) not in measured), None)
            if found is not None:
                yield found


def _rotated(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The rotation that stands for all rotations of a shape."""
    return min(shape[i:] + shape[:i] for i in range(len(shape)))


def _fits(shape: tuple[int, ...], node_gpus: NDArray[np.int64]) -> bool:
    return len(shape) <= len(node_gpus) and bool((np.sort(shape)[::-1] <= node_gpus[: len(shape)]).all())


def spreads(gpus: int, node_gpus: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All orders of all ways to put `gpus` on nodes with the given numbers of GPUs (ascending), at least one on each.

    Each comes once, and they are generated lazily: the first that was not measured comes after at most all measured
    ones. Each part takes the smallest node that holds it, which leaves the others as much as any choice does.
    """
    if not node_gpus:
        yield ()
        return
    for here in range(min(node_gpus[-1], gpus - len(node_gpus) + 1), 0, -1):
        node = bisect_left(node_gpus, here)
        rest = node_gpus[:node] + node_gpus[node + 1 :]
        if gpus - here <= sum(rest):
            yield from ((here, *others) for others in spreads(gpus - here, rest))
