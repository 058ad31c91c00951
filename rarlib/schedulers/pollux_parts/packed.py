"""Allocations as the search holds them: by job, the nodes in use and the GPUs there.

A row, of shape (1 + 2 nodes,), is [n, node, GPUs, node, GPUs, ...] with n pairs in any order; what comes after them has
no meaning. A packed state has a row per job, shape (jobs, 1 + 2 nodes).
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import inlined, kernel

PackedRow = NDArray[np.int16]
PackedState = NDArray[np.int16]
PackedStates = NDArray[np.int16]
_Matrices = NDArray[np.int16]


@kernel
def pack_states(matrices: _Matrices) -> PackedStates:
    """Packed states of allocations by job and node, shape (states, jobs, nodes)."""
    states, jobs, nodes = matrices.shape
    packed = np.zeros((states, jobs, 1 + 2 * nodes), np.int16)
    for s in range(states):
        for j in range(jobs):
            row = packed[s, j]
            for i in range(nodes):
                if matrices[s, j, i] > 0:
                    row[1 + 2 * row[0]], row[2 + 2 * row[0]] = i, matrices[s, j, i]
                    row[0] += 1
    return packed


@kernel
def unpack(packed: PackedStates) -> _Matrices:
    """Allocations by job and node, shape (states, jobs, nodes), of packed states."""
    states, jobs, width = packed.shape
    matrices = np.zeros((states, jobs, width // 2), np.int16)
    for s in range(states):
        for j in range(jobs):
            row = packed[s, j]
            for k in range(row[0]):
                matrices[s, j, row[1 + 2 * k]] = row[2 + 2 * k]
    return matrices


@inlined
def copy_row(source: PackedRow, target: PackedRow) -> None:
    """Copy a row."""
    for k in range(1 + 2 * source[0]):
        target[k] = source[k]


@inlined
def drop(row: PackedRow, k: int) -> None:
    """Remove pair k; the last one takes its place."""
    last = row[0] - 1
    row[1 + 2 * k], row[2 + 2 * k] = row[1 + 2 * last], row[2 + 2 * last]
    row[0] = last


@inlined
def entry_of(row: PackedRow, node: int) -> int:
    """Number of the pair of a node; -1: there is none."""
    for k in range(row[0]):
        if row[1 + 2 * k] == node:
            return k
    return -1


@inlined
def total(row: PackedRow) -> int:
    """GPUs of a row."""
    gpus = 0
    for k in range(row[0]):
        gpus += row[2 + 2 * k]
    return gpus
