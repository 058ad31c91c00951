"""The contract of communication policies: what a policy sees of the jobs that run, and what it may arrange.

A policy is called after every start and end. Its view holds plain numbers only, so that a case of jobs
(`rarlib.fabric.arranged`) and a simulator can both make it.
"""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from rarlib.fabric.case import BYTES_PER_GBIT
from rarlib.fabric.timetable import Timetable
from rarlib.model.errors import InputError


class PossiblePath(NamedTuple):
    """A way from one server of a ring to the next.

    Attributes:
        hops: next hop taken at each switch on the way up; empty: there is no choice.
        crossings: numbers of the links, each with how often it is crossed.
    """

    hops: tuple[int, ...]
    crossings: tuple[tuple[int, int], ...]


class RingEdge(NamedTuple):
    """Traffic from one server to the next.

    Attributes:
        paths: possible paths, at least one.
        taken: which of them it takes now.
    """

    paths: tuple[PossiblePath, ...]
    taken: int = 0


class EdgeFlow(NamedTuple):
    """Bytes that are sent at one rate over all their edges.

    Attributes:
        bytes_: bytes that each edge carries in an exchange.
        edges: a whole ring (in lockstep), or one edge of it.
    """

    bytes_: float
    edges: tuple[RingEdge, ...]


class SharingJob(NamedTuple):
    """A job that runs, as a policy sees it.

    Attributes:
        row: number of the job.
        gpus: GPUs that it holds.
        compute_s: seconds of computing in an iteration.
        flows: what it sends in an iteration; none: it never sends.
        servers: its servers in the order of the ring; empty: not known.
        key: its key in the hash of paths (`rarlib.fabric.routing`).
        offset_s: seconds since its present iteration began, as if it had been alone since, negative if that is still to
            begin; none: not known.
    """

    row: int
    gpus: int
    compute_s: float
    flows: tuple[EdgeFlow, ...]
    servers: tuple[int, ...] = ()
    key: int = 0
    offset_s: float | None = None

    @property
    def edges(self) -> tuple[RingEdge, ...]:
        """Edges of all flows, one after the other."""
        return tuple(edge for flow in self.flows for edge in flow.edges)


class FabricView(NamedTuple):
    """What a policy sees.

    Attributes:
        jobs: jobs that run, by row.
        links: names of the links, by number.
        gbps: capacity of each link, Gbit/s.
        seed: of the policy's random streams.
    """

    jobs: tuple[SharingJob, ...]
    links: tuple[str, ...]
    gbps: tuple[float, ...]
    seed: int = 0


class Arrangement(NamedTuple):
    """What a policy arranges, by row of the job; a job that is missing stays as it is, without shift and timetable.

    Attributes:
        priorities: levels; a greater number takes links first.
        paths: for each edge of the job's flows, in their order, the number of the path that it takes.
        shifts: seconds by which the job's next iteration begins later.
        timetables: timetable that the job keeps afterwards, so that its shift lasts.
    """

    priorities: Mapping[int, int] = {}
    paths: Mapping[int, tuple[int, ...]] = {}
    shifts: Mapping[int, float] = {}
    timetables: Mapping[int, Timetable] = {}


@runtime_checkable
class Policy(Protocol):
    """A communication policy: one class in one file of `rarlib/fabric/policies/`.

    Parameters are the fields of a dataclass with defaults. `label` is its name in figures, `paper` a key of the
    references in CITATION.cff, or empty.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    paper: ClassVar[str]

    def arrange(self, view: FabricView) -> Arrangement:
        """Priorities, paths and shifts from now on. Called after every start and end."""


def check_arrangement(view: FabricView, arrangement: Arrangement) -> None:
    """Refuse what cannot be.

    Raises:
        InputError: naming the job and the rule that the arrangement breaks.
    """
    seen = {job.row: job for job in view.jobs}
    for row in [row for part in arrangement for row in part]:
        if row not in seen:
            raise InputError("is arranged but does not run", field=f"job {row}")
    for row, paths in arrangement.paths.items():
        choices = [len(edge.paths) for edge in seen[row].edges]
        if len(paths) != len(choices) or any(not 0 <= path < n for path, n in zip(paths, choices, strict=True)):
            raise InputError(f"must get one of its paths on each of its {len(choices)} edges", field=f"job {row}")
    for row, shift in arrangement.shifts.items():
        if not 0.0 <= shift < float("inf"):
            raise InputError(
                f"must be shifted by a number of seconds that is not negative, found {shift}", field=f"job {row}"
            )


def link_seconds(view: FabricView, job: SharingJob, paths: tuple[int, ...] | None = None) -> dict[int, float]:
    """Seconds of a job's traffic on each of its links, when it is alone.

    Args:
        view: the links.
        job: the job.
        paths: path of each edge; by default, those that the job takes now.
    """
    chosen = iter(paths if paths is not None else tuple(edge.taken for edge in job.edges))
    seconds: dict[int, float] = {}
    for flow in job.flows:
        for edge in flow.edges:
            for link, times in edge.paths[next(chosen)].crossings:
                seconds[link] = seconds.get(link, 0.0) + edge_seconds(view, flow, link, times)
    return {link: time for link, time in seconds.items() if time > 0.0}


def edge_seconds(view: FabricView, flow: EdgeFlow, link: int, times: int) -> float:
    """Seconds that an edge of a flow takes of a link that it crosses."""
    return flow.bytes_ * times / (view.gbps[link] * BYTES_PER_GBIT)
