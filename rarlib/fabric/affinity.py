"""The affinity graph of CASSINI: jobs on one side, links that they share on the other.

Links that cannot be overloaded are left out, since they ask for nothing, and so is a link whose jobs all meet on
another one where each takes at least as much. Links with the same jobs are one node: the same turns serve them all.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rarlib.fabric.arrangement import FabricView, link_seconds

_CLOSE = 1e-9


class SharedNode(NamedTuple):
    """Links that the same jobs share.

    Attributes:
        jobs: positions of the jobs in the view, ascending.
        links: numbers of the links.
    """

    jobs: tuple[int, ...]
    links: tuple[int, ...]


class Component(NamedTuple):
    """A connected part of the graph.

    Attributes:
        jobs: positions of its jobs, ascending.
        nodes: its links.
    """

    jobs: tuple[int, ...]
    nodes: tuple[SharedNode, ...]

    @property
    def cyclic(self) -> bool:
        """Whether it has a cycle, so that one shift for each job may not serve all links."""
        edges = sum(len(node.jobs) for node in self.nodes)
        return edges > len(self.jobs) + len(self.nodes) - 1


class Demands(NamedTuple):
    """What jobs ask of links when they are alone.

    Attributes:
        period_s: seconds of an iteration of each job.
        duty: share of it that each job sends.
        share: of each job, what it takes of a link while it sends, by number of the link.
    """

    period_s: tuple[float, ...]
    duty: tuple[float, ...]
    share: tuple[dict[int, float], ...]


def demands_of(view: FabricView) -> Demands:
    """Demands of the jobs of a view, in its order."""
    seconds = [link_seconds(view, job) for job in view.jobs]
    send_s = [max(links.values(), default=0.0) for links in seconds]
    period_s = [job.compute_s + most for job, most in zip(view.jobs, send_s, strict=True)]
    return Demands(
        period_s=tuple(period_s),
        duty=tuple(most / whole if whole else 0.0 for most, whole in zip(send_s, period_s, strict=True)),
        share=tuple(
            {link: time / most for link, time in links.items()} for links, most in zip(seconds, send_s, strict=True)
        ),
    )


def components(demands: Demands) -> list[Component]:
    """Connected parts of the graph, by their first job; jobs that share nothing are in none."""
    found: list[Component] = []
    for node in _nodes(demands):
        touching = [part for part in found if {*part.jobs} & {*node.jobs}]
        jobs = {*node.jobs, *(job for part in touching for job in part.jobs)}
        nodes = (*(each for part in touching for each in part.nodes), node)
        found = [part for part in found if part not in touching] + [Component(tuple(sorted(jobs)), nodes)]
    return sorted(found)


def _nodes(demands: Demands) -> list[SharedNode]:
    users: dict[int, list[int]] = {}
    for job, links in enumerate(demands.share):
        for link in links:
            users.setdefault(link, []).append(job)
    full = {
        link: tuple(jobs)
        for link, jobs in sorted(users.items())
        if sum(demands.share[job][link] for job in jobs) > 1.0 + _CLOSE
    }
    kept: dict[tuple[int, ...], list[int]] = {}
    for link, jobs in full.items():
        if not any(_covers(demands, full, other, link) for other in full if other != link):
            kept.setdefault(jobs, []).append(link)
    return [SharedNode(jobs, tuple(links)) for jobs, links in sorted(kept.items())]


def _covers(demands: Demands, full: dict[int, tuple[int, ...]], other: int, link: int) -> bool:
    """Whether all jobs of a link meet on another one, where each takes at least as much; of equal links, the first."""
    if not {*full[link]} <= {*full[other]}:
        return False
    more = [demands.share[job][other] - demands.share[job][link] for job in full[link]]
    same = full[link] == full[other] and all(abs(each) <= _CLOSE for each in more)
    return other < link if same else all(each >= -_CLOSE for each in more)


def begins(part: Component, turns: Sequence[Sequence[float]], period_s: Sequence[float]) -> dict[int, float]:
    """When each job begins relative to the first one, s: a walk over the graph from that job.

    Args:
        part: without cycles.
        turns: for each node, seconds by which each of its jobs is turned there.
        period_s: seconds of an iteration of each job, as drawn on the circles, by position.
    """
    found = {part.jobs[0]: 0.0}
    open_ = list(range(len(part.nodes)))
    while open_:
        at = next(at for at in open_ if found.keys() & {*part.nodes[at].jobs})
        open_.remove(at)
        turned = dict(zip(part.nodes[at].jobs, turns[at], strict=True))
        known = min(found.keys() & turned.keys())
        for job, turn in turned.items():
            if job != known:
                found[job] = (found[known] + turn - turned[known]) % period_s[job]
    return found
