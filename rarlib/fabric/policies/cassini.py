"""CASSINI: shifts in time that interleave the sending phases of jobs on the links that they share.

Source: Rajasekaran, Ghobadi, Akella, CASSINI: Network-Aware Job Scheduling in Machine Learning Clusters, NSDI 2024. The
abstract states circles of iterations, the affinity graph and the series of time shifts; all details here are our
reconstruction.

    idea                         here
    circle, turning              circles.circle_of, circles.best_turns; turns in steps of `step_deg`
    score of a link              circles.link_scores, 1 - mean(demand above capacity) / capacity
    affinity graph               affinity.components; parts with a cycle are passed over
    one shift for each job       affinity.begins
    choice among placements      `choose`, by the best mean score
    jobs that drift              `drift`: a job that is off by more is shifted again

Periods are rounded to a tick, so that they have a common multiple: the tick is doubled until no circle is longer than
`laps` of its longest period. Jobs whose periods would change by more than a twentieth have no common circle and stay as
they are. Shifts are delays, since nothing can be sent before it is computed: of all shifts that give the same order on
the circle, those are taken that delay jobs least in all. Where all links of a part of the graph have score 1, its jobs
keep a timetable (`rarlib.fabric.timetable`); where traffic cannot be interleaved, holding jobs back gains nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from rarlib.fabric.affinity import Component, Demands, SharedNode, begins, components, demands_of
from rarlib.fabric.arrangement import Arrangement, FabricView
from rarlib.fabric.circles import Turning, best_turns, circle_of, free_score, link_scores
from rarlib.fabric.timetable import Timetable
from rarlib.model.errors import InputError
from rarlib.model.settings import ABOVE_0, Within, check_settings

MOST_PLACEMENTS = 10
_MOST_ROUNDED = 0.05
"""Most that a period changes when it is rounded, relative to itself."""


class _Turned(NamedTuple):
    """A part of the graph with the best turns: when its jobs begin, their periods, and the scores of its links."""

    begin_s: dict[int, float]
    period_s: dict[int, float]
    scores: list[float]


@dataclass
class Cassini:
    """Time shifts from the affinity graph.

    Args:
        step_deg: degrees between two turns that are tried; 360 must be a multiple.
        tick_s: periods are rounded to this, or to 2, 4, 8, ... times this.
        laps: most iterations of the slowest job on a circle.
        drift: share of an iteration by which a job may be off before it is shifted again; 0: jobs are shifted once.
    """

    name: ClassVar[str] = "cassini"
    label: ClassVar[str] = "CASSINI"
    paper: ClassVar[str] = "cassini"

    step_deg: Annotated[int, Within(1, 120)] = 5
    tick_s: Annotated[float, ABOVE_0] = 0.001
    laps: Annotated[int, Within(1, 100)] = 12
    drift: Annotated[float, Within(0.0, 0.5)] = 0.05

    def __post_init__(self) -> None:
        check_settings(self)
        if 360 % self.step_deg:
            raise InputError(f"must divide 360, found {self.step_deg}", field="step_deg")

    def arrange(self, view: FabricView) -> Arrangement:
        """Shifts of all jobs that share links in a part of the graph without cycles."""
        demands = demands_of(view)
        shifts: dict[int, float] = {}
        timetables: dict[int, Timetable] = {}
        for group, part in enumerate(components(demands)):
            turned = None if part.cyclic else self._turned(part, demands)
            if turned is None:
                continue
            for job, delay_s in self._delays(view, turned).items():
                shifts[view.jobs[job].row] = delay_s
            if self.drift > 0.0 and min(turned.scores) == 1.0:
                for job in part.jobs:
                    period_s = turned.period_s[job]
                    timetables[view.jobs[job].row] = Timetable(group, period_s, self.drift * period_s)
        return Arrangement(shifts=shifts, timetables=timetables)

    def choose(self, views: Sequence[FabricView]) -> int:
        """Which of up to 10 candidate placements has the best mean score of links; of equal ones, the first.

        Args:
            views: one for each placement; those with a cycle in their graph are passed over, unless all have one.
        """
        found = [self.mean_score(view) for view in views[:MOST_PLACEMENTS]]
        known = [score for score in found if score is not None]
        return found.index(max(known)) if known else 0

    def mean_score(self, view: FabricView) -> float | None:
        """Mean score of the links of the affinity graph, 1 if there are none; none if the graph has a cycle."""
        demands = demands_of(view)
        found: list[float] = []
        for part in components(demands):
            if part.cyclic:
                return None
            turned = self._turned(part, demands)
            if turned is not None:
                found += turned.scores
            else:
                found += [_free_score(demands, node, link) for node in part.nodes for link in node.links]
        return float(np.mean(found)) if found else 1.0

    def _turned(self, part: Component, demands: Demands) -> _Turned | None:
        """The best turns of a part; none if its jobs have no common circle."""
        tick_s = self._tick_s(part, demands)
        if tick_s is None:
            return None
        ticks = {job: round(demands.period_s[job] / tick_s) for job in part.jobs}
        steps = 360 // self.step_deg
        turns_s, found = [], []
        for node in part.nodes:
            circle = circle_of(
                [
                    Turning(ticks[job], demands.duty[job], np.array([demands.share[job][link] for link in node.links]))
                    for job in node.jobs
                ],
                steps,
                self.drift,
            )
            turns = best_turns(circle)
            perimeter_s = lcm(*(ticks[job] for job in node.jobs)) * tick_s
            turns_s.append([turn * perimeter_s / steps for turn in turns])
            found += [float(score) for score in link_scores(circle, turns)]
        period_s = {job: ticks[job] * tick_s for job in part.jobs}
        every = [period_s.get(job, 0.0) for job in range(len(demands.period_s))]
        return _Turned(begins(part, turns_s, every), period_s, found)

    def _tick_s(self, part: Component, demands: Demands) -> float | None:
        """The finest tick that gives every link of a part a short circle; none if periods would change too much."""
        tick_s = self.tick_s
        while True:
            ticks = {job: round(demands.period_s[job] / tick_s) for job in part.jobs}
            off = max(abs(ticks[job] * tick_s / demands.period_s[job] - 1.0) for job in part.jobs)
            if off > _MOST_ROUNDED or min(ticks.values()) < 1:
                return None
            each = [[ticks[job] for job in node.jobs] for node in part.nodes]
            if all(lcm(*periods) <= self.laps * max(periods) for periods in each):
                return tick_s
            tick_s *= 2.0

    def _delays(self, view: FabricView, turned: _Turned) -> dict[int, float]:
        """Seconds that each job waits; a job that is off by less than the drift does not."""
        now = {job: view.jobs[job].offset_s or 0.0 for job in turned.begin_s}
        found = []
        for first in sorted(turned.begin_s):
            delays = {}
            for job, begin_s in turned.begin_s.items():
                period_s = turned.period_s[job]
                wait = (begin_s - turned.begin_s[first] - now[first] + now[job]) % period_s
                late = period_s - wait
                delays[job] = 0.0 if late <= self.drift * period_s else wait
            found.append(delays)
        return min(found, key=lambda delays: sum(delays.values()))


def _free_score(demands: Demands, node: SharedNode, link: int) -> float:
    duties = [demands.duty[job] for job in node.jobs]
    return free_score(duties, [demands.share[job][link] for job in node.jobs])
