"""What communication policies do to the same random cases, and how long time shifts last under noise."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.arranged import arranged, case_view
from rarlib.fabric.arrangement import Policy, link_seconds
from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase, run_case
from rarlib.fabric.policies.cassini import Cassini
from rarlib.fabric.policies.crux import Crux
from rarlib.fabric.policies.fair import Fair
from rarlib.fabric.policy_cases import SPAN_S, PolicyCase, computing_shares
from rarlib.fabric.rings import Flow
from rarlib.model.seeds import stream

COMPARED: Mapping[str, Policy] = {
    "fair sharing": Fair(),
    "Crux": Crux(),
    "Crux, paths only": Crux(parts="paths"),
    "Crux, priorities only": Crux(parts="priorities"),
    "Crux without `spare`": Crux(spare=False),
    "CASSINI": Cassini(),
    "CASSINI, shifted once": Cassini(drift=0.0),
}
"""Policies by what the page calls them."""


class PolicyOutcome(NamedTuple):
    """A policy on one case.

    Attributes:
        utilisation: share of the time of all GPUs that they compute.
        computing: share of time that each job computes, shape (jobs,).
        longest_wait_s: most by which an iteration lasts longer than the job's iteration alone.
        touched: whether the policy arranged anything for any job.
        interleaved: whether jobs keep a timetable, so all their links have score 1.
    """

    utilisation: float
    computing: NDArray[np.float64]
    longest_wait_s: float
    touched: bool
    interleaved: bool


def policy_outcome(one: PolicyCase, policy: Policy) -> PolicyOutcome:
    """Run a case under a policy."""
    arrangement = policy.arrange(one.view)
    case = arranged(one.case, one.view, arrangement)
    run = run_case(case)
    computing = computing_shares(case, run.ends)
    waits, begin = [], 0
    for job, seen in zip(case.jobs, one.view.jobs, strict=True):
        ends = run.ends[begin : begin + job.iterations]
        begin += job.iterations
        alone = job.compute_s * (1.0 - job.noise) + max(link_seconds(one.view, seen).values(), default=0.0)
        # Later iterations run on a fabric that others have left.
        lengths = np.diff(np.minimum(ends, SPAN_S), prepend=job.start_s)
        waits.append(float(lengths.max()) - alone)
    return PolicyOutcome(
        float(computing @ one.gpus / one.gpus.sum()),
        computing,
        max(waits),
        any(len(part) > 0 for part in arrangement),
        len(arrangement.timetables) > 0,
    )


def noisy_pair(seed: int, duty: float, iterations: int, noise: float) -> SharedCase:
    """Two jobs of period 1 s on one link that start together."""
    seeds = stream(seed, "fabric", "noisy pair").integers(2**63, size=2)
    jobs = [
        SendingJob(f"j{i}", 1.0 - duty, 0.0, iterations, (Flow(duty, {"x": 1}),), noise=noise, seed=int(own))
        for i, own in enumerate(seeds)
    ]
    return SharedCase("pair", {"x": 1.0 / BYTES_PER_GBIT}, jobs)


def mean_times_between(
    policy: Policy, marks: Sequence[int], seeds: int, duty: float = 0.4, noise: float = 0.05
) -> list[float]:
    """Mean iteration time of noisy pairs between iterations, s.

    Args:
        policy: arranged before the start.
        marks: ascending iterations, from 0.
        seeds: pairs.
        duty: of both jobs.
        noise: relative variation of computing times.

    Returns:
        One mean for each two marks that follow one another.
    """
    found = []
    for seed in range(seeds):
        case = noisy_pair(seed, duty, marks[-1], noise)
        view = case_view(case, [1, 1])
        shifted = arranged(case, view, policy.arrange(view))
        starts = np.array([[job.start_s] for job in shifted.jobs])
        times = np.concatenate([starts, run_case(shifted).ends.reshape(2, -1)], axis=1)[:, list(marks)]
        found.append(np.diff(times, axis=1).mean(axis=0) / np.diff(marks))
    return [float(mean) for mean in np.mean(found, axis=0)]
