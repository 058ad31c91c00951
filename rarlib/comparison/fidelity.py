"""How far a simulated comparison of two policies is from the measured one, by published testbeds.

Twelve runs of policies on three testbeds were published both measured and simulated by the same authors. What a
comparison of two policies has to survive is the error of the *ratio* of their mean completion times: of two runs on one
testbed, 1 + error of one over that of the other. There are 21 such pairs.

A difference between two simulated policies stands at the *level* that is the share of these errors below it. Maps and
verdicts need one line: a difference counts if it stands at `STANDS_AT`.
"""

import math
from collections.abc import Mapping
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError

SIMULATED_OVER_MEASURED: Mapping[str, Mapping[str, float]] = {
    "Shockwave, 32 GPUs": {
        "AlloX": 1.020,
        "finish-time fairness": 1.008,
        "max-min fairness": 0.916,
        "max-sum throughput": 0.980,
        "min total duration": 1.087,
        "Shockwave": 0.946,
    },
    "Pollux, 64 GPUs": {"Pollux": 0.894, "Optimus": 0.982, "Tiresias": 0.803},
    "Sia, 44 GPUs": {"Pollux": 0.705, "Sia": 0.928, "Gavel": 0.937},
}
"""Mean completion time by the authors' own simulator over the measured one, by testbed and policy.

Zheng et al., NSDI 2023 (artifact); Qiao et al., OSDI 2021, table 2 and artifact; Jayaram Subramanya et al., SOSP 2023.
"""

STANDS_AT = 0.80
"""Level at which a difference of two policies counts, in maps and verdicts: 15 % by the published errors."""


def pair_errors(testbeds: Mapping[str, Mapping[str, float]]) -> NDArray[np.float64]:
    """Errors of ratios of two policies on one testbed, ascending.

    The larger one of the simulated and the measured ratio over the smaller, less 1.

    Args:
        testbeds: simulated over measured value, by testbed and policy.
    """
    logs = [abs(math.log(one / other)) for runs in testbeds.values() for one, other in combinations(runs.values(), 2)]
    return np.expm1(np.sort(logs))


@cache
def ratio_errors() -> NDArray[np.float64]:
    """Published errors of ratios of two policies, ascending, as of `pair_errors`."""
    return pair_errors(SIMULATED_OVER_MEASURED)


def level_of(ratio: float) -> float:
    """Share of the published errors that are below the difference between two policies.

    `ratio`: of their simulated values, either over the other.

    Raises:
        InputError: a ratio that is not above 0.
    """
    if not 0.0 < ratio < math.inf:
        raise InputError(f"must be above 0, found {ratio}", field="ratio")
    return float((ratio_errors() < max(ratio, 1.0 / ratio) - 1.0).mean())
