"""An elastic job that a scheduler widens and narrows, solved on paper."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from toys import Cost, intervals, jobs_of

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop
from rarlib.model.errors import DecisionError
from rarlib.simulator.engine import simulate


@dataclass
class FillUp:
    """Rigid jobs get their gang; job 0, elastic, gets what is left of the one node."""

    name: ClassVar[str] = "fill-up"
    label: ClassVar[str] = "fill up"
    paper: ClassVar[str] = ""

    width: int | None = None

    def decide(self, view):
        holds = {r.job.row: sum(g for _, g in r.placement) for r in view.running}
        rigid = [job for job in view.waiting if job.row]
        spare = int(view.free[0]) + holds.get(0, 0) - sum(job.gpus for job in rigid)
        alive = 0 in holds or any(job.row == 0 for job in view.waiting)
        if alive and holds.get(0) != spare:
            yield from [Stop(0)] if 0 in holds else []
            yield Start(0, ((0, self.width or spare),))
        yield from (Start(job.row, ((0, job.gpus),)) for job in rigid)


ROWS = [(0, 2, 8), (2, 2, 2)]
LIMITS = {"min_gpus": [1, 2], "max_gpus": [4, 2]}


def play(restart, width=None):
    speedup = np.array([[0.0, 0.5, 1.0, 1.5, 2.0]])
    cost = Cost({"curve": np.array([0, -1]), "speedup": speedup})
    return simulate(jobs_of(ROWS, **LIMITS), Cluster.of([4]), FillUp(width), cost, restart_s=restart)


def test_resized_without_cost():
    """On 4 GPUs, 8 s of work on 2 GPUs: 4 done by 2, 6 by 4, the rest at double speed.

    t  01234
    a  44224
    b    22
    """
    run = play(0)
    assert run.finish_s.tolist() == [5, 4]
    assert intervals(run) == [(0, 0, 2, 0, 4), (0, 2, 4, 0, 2), (0, 4, 5, 0, 4), (1, 2, 4, 0, 2)]
    assert (run.queue_s[0], run.gpu_seconds[0], run.restarts[0]) == (0, 16, 2)


def test_resizing_pays_the_restart():
    """The same with a restart of 1 s: 4 done by 2, 5 by 4, the last 3 take 1.5 s from 5 on.

    t  0 1 2 3 4 5 6
    a  4 4 r 2 r 4 4(half)
    b      2 2
    """
    run = play(1)
    assert run.finish_s.tolist() == [6.5, 4]
    assert (run.overhead_s[0], run.useful_s[0], run.gpu_seconds[0]) == (2, 4.5, 22)


def test_beyond_its_limits():
    """A gang of 5 for a job that takes at most 4 must be refused, naming job and limits."""
    cluster, cost = Cluster.of([8]), Cost({"curve": np.array([0, -1]), "speedup": np.ones((1, 9))})
    with pytest.raises(DecisionError, match="job 0: gang of 1 to 4 GPUs, 5 given"):
        simulate(jobs_of(ROWS, **LIMITS), cluster, FillUp(5), cost)
