"""A case: jobs that compute and send by turns over links that they share, and the arrays that it becomes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rarlib.fabric.phases import PhaseRun, Phases, run_phases
from rarlib.fabric.rates import FlowTable, bottlenecks
from rarlib.fabric.routing import Flow
from rarlib.model import limits
from rarlib.model.errors import InputError

BYTES_PER_GBIT = 0.125e9


class SendingJob(NamedTuple):
    """A job that repeats: compute, then send all its flows at once until the last one is done."""

    id: str  # its name
    compute_s: float  # seconds of computing in an iteration
    start_s: float  # when it appears
    iterations: int  # how many iterations count
    flows: tuple[Flow, ...]  # what it sends in an iteration; none: it never sends
    priority: int = 0  # a greater number takes links first
    noise: float = 0.0  # relative variation of the computing time, in [0, 1)
    seed: int = 0  # of the noise


class SharedCase(NamedTuple):
    """Jobs on shared links."""

    id: str  # its name
    links: Mapping[str, float]  # capacity of each link, Gbit/s
    jobs: Sequence[SendingJob]  # the jobs
    alpha: float = 0.0  # with n flows, a link carries n / (n + alpha (n - 1)) of its capacity
    # whether a job is gone after its iterations; otherwise all go on until the last one has done its own
    leave: bool = False


class JobTimes(NamedTuple):
    """What the exact mode says of a job."""

    mean_iteration_s: float  # mean time of its iterations
    end_15_s: float  # when iteration 15 ends, or the last one if there are fewer
    longest_s: float  # its longest iteration


def narrowest_links(case: SharedCase) -> list[str]:
    """Links that can be full: of several that the same flows cross equally often, the narrowest."""
    crossed: dict[str, list[tuple[int, int]]] = {}
    for number, flow in enumerate(flow for job in case.jobs for flow in job.flows):
        for link, times in flow.links.items():
            crossed.setdefault(link, []).append((number, times))
    narrowest: dict[tuple[tuple[int, int], ...], str] = {}
    for link in case.links:
        key = tuple(crossed.get(link, ()))
        if key and (key not in narrowest or case.links[link] < case.links[narrowest[key]]):
            narrowest[key] = link
    return list(narrowest.values())


def flow_table(case: SharedCase) -> FlowTable:
    """Flows of a case, those of a job beside one another, over the links that can be full."""
    links = narrowest_links(case)
    number = {link: i for i, link in enumerate(links)}
    flows = [(j, job.priority, flow) for j, job in enumerate(case.jobs) for flow in job.flows]
    taken = [[(number[link], times) for link, times in flow.links.items() if link in number] for _, _, flow in flows]
    table = FlowTable(
        capacity=np.array([case.links[link] * BYTES_PER_GBIT for link in links], dtype=np.float64),
        first=np.cumsum([0, *map(len, taken)], dtype=np.int64),
        link=np.array([link for crossings in taken for link, _ in crossings], dtype=np.int64),
        times=np.array([times for crossings in taken for _, times in crossings], dtype=np.int64),
        size=np.array([flow.bytes_ for _, _, flow in flows], dtype=np.float64),
        owner=np.array([j for j, _, _ in flows], dtype=np.int64),
        level=np.array([priority for _, priority, _ in flows], dtype=np.int64),
        alpha=float(case.alpha),
    )
    return bottlenecks(table)


def phase_table(case: SharedCase) -> Phases:
    """What the jobs of a case do besides sending."""
    jobs = case.jobs
    return Phases(
        compute_s=np.array([job.compute_s for job in jobs], dtype=np.float64),
        start_s=np.array([job.start_s for job in jobs], dtype=np.float64),
        iterations=np.array([job.iterations for job in jobs], dtype=np.int64),
        noise=np.array([job.noise for job in jobs], dtype=np.float64),
        seed=np.array([job.seed for job in jobs], dtype=np.uint64),
        first_end=np.cumsum([0, *(job.iterations for job in jobs)], dtype=np.int64),
        leave=case.leave,
    )


def run_case(case: SharedCase, most: int | None = None) -> PhaseRun:
    """Run a case in the exact mode, for at most `most` events (None: `rarlib.model.limits.PHASE_EVENTS`).

    Raises:
        InputError: not all jobs did their iterations within these events, because others keep one waiting for ever
            (strict priorities), or because it is much slower than the others, or because it asks for too many.
    """
    phases = phase_table(case)
    run = run_phases(flow_table(case), phases, limits.PHASE_EVENTS.most if most is None else most)
    if not run.whole:
        last = phases.first_end[1:] - 1
        behind = [job.id for job, end in zip(case.jobs, run.ends[last], strict=True) if np.isnan(end)]
        rule = (
            f"job {behind[0]} has not done its iterations after {run.events:,} events: it is much slower than the "
            "other jobs, or those of a higher priority keep it waiting for ever ('leave': true lets them go)"
        )
        raise InputError(rule, field=f"case {case.id}")
    return run


def job_times(case: SharedCase, run: PhaseRun) -> list[JobTimes]:
    """What a run says of each job."""
    found, begin = [], 0
    for job in case.jobs:
        ends = run.ends[begin : begin + job.iterations]
        begin += job.iterations
        lengths = np.diff(ends, prepend=job.start_s)
        found.append(JobTimes(float(ends[-1] - job.start_s) / len(ends), float(ends[:15][-1]), float(lengths.max())))
    return found
