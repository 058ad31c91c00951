"""How near Crux comes to the best, by enumeration of all paths, orders and levels of small cases."""

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

from rarlib.fabric.arranged import arranged
from rarlib.fabric.arrangement import Arrangement
from rarlib.fabric.policies.crux import Crux, least_congested, priorities
from rarlib.fabric.policy_cases import PolicyCase, utilisation, utilisations

FEW_LEVELS = 3
"""Levels of the comparison: 5 jobs to 3 levels."""


class Reached(NamedTuple):
    """Utilisation relative to the best one; the best is found by enumeration of what the first word says.

    Attributes:
        paths: Crux's paths.
        paths_ecmp: paths by hash.
        order: Crux's order of jobs by P, every job on a level of its own, over Crux's paths.
        order_mean: the mean over all orders.
        levels: that order compressed to `FEW_LEVELS`.
        levels_mean: the mean over all ways to give jobs these levels.
    """

    paths: float
    paths_ecmp: float
    order: float
    order_mean: float
    levels: float
    levels_mean: float


def shares_of_best(one: PolicyCase) -> Reached:
    """Enumerate a case: paths under Crux's order, then orders and levels over Crux's paths."""
    view = one.view
    chosen = least_congested(view)
    rank = priorities(view, chosen)
    falling = sorted(rank, key=lambda row: (-rank[row], row))
    own = [len(falling) - 1 - falling.index(row) for row in range(len(falling))]
    routed = arranged(one.case, view, Arrangement(paths=chosen))

    every = [utilisation(one, arranged(one.case, view, given)) for given in _all_paths(one, own)]
    by_hash = utilisations(one, one.case, [own])[0]
    orders = utilisations(one, routed, list(permutations(range(len(own)))))
    levels = utilisations(one, routed, list(product(range(FEW_LEVELS), repeat=len(own))))
    few = Crux(parts="priorities", levels=FEW_LEVELS, spare=False).arrange(_with_paths(one, chosen).view).priorities
    ours = utilisations(one, routed, [own, [few[row] for row in range(len(own))]])
    best = max(every)
    return Reached(
        paths=float(ours[0] / best),
        paths_ecmp=float(by_hash / best),
        order=float(ours[0] / orders.max()),
        order_mean=float(orders.mean() / orders.max()),
        levels=float(ours[1] / levels.max()),
        levels_mean=float(levels.mean() / levels.max()),
    )


def _all_paths(one: PolicyCase, levels: list[int]) -> Iterator[Arrangement]:
    """Every choice of paths of all jobs, with the same priorities."""
    many = [[range(len(edge.paths)) for edge in job.edges] for job in one.view.jobs]
    for choice in product(*(product(*edges) for edges in many)):
        yield Arrangement(priorities=dict(enumerate(levels)), paths=dict(enumerate(choice)))


def _with_paths(one: PolicyCase, chosen: dict[int, tuple[int, ...]]) -> PolicyCase:
    """The case with these paths as those that jobs take now."""
    jobs = []
    for job in one.view.jobs:
        paths = iter(chosen.get(job.row, ()))
        flows = tuple(
            flow._replace(edges=tuple(edge._replace(taken=next(paths)) for edge in flow.edges)) for flow in job.flows
        )
        jobs.append(job._replace(flows=flows))
    return one._replace(view=one.view._replace(jobs=tuple(jobs)))
