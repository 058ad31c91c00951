"""Nodes as Pollux sees them: all about equally large. A larger node is shown as several of the smallest size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement

Row = NDArray[np.int16]


class VirtualNodes(NamedTuple):
    """Parts of nodes, in the order of the nodes.

    Attributes:
        room: GPUs of each part, shape (parts,).
        node: node that each is a part of, shape (parts,).
    """

    room: NDArray[np.int64]
    node: NDArray[np.int64]

    def placement(self, row: Row) -> Placement:
        """Where a job sits that has so many GPUs of every part; empty: nowhere."""
        counts = np.bincount(self.node, row).astype(np.int64)
        used = np.flatnonzero(counts)
        return tuple(zip(used.tolist(), counts[used].tolist(), strict=True))


def split(gpus: NDArray[np.int64]) -> VirtualNodes:
    """Split nodes with so many GPUs, shape (nodes,), into parts of the smallest node's size; a rest is a part, too."""
    size = int(gpus.min())
    parts = [[size] * (n // size) + ([n % size] if n % size else []) for n in gpus.tolist()]
    return VirtualNodes(
        np.array([room for node in parts for room in node], np.int64),
        np.repeat(np.arange(len(gpus)), [len(node) for node in parts]),
    )
