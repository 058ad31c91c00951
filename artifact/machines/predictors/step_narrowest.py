"""Steps by placement: compute, and a ring that is as wide as the narrowest node; four numbers fitted to other rows.

    T = a + c x + 2 (r - 1) / r w / b    x samples of a GPU; r GPUs

w / b is one number inside a node. Between nodes it is another one over the interfaces of the node with the fewest GPUs.
The numbers are at least 0 and minimise squared relative errors.
"""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from artifact.machines.held_out import EACH_OTHER, row_from_others
from artifact.machines.morphling import StepRow
from artifact.machines.predictor import Predictor

GPUS_OF_AN_INTERFACE = 2
"""The stated 100 GB/s of a node with 8 GPUs are four interfaces of 200 Gbit/s."""


def ring_terms(row: StepRow) -> NDArray[np.float64]:
    """What each number is multiplied with, shape (4,)."""
    passes = 2 * (row.gpus - 1) / row.gpus
    interfaces = ceil(min(row.by_node) / GPUS_OF_AN_INTERFACE)
    inside = len(row.by_node) == 1
    return np.array([1.0, row.local, passes if inside else 0.0, 0.0 if inside else passes / interfaces])


def _law(rows: Sequence[StepRow]) -> Callable[[StepRow], float]:
    weight = np.array([1.0 / row.iteration_s for row in rows])
    numbers, _ = nnls(np.array([ring_terms(row) for row in rows]) * weight[:, None], np.ones(len(rows)))
    return lambda row: float(ring_terms(row) @ numbers)


PREDICTORS = (
    Predictor(
        "narrowest-node", "ring of the narrowest node", "step", "B",
        lambda source: row_from_others(source.steps, _law), EACH_OTHER,
    ),
)  # fmt: skip
