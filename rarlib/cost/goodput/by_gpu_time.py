"""The applications that the jobs of a trace train, and requests that can run.

Traces of clusters say how long a job ran on how many GPUs, not what it trained. Sia's authors assign an application by
class of GPU time (SOSP 2023, artifact): below 1 GPU h cifar10; below 10 deepspeech2 or bert, with equal probability;
below 100 yolov3; else imagenet.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs

_CLASSES = ("cifar10", "deepspeech2", "yolov3", "imagenet")
EDGES_GPU_H = (1.0, 10.0, 100.0)
"""GPU hours at which the next class begins."""

OTHER = "bert"
"""Application of half the jobs of the second class, on average."""


def by_gpu_time(gpu_h: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.object_]:
    """Applications by class of GPU time, shape (jobs,); one draw per job, whatever its class."""
    names = np.array(_CLASSES, dtype=object)[np.searchsorted(EDGES_GPU_H, gpu_h, side="right")]
    names[(names == _CLASSES[1]) & (rng.random(len(names)) < 0.5)] = OTHER
    return names


class Request(NamedTuple):
    """What a job requests on one GPU type so that it can run there."""

    gpus: int  # size of the gang
    batch_size: int  # global batch size, samples
    duration_s: float  # seconds of the whole training with this request, alone, on the fewest nodes


class Requests:
    """Requests on the GPU types of clusters; each is computed once."""

    def __init__(self, cost: GoodputCost) -> None:
        self._cost = cost
        self._known: dict[tuple[str, int, int, str, int, int], Request] = {}

    def on(self, part: Cluster, jobs: Iterable[tuple[str, int, int]]) -> list[Request]:
        """Requests of jobs (application, GPUs, batch) on a cluster of one type.

        The gang is reduced to what the application's largest batch can use and the nodes of the type hold, and further
        to a size that was measured. A batch size that was not measured on the gang, or is 0, is replaced by the fastest
        one.

        Raises:
            InputError: an application without profile on the type.
        """
        where = part.gpu_type[0], int(part.gpus.max()), part.nodes
        out = []
        for name, gpus, batch in jobs:
            key = name, gpus, batch, *where
            if key not in self._known:
                self._known[key] = self._find(name, gpus, batch, part)
            out.append(self._known[key])
        return out

    def _find(self, name: str, gpus: int, batch: int, part: Cluster) -> Request:
        most = int(self._admit(name, 1, 0, part).max_gpus[0])
        for held in range(min(gpus, most), 0, -1):
            for choice in dict.fromkeys((batch, 0)):
                try:
                    found = self._admit(name, held, choice, part)
                except InputError:
                    continue
                return Request(held, int(found.batch_size[0]), float(found.duration_s[0]))
        raise InputError(f"{name} was measured on no GPU count of type {part.gpu_type[0]}", field="application")

    def _admit(self, name: str, gpus: int, batch: int, part: Cluster) -> Jobs:
        one = Jobs.build(
            submit_s=[0.0],
            gpus=[gpus],
            duration_s=[0.0],
            application=[name],
            batch_size=[batch],
            adaptivity=["adaptive"],
        )
        return self._cost.admit(one, part)


def types_of(cluster: Cluster) -> dict[str, Cluster]:
    """GPU type -> the nodes of that type, in the cluster's order; the first is the reference.

    Nodes keep their racks.
    """
    kinds = np.array(cluster.gpu_type)
    out = {}
    for kind in dict.fromkeys(cluster.gpu_type):
        mine = kinds == kind
        out[kind] = replace(
            cluster,
            gpus=cluster.gpus[mine],
            gpu_type=(kind,) * int(mine.sum()),
            rack=cluster.rack[mine],
            speed=cluster.speed[mine],
        )
    return out
