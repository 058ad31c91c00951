"""Policies on cases: the view of a case, and the case that an arrangement makes of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from rarlib.fabric.arrangement import (
    Arrangement,
    EdgeFlow,
    FabricView,
    PossiblePath,
    RingEdge,
    SharingJob,
    check_arrangement,
)
from rarlib.fabric.case import SendingJob, SharedCase
from rarlib.fabric.rings import Flow
from rarlib.fabric.routing import Paths
from rarlib.fabric.shapes import Shape


class RingJob(NamedTuple):
    """A job on servers of a fabric.

    Attributes:
        servers: in the order of the ring; one server sends nothing.
        gpus: GPUs that it holds.
        bytes_: bytes that each server sends to the next.
        key: its key in the hash of paths.
        compute_s: seconds of computing in an iteration.
        start_s: when it starts.
        ring: `lockstep` or `independent`.
    """

    servers: tuple[int, ...]
    gpus: int
    bytes_: float
    key: int
    compute_s: float
    start_s: float = 0.0
    ring: str = "lockstep"


def case_view(case: SharedCase, gpus: Sequence[int], seed: int = 0) -> FabricView:
    """View of a case whose flows have no other paths.

    Args:
        case: its jobs get their positions as rows.
        gpus: GPUs of each job.
        seed: of the policy's random streams.
    """
    number = {link: i for i, link in enumerate(case.links)}
    jobs = [
        SharingJob(
            row,
            many,
            job.compute_s,
            tuple(_only_path(flow, number) for flow in job.flows),
            key=row,
            offset_s=-job.start_s,
        )
        for row, (job, many) in enumerate(zip(case.jobs, gpus, strict=True))
    ]
    return FabricView(tuple(jobs), tuple(case.links), tuple(case.links.values()), seed)


def _only_path(flow: Flow, number: Mapping[str, int]) -> EdgeFlow:
    crossings = tuple((number[link], times) for link, times in flow.links.items())
    return EdgeFlow(flow.bytes_, (RingEdge((PossiblePath((), crossings),)),))


def ring_view(shape: Shape, paths: Paths, rings: Sequence[RingJob], seed: int = 0) -> FabricView:
    """View of rings on a fabric, with every path that ECMP may choose from.

    Args:
        shape: the fabric.
        paths: path that each edge takes now, see `rarlib.fabric.routing`.
        rings: the jobs; their positions are their rows.
        seed: of the policy's random streams.
    """
    links: dict[str, float] = {}
    number: dict[str, int] = {}

    def edge(ring: RingJob, source: int, target: int) -> RingEdge:
        now = paths(ring.key, source, target)
        found = []
        for hops in product(*(range(n) for n in shape.choices(source, target))):
            path = shape.path(source, target, hops)
            links.update(path)
            found.append((hops, path))
        crossings = [tuple((number.setdefault(link, len(number)), 1) for link in path) for _, path in found]
        every = tuple(PossiblePath(hops, crossed) for (hops, _), crossed in zip(found, crossings, strict=True))
        return RingEdge(every, next(i for i, (_, path) in enumerate(found) if path == now))

    jobs = []
    for row, ring in enumerate(rings):
        pairs = zip(ring.servers, (*ring.servers[1:], ring.servers[0]), strict=True)
        edges = tuple(edge(ring, *pair) for pair in pairs) if len(ring.servers) > 1 else ()
        whole = [(one,) for one in edges] if ring.ring == "independent" else [edges] if edges else []
        flows = tuple(EdgeFlow(ring.bytes_, some) for some in whole)
        jobs.append(SharingJob(row, ring.gpus, ring.compute_s, flows, ring.servers, ring.key, -ring.start_s))
    return FabricView(tuple(jobs), tuple(number), tuple(links[link] for link in number), seed)


def flows_of(view: FabricView, job: SharingJob, paths: Sequence[int] | None = None) -> tuple[Flow, ...]:
    """Flows of a job over the path that it takes, or is given, on each edge."""
    chosen = iter(paths if paths is not None else [edge.taken for edge in job.edges])
    flows = []
    for flow in job.flows:
        crossed: Counter[str] = Counter()
        for edge in flow.edges:
            for link, times in edge.paths[next(chosen)].crossings:
                crossed[view.links[link]] += times
        flows.append(Flow(flow.bytes_, crossed))
    return tuple(flows)


def arranged(case: SharedCase, view: FabricView, arrangement: Arrangement) -> SharedCase:
    """The case with an arrangement applied before its jobs start.

    Args:
        case: job i of it is row i.
        view: what the policy saw; jobs that are not in it stay as they are.
        arrangement: priorities go to all flows of a job, paths replace its links, shifts delay its start.

    Raises:
        InputError: naming the job and the rule that the arrangement breaks.
    """
    jobs, links = list(case.jobs), dict(case.links)
    check_arrangement(view, arrangement)
    for seen in view.jobs:
        row = seen.row
        job = jobs[row]
        if row in arrangement.paths:
            job = job._replace(flows=flows_of(view, seen, arrangement.paths[row]))
            crossed = {link for flow in job.flows for link in flow.links} - links.keys()
            links |= {link: gbps for link, gbps in zip(view.links, view.gbps, strict=True) if link in crossed}
        jobs[row] = job._replace(
            priority=arrangement.priorities.get(row, job.priority),
            start_s=job.start_s + arrangement.shifts.get(row, 0.0),
            timetable=arrangement.timetables.get(row, job.timetable),
        )
    return case._replace(jobs=jobs, links=links)


def viewed_case(view: FabricView, name: str, iterations: int) -> SharedCase:
    """Case of all jobs of a view over the paths that they take now; those that have begun start at 0."""
    jobs = [
        SendingJob(f"j{job.row}", job.compute_s, max(0.0, -(job.offset_s or 0.0)), iterations, flows_of(view, job))
        for job in view.jobs
    ]
    used = {link for job in jobs for flow in job.flows for link in flow.links}
    links = {link: gbps for link, gbps in zip(view.links, view.gbps, strict=True) if link in used}
    return SharedCase(name, links, jobs)
