"""The ceiling of Fig. 4 of GADGET: no schedule has a total utility above the sum of all lambda1."""

import numpy as np

from artifact.papers.gadget.instance import GadgetSettings, Instance, instance
from rarlib.cost.utilities import Sigmoid

PUBLISHED_UTILITY = {40: 2831.0, 60: 4331.0, 80: 4910.0, 100: 5519.0}
"""GADGET's total utility in Fig. 4, by number of jobs, as in data/published.csv."""


def ceiling(case: Instance) -> float:
    """Sum of the utilities of jobs that get all they could ever want: the sum of lambda1."""
    return float(case.jobs.value(np.full(len(case.jobs), np.inf)).sum())


def demand(jobs: int, settings: GadgetSettings, seed: int = 0) -> tuple[float, float]:
    """Worker-slots that jobs need to pass the middle of their sigmoids, and those that the cluster has in T slots."""
    case = instance(seed, jobs, settings)
    assert isinstance(case.jobs.utility, Sigmoid)
    needed = float((case.jobs.utility.middle / case.jobs.efficiency).sum())
    return needed, float(case.network.capacity[:, 0].sum()) * settings.slots
