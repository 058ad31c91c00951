"""Offered load, and arrival times stretched so that it is the wanted one.

    load = sum_j g_j d_j / (E * T)

g_j, d_j    GPUs job j asks for and its recorded duration on them, on the cluster's first GPU type (the reference)
T           seconds from the first to the last submission
E           the cluster in GPUs of the reference: sum_k C_k w_k over its types, C_k GPUs each worth w_k

    w_k = sum_j g_j d_j / sum_j (g_j d_j / v_jk),    v_jk = (g_j t_j) / (g_jk t_jk)

t_j, t_jk   duration of the whole training, as measured, on the request and on what the request becomes on type k (g_jk
            GPUs: cut to what type k holds and feeds)

v_jk is how many GPU-seconds of the reference a GPU-second of type k saves job j. The mean over the GPU time asked for
is harmonic: with every type taking the same share of every job's work, type k needs sum_j g_j d_j / v_jk GPU-seconds
for all of it. So below a load of 1 such a division of the work keeps up, and nobody has to match jobs with types for
that; a scheduler that does gains from it, which is what the arena looks at. Speeds are those of the window's own jobs,
since GPU types differ by application: alone on one GPU, an A100 is worth 1.5 T4 to deepspeech2 and 10 to bert.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rarlib.arena.applications import Requests, types_of
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError


def reference_gpus(
    requests: Requests, cluster: Cluster, jobs: list[tuple[str, int, int]], gpu_s: NDArray[np.float64]
) -> float:
    """E: the cluster in GPUs of its first type, for these jobs.

    Args:
        requests: of the profiles.
        cluster: of one or more types.
        jobs: application, GPUs and batch of each, such as run on the first type.
        gpu_s: GPU-seconds that each job asks for there, shape (jobs,).
    """
    worth = worths(requests, cluster, jobs, gpu_s)
    return sum(worth[kind] * int(part.gpus.sum()) for kind, part in types_of(cluster).items())


def worths(
    requests: Requests, cluster: Cluster, jobs: list[tuple[str, int, int]], gpu_s: NDArray[np.float64]
) -> Mapping[str, float]:
    """w_k by type: GPUs of the first type that one of type k is worth; arguments as of `reference_gpus`."""
    parts = types_of(cluster)
    trained = {kind: _gpu_s(requests, part, jobs) for kind, part in parts.items()}
    here = next(iter(trained.values()))
    return {kind: float(gpu_s.sum() / (gpu_s * (there / here)).sum()) for kind, there in trained.items()}


def _gpu_s(requests: Requests, part: Cluster, jobs: list[tuple[str, int, int]]) -> NDArray[np.float64]:
    return np.array([each.gpus * each.duration_s for each in requests.on(part, jobs)])


def offered(gpu_s: float, gpus: float, span_s: float) -> float:
    """Load: GPU-seconds asked for over those there are; infinite if all jobs come at once."""
    return gpu_s / (gpus * span_s) if span_s > 0 else float("inf")


def stretched(
    submit_s: NDArray[np.float64], gpu_s: float, gpus: float, load: float, *, allow_overload: bool = False
) -> NDArray[np.float64]:
    """Submissions, all gaps scaled alike so that the offered load is `load`; the first is at 0.

    Args:
        submit_s: as recorded, ascending, shape (jobs,).
        gpu_s: GPU-seconds that all jobs ask for.
        gpus: E.
        load: wanted.
        allow_overload: whether a load of 1 or more may be asked for.

    Raises:
        InputError: such a load although it may not; a load of 0 or less; all jobs come at once.
    """
    if not load > 0:
        raise InputError(f"must be above 0, found {load}", field="load")
    if load >= 1 and not allow_overload:
        rule = (
            f"{load:g} asks for more than the cluster can serve: queues only grow; set overload: true if that is meant"
        )
        raise InputError(rule, field="load")
    gaps = submit_s - submit_s[0]
    if not gaps[-1] > 0:
        raise InputError("all jobs of this window come at once, so no load can be set", field="load")
    return np.asarray(gaps * (gpu_s / (gpus * load) / gaps[-1]))
