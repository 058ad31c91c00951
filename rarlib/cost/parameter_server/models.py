"""The models trained by AITurbo and related work: their step times, CPU efficiency and checkpoint costs.

AITurbo's paper (Zhao et al., HPDC 2021, doi 10.1145/3431379.3460639) is not public. [LAB]: tf_cnn_benchmarks as run by
later code of the same laboratory on 2 nodes of 2 GPUs and 32 cores; `STEP_S` and `CPU_STEP_S` are what the coefficients
in that code give. [PLOT]: checkpoint costs, from scripts of later figures.

Those coefficients were fitted without bounds and turn negative away from the fitted points. Rule: a model whose step
times they make positive at all four `POINTS` is fitted to these times again, with coefficients of at least 0; others
(vgg16, inception3, lenet, overfeat, mobilenet) are left out. Four points do not determine th1, which is 0.

CPU workers: e(x) = a exp(-b x) + d is the speed of a task on x cores [LAB]. Only its shape is used, relative to 5
cores; the level comes from the step time with one worker of 5 cores. A model without that time takes the slow-down of
its family, or of all models (geometric means) [RECON].
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from rarlib.cost.parameter_server.speed import fit_speed
from rarlib.model.cluster import SLOT_CORES
from rarlib.model.errors import InputError

POINTS = ((1, 1), (1, 2), (2, 1), (2, 2))
"""(workers, servers) of the times in `STEP_S`."""

STEP_S = {
    "vgg11": (2.21, 1.90, 1.39, 1.09),
    "vgg19": (2.57, 1.94, 1.90, 1.33),
    "googlenet": (1.03, 1.02, 0.52, 0.52),
    "inception4": (0.43, 0.43, 0.17, 0.16),
    "resnet50": (0.33, 0.26, 0.21, 0.15),
    "resnet101": (0.59, 0.46, 0.41, 0.29),
    "resnet152": (0.38, 0.36, 0.20, 0.18),
    "alexnet": (1.55, 1.19, 2.01, 1.67),
}
"""Seconds of a step on GPUs at `POINTS` [LAB]."""

CPU_STEP_S = {"resnet50": 9.5, "resnet101": 22.5, "vgg11": 14.0, "inception4": 8.4, "googlenet": 5.6}
"""Seconds of a step with one CPU worker of 5 cores and one server [LAB]."""

BATCH = {
    "vgg11": 128, "vgg19": 32, "googlenet": 256, "inception4": 32, "resnet50": 64, "resnet101": 64, "resnet152": 32,
    "alexnet": 1024,
}  # fmt: skip
"""Global batch [LAB]."""

CHECKPOINT_S = {
    "vgg11": 1.3, "vgg19": 1.8, "googlenet": 0.5, "inception4": 3.2, "resnet50": 1.4, "resnet101": 2.4,
    "resnet152": 4.1, "alexnet": 0.9,
}  # fmt: skip
"""Seconds to save and restore a job [PLOT]."""

_FAMILIES = ("vgg", "resnet", "inception")


class Efficiency(NamedTuple):
    """e(x) = a exp(-b x) + d: speed of a task on x cores, in the unit of d."""

    a: float
    b: float
    d: float

    def at(self, cores: float) -> float:
        """Speed on a number of cores.

        Raises:
            InputError: the curve is not positive there.
        """
        value = self.a * np.exp(-self.b * cores) + self.d
        if not (cores > 0 and value > 0):
            raise InputError(f"no CPU efficiency at {cores:g} cores", field="cores")
        return float(value)


WORKER_EFFICIENCY = {
    "vgg11": Efficiency(-10.73, 0.812, 9.701),
    "vgg19": Efficiency(-12.20, 0.893, 10.60),
    "googlenet": Efficiency(-19.01, 0.606, 16.68),
    "inception4": Efficiency(-15.93, 0.791, 13.45),
    "resnet50": Efficiency(-11.13, 1.050, 9.400),
    "resnet101": Efficiency(-10.45, 0.972, 9.179),
    "resnet152": Efficiency(-12.04, 1.033, 10.12),
    "alexnet": Efficiency(-11.08, 0.934, 9.498),
}
"""CPU workers [LAB]. The curves of servers are flat from 3 cores on, so servers of 5 cores do not need theirs."""


class Model(NamedTuple):
    """What is known of a model."""

    name: str  # as in tf_cnn_benchmarks
    batch: int  # global batch, samples
    theta: tuple[float, ...]  # fitted coefficients, see `rarlib.cost.parameter_server.speed`
    slowdown: float  # slow-down of passes on a CPU worker of 5 cores relative to a GPU
    efficiency: Efficiency  # efficiency of CPU workers by cores
    checkpoint_s: float  # cost of stopping and starting again, s

    def slowdown_on(self, cores: float) -> float:
        """Slow-down of a CPU worker with a number of cores."""
        return self.slowdown * self.efficiency.at(SLOT_CORES) / self.efficiency.at(cores)


@cache
def models() -> tuple[Model, ...]:
    """All models; a job names its own by position."""
    workers, servers = np.array(POINTS).T
    theta = {
        name: fit_speed(workers, servers, BATCH[name], seconds, constant=False) for name, seconds in STEP_S.items()
    }
    measured = {
        name: float((seconds - theta[name][2:].sum()) / (theta[name][0] * BATCH[name]))
        for name, seconds in CPU_STEP_S.items()
    }
    return tuple(
        Model(
            name,
            BATCH[name],
            tuple(theta[name].tolist()),
            measured.get(name, _of_kin(name, measured)),
            WORKER_EFFICIENCY[name],
            CHECKPOINT_S[name],
        )
        for name in STEP_S
    )


def model_number(name: str) -> int:
    """Position of a model in `models()`.

    Raises:
        InputError: no such model.
    """
    if name not in STEP_S:
        raise InputError(f"unknown model {name!r}; known: {', '.join(STEP_S)}", field="application")
    return list(STEP_S).index(name)


def _of_kin(name: str, measured: dict[str, float]) -> float:
    """Geometric mean of the slow-downs of the model's family, or of all models if none of the family was measured."""
    family = next((f for f in _FAMILIES if name.startswith(f)), "")
    kin = [slowdown for other, slowdown in measured.items() if other.startswith(family)]
    return float(np.exp(np.mean(np.log(kin))))
