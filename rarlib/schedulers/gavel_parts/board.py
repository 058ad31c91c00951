"""What a round-based scheduler keeps from round to round: when the next one is due, and which GPUs everybody has."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import CPU, Cluster
from rarlib.model.decisions import Decision, Start, Stop, Wake
from rarlib.model.scheduler import View
from rarlib.schedulers.gavel_parts.workers import Workers, deal, placement


class Board:
    """GPU types of a cluster, in the order of their first nodes, and who has which GPUs of them.

    Attributes:
        types: names of the GPU types.
        nodes: of each type.
        capacity: GPUs of each type, shape (types,).
        due_s: when the next round begins.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.types = tuple(kind for kind in dict.fromkeys(cluster.gpu_type) if kind != CPU)
        names = np.array(cluster.gpu_type)
        self.nodes = [np.flatnonzero(names == kind) for kind in self.types]
        self.capacity: NDArray[np.int64] = np.array([cluster.gpus[nodes].sum() for nodes in self.nodes])
        self._node_of = [np.repeat(nodes, cluster.gpus[nodes]) for nodes in self.nodes]
        self._held: list[dict[int, Workers]] = [{} for _ in self.types]
        self.due_s = -np.inf

    def waits(self, now_s: float) -> bool:
        """Whether the next round is still to come."""
        return now_s < self.due_s - 1e-6

    def fewest_nodes(self, kind: int, gpus: int) -> int:
        """Fewest nodes of a type that hold so many GPUs."""
        return int(np.searchsorted(np.cumsum(np.bincount(self._node_of[kind])[self.nodes[kind]]), gpus)) + 1

    def begin_round(self, view: View, round_s: float, size: Sequence[Mapping[int, int]]) -> Iterator[Decision]:
        """Carry out a round: stop, move and start jobs, and ask to be called for the next one.

        Args:
            view: the run.
            round_s: length of the round.
            size: by type, job -> GPUs of those that run there, in the order in which they are served.
        """
        self._held = [deal(wanted, before) for wanted, before in zip(size, self._held, strict=True)]
        wanted = {
            job: placement(workers, self._node_of[kind])
            for kind, dealt in enumerate(self._held)
            for job, workers in dealt.items()
        }
        for running in view.running:
            if wanted.get(running.job.row) == running.placement:
                del wanted[running.job.row]
            else:
                yield Stop(running.job.row)
        yield from (Start(job, where) for job, where in sorted(wanted.items()))
        self.due_s = view.now_s + round_s
        yield Wake(self.due_s)
