"""Offered load, and arrival times rescaled to a given one.

    load = sum_j g_j d_j / (E * T)

g_j, d_j    GPUs job j requests and its recorded duration on them, on the cluster's first GPU type (the reference)
T           seconds from the first to the last submission
E           the cluster in GPUs of the reference: sum_k C_k w_k over its types, C_k GPUs each worth w_k

    w_k = sum_j g_j d_j / sum_j (g_j d_j / v_jk),    v_jk = (g_j t_j) / (g_jk t_jk)

t_j, t_jk   duration of the whole training, as measured, on the request and on what the request becomes on type k (g_jk
            GPUs: reduced to what type k holds and the largest batch can use)

v_jk is the number of GPU-seconds of the reference that one GPU-second of type k replaces for job j. w_k is the harmonic
mean of v_jk, weighted by requested GPU time: if every type takes the same share of the work of every job, type k needs
sum_j g_j d_j / v_jk GPU-seconds for all of it. So at a load below 1 this division of the work keeps up without matching
jobs to types. A scheduler that does match them gains, and the arena measures this gain. Speeds are those of the jobs of
the window, because the ratio of GPU types depends on the application: alone on one GPU, an A100 is worth 1.5 T4 to
deepspeech2 and 10 to bert.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.by_gpu_time import Requests, types_of
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError


def reference_gpus(
    requests: Requests, cluster: Cluster, jobs: list[tuple[str, int, int]], gpu_s: NDArray[np.float64]
) -> float:
    """E: the cluster in GPUs of its first type, for these jobs.

    `jobs`: application, GPUs and batch size of each job, as run on the first type; `gpu_s`: GPU-seconds that each
    requests there, shape (jobs,).
    """
    worth = worths(requests, cluster, jobs, gpu_s)
    return sum(worth[kind] * int(part.gpus.sum()) for kind, part in types_of(cluster).items())


def worths(
    requests: Requests, cluster: Cluster, jobs: list[tuple[str, int, int]], gpu_s: NDArray[np.float64]
) -> Mapping[str, float]:
    """w_k by type: GPUs of the first type that one of type k is worth; arguments as for `reference_gpus`."""
    parts = types_of(cluster)
    trained = {kind: _gpu_s(requests, part, jobs) for kind, part in parts.items()}
    here = next(iter(trained.values()))
    return {kind: float(gpu_s.sum() / (gpu_s * (there / here)).sum()) for kind, there in trained.items()}


def _gpu_s(requests: Requests, part: Cluster, jobs: list[tuple[str, int, int]]) -> NDArray[np.float64]:
    return np.array([each.gpus * each.duration_s for each in requests.on(part, jobs)])


def offered(gpu_s: float, gpus: float, span_s: float) -> float:
    """Offered load: requested over available GPU-seconds; infinite if all jobs arrive at once."""
    return gpu_s / (gpus * span_s) if span_s > 0 else float("inf")


def rescaled(
    submit_s: NDArray[np.float64], gpu_s: float, gpus: float, load: float, *, allow_overload: bool = False
) -> NDArray[np.float64]:
    """Submission times with all gaps scaled by one factor, so that the offered load is `load`; the first is 0.

    `submit_s`: as recorded, ascending; `gpu_s`: GPU-seconds that all jobs request together; `gpus`: E.

    Raises:
        InputError: a load of 1 or more that is not allowed; a load of 0 or less; all jobs arrive at once.
    """
    if not load > 0:
        raise InputError(f"must be above 0, found {load}", field="load")
    if load >= 1 and not allow_overload:
        rule = (
            f"{load:g} is more than the cluster can serve, so queues only grow; set overload: true if that is intended"
        )
        raise InputError(rule, field="load")
    gaps = submit_s - submit_s[0]
    if not gaps[-1] > 0:
        raise InputError("all jobs of this window arrive at once, so no load can be set", field="load")
    return np.asarray(gaps * (gpu_s / (gpus * load) / gaps[-1]))
