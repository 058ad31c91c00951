"""Random cases for communication policies, and what a policy makes of them.

The size is that of Crux's comparison with the best (section 4.4): 5 jobs on 20 hosts below 2 to 4 leaf switches and 2
aggregation switches. Traffic and duties are not published; here they are drawn.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.arranged import RingJob, ring_view, viewed_case
from rarlib.fabric.arrangement import FabricView
from rarlib.fabric.case import BYTES_PER_GBIT, SharedCase, flow_table, phase_table
from rarlib.fabric.phases import run_phases
from rarlib.fabric.routing import ecmp
from rarlib.fabric.shapes import leaf_spine
from rarlib.model import limits
from rarlib.model.seeds import stream

HOSTS, HOST_GPUS, HOST_GBPS, SPINES = 20, 8, 100.0, 2
SPAN_S = 60.0
"""Length of a run."""


class PolicyCase(NamedTuple):
    """Jobs on a fabric, before any policy.

    Attributes:
        view: the jobs with all their paths.
        case: the jobs over the paths that ECMP gives them.
        gpus: GPUs of each job, shape (jobs,).
    """

    view: FabricView
    case: SharedCase
    gpus: NDArray[np.float64]


def policy_case(
    seed: int, number: int, jobs: int = 5, periods_s: Sequence[float] = (), noise: float = 0.0
) -> PolicyCase:
    """Jobs on hosts of their own below two racks each, with duties from 0.1 to 0.6.

    An uplink is as fast as a host's link, so two jobs on the same one slow each other down when both send.

    Args:
        seed: of all cases.
        number: of this case.
        jobs: how many.
        periods_s: iteration times that are drawn from; none: anything from 0.25 to 1 s.
        noise: relative variation of computing times.
    """
    rng = stream(seed, "fabric", "policies", number, jobs, *periods_s)
    racks = int(rng.integers(2, 5))
    shape = leaf_spine(racks, -(-HOSTS // racks), SPINES, HOST_GBPS, HOST_GBPS)
    rings = []
    for key, servers in enumerate(_hosts(rng, racks, jobs)):
        duty = float(rng.uniform(0.1, 0.6))
        period_s = float(rng.choice(periods_s) if periods_s else rng.uniform(0.25, 1.0))
        sent = duty * period_s * HOST_GBPS * BYTES_PER_GBIT
        start_s = float(rng.uniform(0.0, period_s))
        rings.append(RingJob(servers, HOST_GPUS * len(servers), sent, key, (1.0 - duty) * period_s, start_s))
    view = ring_view(shape, ecmp(shape, int(rng.integers(2**63))), rings, seed=number)
    return case_of(view, f"policies-{number}", noise, [int(rng.integers(2**63)) for _ in rings])


def case_of(view: FabricView, name: str, noise: float, seeds: Sequence[int]) -> PolicyCase:
    """Jobs of a view over the paths that they take, long enough for a run of `SPAN_S`.

    Args:
        view: the jobs.
        name: of the case.
        noise: relative variation of computing times.
        seeds: of each job's variation.
    """
    case = viewed_case(view, name, 1)._replace(leave=True)
    counted = [
        job._replace(iterations=int(np.ceil(SPAN_S / job.compute_s)) + 1, noise=noise, seed=seed)
        for job, seed in zip(case.jobs, seeds, strict=True)
    ]
    return PolicyCase(view, case._replace(jobs=counted), np.array([float(job.gpus) for job in view.jobs]))


def _hosts(rng: np.random.Generator, racks: int, jobs: int) -> Iterator[tuple[int, ...]]:
    """Hosts of each job, 1 or 2 in each of two racks, none in two jobs, as far as hosts last."""
    per_rack = -(-HOSTS // racks)
    free = [list(range(rack * per_rack, min(HOSTS, (rack + 1) * per_rack))) for rack in range(racks)]
    for later in range(jobs - 1, -1, -1):
        open_ = [rack for rack in range(racks) if free[rack]]
        chosen = []
        for rack in rng.permutation(open_)[:2]:
            spare = sum(map(len, free)) > 2 + 2 * later
            many = int(rng.integers(1, 3)) if spare else 1
            chosen += free[rack][:many]
            free[rack] = free[rack][many:]
        yield tuple(sorted(chosen))


def utilisation(one: PolicyCase, case: SharedCase) -> float:
    """Share of the time of all GPUs that they compute, after the first quarter of a run."""
    return float(utilisations(one, case, [[job.priority for job in case.jobs]])[0])


def utilisations(one: PolicyCase, case: SharedCase, levels: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The same for several priorities of the jobs, shape (priorities,)."""
    table, phases = flow_table(case), phase_table(case)
    found = []
    for each in levels:
        level = np.array(each, dtype=np.int64)[table.owner]
        run = run_phases(table._replace(level=level), phases, limits.PHASE_EVENTS.most)
        found.append(computing_shares(case, run.ends) @ one.gpus / one.gpus.sum())
    return np.array(found)


def computing_shares(case: SharedCase, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of time that each job computes, shape (jobs,); a job that has left by then counts as if it had gone on."""
    begin, shares = 0, []
    for job in case.jobs:
        times = np.concatenate([[job.start_s], ends[begin : begin + job.iterations]])
        begin += job.iterations
        done = np.interp([SPAN_S / 4, SPAN_S], times, np.arange(len(times)))
        shares.append((done[1] - done[0]) * job.compute_s / (0.75 * SPAN_S))
    return np.array(shares)
