"""How long a round really lasts: one number, fitted to the ends of jobs in other runs."""

import numpy as np

from artifact.machines.shockwave import ShockwaveRuns
from rarlib.model.errors import InputError

OTHER_RUNS = "the length of a round: runs under other policies"


def fitted_round_s(source: ShockwaveRuns, *, without: str) -> float:
    """Seconds of a round, if jobs end in the middle of the last round that they ran in.

    It minimises the squared relative errors of the ends since the first arrival.

    Args:
        source: the runs.
        without: policy whose run is left out.

    Raises:
        InputError: no other run.
    """
    each = [
        (row.last_round + 0.5) / (row.completion_s + source.arrival_s[row.job])
        for row in source.job_ends
        if row.policy != without
    ]
    if not each:
        raise InputError("needs runs under two policies", file="completion.csv", field="policy")
    ratio = np.array(each)
    return float(ratio.sum() / (ratio**2).sum())
