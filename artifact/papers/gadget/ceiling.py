"""The ceiling of Fig. 4 of GADGET: no schedule has a total utility above the sum of all lambda1."""

import numpy as np
from numpy.typing import NDArray

from artifact.papers.gadget.instance import PRIORITY, GadgetSettings, Instance, instance
from rarlib.cost.utilities import Sigmoid

PUBLISHED_UTILITY = {40: 2831.0, 60: 4331.0, 80: 4910.0, 100: 5519.0}
"""GADGET's total utility in Fig. 4, by number of jobs, as in data/published.csv."""


def ceiling(case: Instance) -> float:
    """Sum of the utilities of jobs that get all they could ever want: the sum of lambda1."""
    return float(case.jobs.value(np.full(len(case.jobs), np.inf)).sum())


def chance_to_reach(jobs: int, total: float) -> float:
    """Probability that the sum of lambda1, independent and uniform on the stated integers, is at least `total`."""
    low, high = PRIORITY
    one: NDArray[np.float64] = np.full(high - low + 1, 1.0 / (high - low + 1))
    chances = np.ones(1)
    for _ in range(jobs):
        chances = np.convolve(chances, one)
    return float(chances[max(int(np.ceil(total)) - low * jobs, 0) :].sum())


def demand(jobs: int, settings: GadgetSettings, seed: int = 0) -> tuple[float, float]:
    """Worker-slots that jobs need to pass the middle of their sigmoids, and those that the cluster has in T slots."""
    case = instance(seed, jobs, settings)
    assert isinstance(case.jobs.utility, Sigmoid)
    needed = float((case.jobs.utility.middle / case.jobs.efficiency).sum())
    return needed, float(case.network.capacity[:, 0].sum()) * settings.slots
