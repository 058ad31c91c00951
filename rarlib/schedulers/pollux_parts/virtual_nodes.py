"""Nodes as Pollux sees them: all of about the same size. A larger node is shown as several of the smallest size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement

_Row = NDArray[np.int16]


class VirtualNodes(NamedTuple):
    """Parts of nodes, in the order of the nodes.

    Attributes:
        part_gpus: GPUs of each part, shape (parts,).
        node: node that each is a part of, shape (parts,).
    """

    gpus: NDArray[np.int64]
    node: NDArray[np.int64]

    def placement(self, row: _Row) -> Placement:
        """Placement of a job with these GPUs of every part; empty if it has none."""
        counts = np.bincount(self.node, row).astype(np.int64)
        used = np.flatnonzero(counts)
        return tuple(zip(used.tolist(), counts[used].tolist(), strict=True))


def split_nodes(gpus: NDArray[np.int64]) -> VirtualNodes:
    """Split nodes with these GPUs, shape (nodes,), into parts of the smallest node's size; a rest is a part, too."""
    size = int(gpus.min())
    parts = [[size] * (n // size) + ([n % size] if n % size else []) for n in gpus.tolist()]
    return VirtualNodes(
        np.array([part_gpus for node in parts for part_gpus in node], np.int64),
        np.repeat(np.arange(len(gpus)), [len(node) for node in parts]),
    )
