"""Crux: who computes most per second of sending takes links first, over the paths with least traffic.

Source: Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training, SIGCOMM 2024, section 4.

    symbol   here                            meaning
    W_j      gpus * compute_s                computing of an iteration, here GPU-seconds on equal GPUs
    t_j      intensity.busiest_s             longest time of its traffic on any link, s
    I_j      intensity.intensity             W_j / t_j
    k_j      intensity.correction            gain in sending time by going first, relative to the reference job's
    P_j      k_j I_j                         priority before it is compressed
    K        `levels`                        priority levels that switches and NICs offer
    m        `orders`                        random topological orders that are tried

*Paths* (4.1): jobs by falling intensity, each over the least congested paths at that moment. *Priorities* (4.2): the
reference job is the one with most traffic, its k is 1; for any other job, the pair is run under both orders.
*Levels* (4.3): see `rarlib.fabric.levels`.

Our reconstruction where the paper leaves it open: congestion of a link is the share of time that the jobs routed so far
would take of it, the edges of a ring choose one after the other, and of their busiest links the next-busiest breaks
ties; a pair of jobs is run on one link of its own; equal priorities are ordered by row. `spare` is ours as well: strict
priorities may keep a job waiting for ever, so a job is lifted to the level above as long as the jobs that are above it
would take all the time of one of its links.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from rarlib.fabric.arrangement import Arrangement, FabricView, SharingJob, edge_seconds, link_seconds
from rarlib.fabric.intensity import busiest_s, correction, intensity
from rarlib.fabric.levels import compressed
from rarlib.model.seeds import stream
from rarlib.model.settings import OneOf, Within, check_settings

_FULL = 1.0 - 1e-9


@dataclass
class Crux:
    """Priorities by intensity, and least congested paths.

    Args:
        parts: `both`, or only one of `priorities` and `paths`.
        levels: most priority levels, K.
        orders: random topological orders that the compression tries.
        spare: whether a job is lifted where the jobs above it would fill one of its links by themselves.
    """

    name: ClassVar[str] = "crux"
    label: ClassVar[str] = "Crux"
    paper: ClassVar[str] = "crux"

    parts: Annotated[str, OneOf("both", "priorities", "paths")] = "both"
    levels: Annotated[int, Within(1, 64)] = 8
    orders: Annotated[int, Within(1, 1000)] = 10
    spare: bool = True

    def __post_init__(self) -> None:
        check_settings(self)

    def arrange(self, view: FabricView) -> Arrangement:
        """Paths first, since traffic on links, and with it intensity, depends on them."""
        paths = least_congested(view) if self.parts != "priorities" else {}
        if self.parts == "paths":
            return Arrangement(paths=paths)
        taken = {job.row: paths.get(job.row, tuple(edge.taken for edge in job.edges)) for job in view.jobs}
        return Arrangement(priorities=self._levels(view, taken), paths=paths)

    def _levels(self, view: FabricView, paths: dict[int, tuple[int, ...]]) -> dict[int, int]:
        seconds = [link_seconds(view, job, paths[job.row]) for job in view.jobs]
        ranks = priorities(view, paths)
        edges = {}
        for first, one in enumerate(view.jobs):
            for then, other in enumerate(view.jobs):
                ahead = (-ranks[one.row], one.row) < (-ranks[other.row], other.row)
                if ahead and seconds[first].keys() & seconds[then].keys():
                    edges[first, then] = intensity(one, max(seconds[first].values()))
        rng = stream(view.seed, "policy", self.name)
        found = compressed(len(view.jobs), edges, self.levels, self.orders, rng) if view.jobs else []
        if self.spare:
            lift(view.jobs, seconds, found)
        return {job.row: level for job, level in zip(view.jobs, found, strict=True)}


def least_congested(view: FabricView) -> dict[int, tuple[int, ...]]:
    """Path of each edge of all jobs, by row: jobs by falling intensity, then by row."""
    load = [0.0] * len(view.links)
    sending = [(job, busiest_s(view, job)) for job in view.jobs if job.flows]
    found = {}
    for job, send_s in sorted(sending, key=lambda each: (-intensity(*each), each[0].row)):
        chosen = []
        for flow in job.flows:
            for edge in flow.edges:
                options = []
                for number, path in enumerate(edge.paths):
                    period_s = job.compute_s + send_s
                    more = {
                        link: edge_seconds(view, flow, link, times) / period_s if flow.bytes_ else 0.0
                        for link, times in path.crossings
                    }
                    busy = sorted((load[link] + share for link, share in more.items()), reverse=True)
                    options.append((busy, number, more))
                _, number, more = min(options, key=lambda option: option[:2])
                chosen.append(number)
                for link, share in more.items():
                    load[link] += share
        found[job.row] = tuple(chosen)
    return found


def priorities(view: FabricView, paths: dict[int, tuple[int, ...]]) -> dict[int, float]:
    """P = k I of each job by row, on the given paths; 0 for jobs that send nothing."""
    send_s = {job.row: busiest_s(view, job, paths[job.row]) for job in view.jobs}
    sending = [job for job in view.jobs if send_s[job.row] > 0.0]
    found = {job.row: 0.0 for job in view.jobs}
    if not sending:
        return found
    reference = max(sending, key=lambda job: (_traffic(job), -job.row))
    for job in sending:
        factor = 1.0
        if job is not reference:
            factor = correction(job.compute_s, send_s[job.row], reference.compute_s, send_s[reference.row])
        found[job.row] = factor * intensity(job, send_s[job.row])
    return found


def _traffic(job: SharingJob) -> float:
    """Bytes of an exchange over all edges."""
    return sum(flow.bytes_ * len(flow.edges) for flow in job.flows)


def lift(jobs: tuple[SharingJob, ...], seconds: list[dict[int, float]], levels: list[int]) -> None:
    """Raise levels, in place, until nobody is below jobs that would take all the time of one of its links."""
    share = []
    for job, links in zip(jobs, seconds, strict=True):
        period_s = job.compute_s + max(links.values(), default=0.0)
        share.append({link: time / period_s for link, time in links.items()})
    changed = True
    while changed:
        changed = False
        for at, links in enumerate(share):
            above = [share[other] for other, level in enumerate(levels) if level > levels[at]]
            if any(sum(each.get(link, 0.0) for each in above) >= _FULL for link in links):
                levels[at] += 1
                changed = True
