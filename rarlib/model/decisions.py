"""The decisions that a scheduler may take."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Placement = tuple[tuple[int, int], ...]
"""Where a gang runs: (node, GPUs there) pairs, nodes ascending, every count at least 1."""


class Start(NamedTuple):
    """Give a waiting job its GPUs now. An elastic job may get any count in [min_gpus, max_gpus].

    A job with a training may run in several ways on one placement; `variant` is the training's number of one of them.
    """

    job: int
    placement: Placement
    variant: int = 0


class Stop(NamedTuple):
    """Take a running job's GPUs away; it waits again, and pays the restart cost when it next starts."""

    job: int


class Wake(NamedTuple):
    """Ask for a scheduling pass at a later time, even if nothing happens."""

    at_s: float


class Allocation(NamedTuple):
    """Who holds what from now on, all jobs at once: for schedulers that share out the cluster anew in every slot.

    A job that holds just this already goes on; any other that runs is stopped, and those with GPUs are started.

    Attributes:
        jobs: rows of the jobs, among them all that run, shape (n,).
        gpus: GPUs by node, zeros for a job that is to wait, shape (n, nodes).
    """

    jobs: NDArray[np.int64]
    gpus: NDArray[np.int64]


Decision = Start | Stop | Wake | Allocation
"""Decisions of one pass are carried out in the order given; Stop then Start moves or resizes a job."""
