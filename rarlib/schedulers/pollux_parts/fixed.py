"""The cluster as Pollux sees it, and how an allocation of it maps to the real cluster."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import first_fit
from rarlib.model.offers import Configurations
from rarlib.model.scheduler import View
from rarlib.schedulers.pollux_parts.problem import AllocationMatrix
from rarlib.schedulers.pollux_parts.speedups import speedup_configurations
from rarlib.schedulers.pollux_parts.virtual_nodes import VirtualNodes, split_nodes

_Numbers = NDArray[np.int64]

PREFERRED = ("a100", "azure", "quad", "rtx", "t4")
"""GPU types, most powerful first; others follow in the order of the cluster."""

_MOST_NODES = 16


class FixedInputs(NamedTuple):
    """What does not change during a run.

    Attributes:
        parts: nodes, all about equally large.
        kind: type of each part, 0 the most preferred, shape (parts,); all 0 if types do not matter.
        total: GPUs of the cluster.
        limit: most GPUs of a job, unless it needs more.
        options: configurations whose goodput jobs estimate; None if they know no goodput.
    """

    parts: VirtualNodes
    kind: _Numbers
    total: int
    limit: int
    options: Configurations | None

    @property
    def spread(self) -> int:
        """Most parts of a job, unless it needs more."""
        return min(_MOST_NODES, len(self.parts.gpus))

    def settle(self, rows: AllocationMatrix, least: _Numbers) -> AllocationMatrix:
        """What jobs really get, shape (jobs, parts): GPUs of one type, at least as many as they need or none."""
        rows = self._gather(self._keep_majority(rows), least)
        return rows if rows.any() else self._first_alone(rows, int(least[0]))

    def _keep_majority(self, rows: AllocationMatrix) -> AllocationMatrix:
        held = np.stack([rows[:, self.kind == k].sum(axis=1) for k in range(int(self.kind.max()) + 1)], axis=1)
        kept: AllocationMatrix = np.where(self.kind == held.argmax(axis=1)[:, None], rows, 0).astype(np.int16)
        return kept

    def _gather(self, rows: AllocationMatrix, least: _Numbers) -> AllocationMatrix:
        """Give jobs with too few GPUs what they need of the type they have, largest first, on the emptiest parts."""
        held = rows.sum(axis=1)
        short = np.flatnonzero((held > 0) & (held < least))
        home = {int(job): self.kind[np.flatnonzero(rows[job])[0]] for job in short}
        rows[short] = 0
        for job in sorted(home, key=lambda job: -least[job]):
            free = np.where(self.kind == home[job], self.parts.gpus - rows.sum(axis=0), 0)
            order = np.argsort(-free, kind="stable")
            taken = first_fit(free[order], int(least[job]))
            if taken.sum() == least[job]:
                rows[job, order] = taken
        return rows

    def _first_alone(self, rows: AllocationMatrix, need: int) -> AllocationMatrix:
        """Give the first job what it needs on an idle cluster, from the first type that has enough GPUs."""
        for k in range(int(self.kind.max()) + 1):
            taken = first_fit(np.where(self.kind == k, self.parts.gpus, 0), need)
            if taken.sum() == need:
                rows[0] = taken
                break
        return rows


def fixed_inputs(view: View) -> FixedInputs:
    """The fixed inputs of a run. GPU types matter if jobs know goodput; in a price table the slowest GPU counts.

    A job gets at most the GPUs of the smallest type, whose nodes count only as far as jobs were measured on them.
    """
    cluster, goodput = view.cluster, view.offers.goodput
    parts = split_nodes(cluster.gpus)
    total = int(cluster.gpus.sum())
    if goodput is None:
        return FixedInputs(parts, np.zeros(len(parts.gpus), np.int64), total, total, None)
    found = list(dict.fromkeys(cluster.gpu_type))
    names = sorted(found, key=lambda name: PREFERRED.index(name) if name in PREFERRED else len(PREFERRED))
    kind = np.array([names.index(cluster.gpu_type[node]) for node in parts.node])
    limit = int((goodput.gpus_per_node * np.minimum(goodput.nodes, goodput.profiled_nodes)).min())
    spread, size = min(_MOST_NODES, len(parts.gpus)), int(parts.gpus.max())
    return FixedInputs(parts, kind, total, limit, speedup_configurations(total, spread, size, limit))
