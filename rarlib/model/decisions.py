"""The decisions that a scheduler may take."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Placement = tuple[tuple[int, int], ...]
"""Where a gang runs: pairs of node and number of GPUs there, nodes ascending, every number at least 1."""


class Start(NamedTuple):
    """Give a waiting job its GPUs now. An elastic job may get any count in [min_gpus, max_gpus].

    A job with a training may run in several ways on one placement; `variant` is the number by which the training knows
    one of them.

    Attributes:
        job: row of the job.
        placement: pairs of node and number of GPUs there, nodes ascending.
        variant: 0, or a number of the training's.
    """

    job: int
    placement: Placement
    variant: int = 0


class Stop(NamedTuple):
    """Take a running job's GPUs away; it waits again, and pays the restart cost when it next starts.

    Attributes:
        job: row of the job.
    """

    job: int


class Wake(NamedTuple):
    """Ask for a scheduling pass at a later time, even if nothing happens.

    Attributes:
        at_s: the time, seconds since the first submission.
    """

    at_s: float


class Allocation(NamedTuple):
    """What every job holds from now on: for schedulers that reallocate the whole cluster in every slot.

    A job that already holds exactly these GPUs continues; every other running job is stopped, and then the jobs that
    are given GPUs are started.

    Attributes:
        jobs: rows of the jobs, including all running jobs, shape (n,).
        gpus: GPUs by node, zeros for a job that waits, shape (n, nodes).
    """

    jobs: NDArray[np.int64]
    gpus: NDArray[np.int64]


Decision = Start | Stop | Wake | Allocation
"""Decisions of one pass are carried out in the order given; Stop then Start moves or resizes a job."""
