"""Iterations of jobs rolled on circles, and the turns at which their traffic on a link overlaps least (CASSINI).

A job with period p is drawn on a circle whose perimeter is the least common multiple of the periods of all jobs on the
link: it computes and sends perimeter / p times a turn of the circle. Turning the circle shifts the job in time. Demand
is in shares of the link's capacity, and the score of some turns is 1 - mean(max(0, demand - 1)).

Turns are multiples of a step, so that all jobs' phases begin and end at a few places of a step only. Between these
places demand is constant, which makes the mean exact. Lengths are whole numbers of a fine unit of time.
"""

from collections.abc import Sequence
from itertools import product
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_FINE = 1_000
"""Fine units in a tick and step of the circle."""
_ROUNDING = 1e-9
"""Demand above capacity by less than this is a rounding error."""
_MOST_TRIED = 5_184
"""Combinations of turns that are all tried, (360 / 5)^2; beyond, jobs are turned one by one."""


class Turning(NamedTuple):
    """A job on a circle.

    Attributes:
        period: ticks of an iteration.
        duty: share of its period that it sends, at the end of the iteration.
        demand: what it takes of each link while it sends, in shares of the link, shape (links,).
    """

    period: int
    duty: float
    demand: NDArray[np.float64]


class Circle(NamedTuple):
    """Jobs that share some links, on their circle.

    Attributes:
        sends: whether a job sends in each cell of each step, shape (jobs, steps, cells).
        near: the same with every sending phase longer by the slack at both ends.
        demand: shares of the links, shape (links, jobs).
        width: width of a cell, in shares of the circle, shape (cells,).
        turns: different turns of each job, in steps; after that many it looks the same or has passed it.
    """

    sends: NDArray[np.bool_]
    near: NDArray[np.bool_]
    demand: NDArray[np.float64]
    width: NDArray[np.float64]
    turns: tuple[int, ...]


def circle_of(jobs: Sequence[Turning], steps: int, slack: float) -> Circle:
    """Draw jobs on their circle.

    Args:
        jobs: the jobs.
        steps: turns of the circle; 72 are steps of 5 degrees.
        slack: share of its period by which a job may be off without being shifted again.
    """
    unit = steps * _FINE
    perimeter = lcm(*(job.period for job in jobs)) * unit
    step = perimeter // steps
    phases = []
    for job in jobs:
        period = job.period * unit
        sending = round(job.duty * period)
        phases.append((period, period - sending, sending, round(slack * period)))
    places = {0}
    for period, begin, sending, more in phases:
        laps = np.arange(0, perimeter, period)
        for place in (begin, begin + sending, begin - more, begin + sending + more):
            places |= {int(at) for at in (laps + place) % step}
    cells = np.array(sorted(places))
    at = step * np.arange(steps)[:, None] + cells
    return Circle(
        sends=np.array([(at - begin) % period < sending for period, begin, sending, _ in phases]),
        near=np.array([(at - begin + more) % period < sending + 2 * more for period, begin, sending, more in phases]),
        demand=np.array([job.demand for job in jobs]).T,
        width=np.diff(np.append(cells, step)) / perimeter,
        turns=tuple(-(-steps * period // perimeter) for period, *_ in phases),
    )


def link_scores(circle: Circle, turns: Sequence[int]) -> NDArray[np.float64]:
    """Score of each link at these turns of the jobs, in steps, shape (links,)."""
    return 1.0 - _excess(circle, circle.sends, turns)


def _excess(circle: Circle, sends: NDArray[np.bool_], turns: Sequence[int]) -> NDArray[np.float64]:
    """Mean demand above capacity of each link."""
    turned = np.array([np.roll(each, turn, axis=0) for each, turn in zip(sends, turns, strict=True)])
    demand = np.tensordot(circle.demand, turned, axes=1)
    above = np.where(demand > 1.0 + _ROUNDING, demand - 1.0, 0.0)
    return above.sum(axis=1) @ circle.width


def _cost(circle: Circle, turns: Sequence[int]) -> tuple[float, float]:
    """What the best turns make least: demand above capacity, and that of jobs that are off by the slack."""
    return (
        round(float(_excess(circle, circle.sends, turns).sum()), 12),
        round(float(_excess(circle, circle.near, turns).sum()), 12),
    )


def best_turns(circle: Circle) -> tuple[int, ...]:
    """Turns of the jobs, in steps, with the best mean score; the first job is not turned.

    Of equal ones, those that leave the widest gaps for jobs that are off by the slack, then the smallest turns. With
    many jobs, each is first put where it is best beside those before it, close to them or with gaps; from both
    beginnings, jobs are turned again until no single turn is better.
    """
    many = (1, *circle.turns[1:])
    if np.prod(many, dtype=float) <= _MOST_TRIED:
        return min(product(*(range(n) for n in many)), key=lambda turns: (_cost(circle, turns), turns))
    found = [_improved(circle, many, _each_from_others(circle, many, gaps)) for gaps in (False, True)]
    return min(found, key=lambda turns: (_cost(circle, turns), turns))


def _each_from_others(circle: Circle, many: Sequence[int], gaps: bool) -> tuple[int, ...]:
    """Turns of jobs that are put beside those before them, with the widest gaps or at the first place that is best."""
    turns: tuple[int, ...] = (0,)
    for job in range(1, len(many)):
        part = circle._replace(
            sends=circle.sends[: job + 1], near=circle.near[: job + 1], demand=circle.demand[:, : job + 1]
        )
        costs = [_cost(part, (*turns, turn))[: 1 + gaps] for turn in range(many[job])]
        turns = (*turns, costs.index(min(costs)))
    return turns


def _improved(circle: Circle, many: Sequence[int], turns: tuple[int, ...]) -> tuple[int, ...]:
    """Turns that no other turn of a single job makes better."""
    cost, before = _cost(circle, turns), (np.inf, np.inf)
    while cost < before:
        before = cost
        for job in range(1, len(many)):
            for turn in range(many[job]):
                tried = (*turns[:job], turn, *turns[job + 1 :])
                if (found := _cost(circle, tried)) < cost:
                    cost, turns = found, tried
    return turns


def free_score(duties: Sequence[float], demand: Sequence[float]) -> float:
    """Score of a link whose jobs have no common circle: the mean over independent phases.

    Args:
        duties: share of time that each job sends.
        demand: what each takes of the link while it sends.
    """
    chance = {0.0: 1.0}
    for duty, taken in zip(duties, demand, strict=True):
        then: dict[float, float] = {}
        for total, p in chance.items():
            then[total] = then.get(total, 0.0) + p * (1.0 - duty)
            more = round(total + taken, 3)  # few different sums, however many jobs there are
            then[more] = then.get(more, 0.0) + p * duty
        chance = then
    return 1.0 - sum(p * (total - 1.0) for total, p in chance.items() if total > 1.0 + _ROUNDING)
