"""Speed of synchronous training with parameter servers: how long a step takes, and fitting that from measured steps.

Sources: Peng et al. (Optimus), EuroSys 2018, doi 10.1145/3190508.3190517, as in the authors' code [OPT];
Zhao et al. (AITurbo), HPDC 2021, doi 10.1145/3431379.3460639, as in later code of the same laboratory [LAB].

| source | here | unit |
|---|---|---|
| M | `batch`: global batch, divided among the workers | samples |
| w, p | `workers`, `servers` | tasks |
| th0 | `theta[..., 0]`: forward and backward pass of a sample | s |
| th1 | `theta[..., 1]`: the same whatever the batch | s |
| th2 (+ th3 [LAB]) | `theta[..., 2]`: transfer and update, shared by the servers | s |
| th3 (th4 [LAB]) | `theta[..., 3]`: per worker | s |
| th4 (th5 [LAB]) | `theta[..., 4]`: per server | s |
| c_w | `slowdown` of a CPU worker relative to a GPU | 1 |

[OPT] f = 1 / (th0 M/w + th1 + th2 w/p + th3 w + th4 p). [LAB] multiplies the first two terms by c_w, splits th2 into
transfer and update, and adds a term per GPU. Step times cannot tell these from the other terms, so they stay joined.

Workers of both kinds [RECON]: with g GPU workers and c CPU workers a batch is split so that all finish their passes
together, after T = (th0 M + th1 (g + c)) / (g + c / c_w) seconds. Without CPU workers this is Optimus' term, without
GPUs c_w times it. Jobs here have one kind each.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.later import Later

_optimize = Later("scipy.optimize")

TERMS = 5


def step_s(theta: Any, batch: Any, gpu_workers: Any, cpu_workers: Any, servers: Any, slowdown: Any) -> Any:
    """Seconds of a step; arguments broadcast, with `theta` of shape (..., TERMS).

    Infinite without a worker or server, or when a CPU worker's part of the batch is less than one sample.
    """
    theta, batch = np.asarray(theta, dtype=np.float64), np.asarray(batch, dtype=np.float64)
    gpu, cpu, servers = (np.asarray(x, dtype=np.float64) for x in (gpu_workers, cpu_workers, servers))
    workers = gpu + cpu
    with np.errstate(divide="ignore", invalid="ignore"):
        passes = (theta[..., 0] * batch + theta[..., 1] * workers) / (gpu + cpu / slowdown)
        share = np.where(cpu > 0, (passes / slowdown - theta[..., 1]) / theta[..., 0], batch / workers)
        possible = (workers >= 1) & (servers >= 1) & (share >= 1.0 - 1e-9)
        return np.where(possible, passes + _talk_s(theta, workers, servers), np.inf)


def _talk_s(theta: NDArray[np.float64], workers: Any, servers: Any) -> Any:
    return theta[..., 2] * workers / servers + theta[..., 3] * workers + theta[..., 4] * servers


def fit_speed(workers: Any, servers: Any, batch: float, seconds: Any, *, constant: bool = True) -> NDArray[np.float64]:
    """Coefficients from measured steps of one batch by non-negative least squares of relative errors, shape (TERMS,).

    Non-negative coefficients never give a negative time, however far from the measured points. All workers are on GPUs.
    Without th1 (`constant`) four measurements are enough, with it five (as Optimus demands).

    Raises:
        InputError: too few different measurements, or a time that is not positive.
    """
    w, p, t = (np.asarray(values, dtype=np.float64) for values in (workers, servers, seconds))
    needed = TERMS if constant else TERMS - 1
    different = len({*zip(w.tolist(), p.tolist(), strict=True)})
    if different < needed:
        raise InputError(f"a fit of {needed} terms needs as many different (workers, servers), found {different}")
    if not (np.isfinite(t).all() and (t > 0).all() and (w >= 1).all() and (p >= 1).all()):
        raise InputError("a fit needs positive step times and at least one worker and server each", field="seconds")
    columns = np.stack([batch / w, np.ones_like(w) if constant else 0.0 * w, w / p, w, p], axis=1)
    theta, _ = _optimize.nnls(columns / t[:, None], np.ones(len(t)))
    return np.asarray(theta)
