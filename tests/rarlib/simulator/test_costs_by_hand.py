"""Contention, overhead, speeds, quanta, slots and elastic jobs on schedules solved on paper."""

from dataclasses import dataclass

import numpy as np
import pytest
from toys import Cost, intervals, jobs_of, times

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.engine import simulate
from tests.named import Named


def _each(*values):
    """A price column; one value serves the tests with one job."""
    return np.array(values, dtype=float)


def test_two_spanning_jobs_share_a_server(play):
    """Nodes of 1, 2, 1 GPUs: a sits on nodes 0 and 1, b on 1 and 2. An iteration takes 1 s alone, 2 s together.

    t           01234567890123
    a           22222222222222      10 iterations: 4 alone, 4 together, 2 alone
    b               22222222        4 iterations, all together
    """
    cost = Cost({"base_s": _each(1e-12, 1e-12), "link_s": _each(1, 1), "sharing": _each(1, 1, 2), "work": _each(10, 4)})
    run = play(Fifo(), [(0, 2, 10), (4, 2, 4)], [1, 2, 1], cost)
    assert run.finish_s.tolist() == pytest.approx([14, 12])
    assert run.contention_s.tolist() == pytest.approx([4, 4])
    assert run.useful_s.tolist() == pytest.approx([10, 4])


def test_one_server_jobs_do_not_contend(play):
    """Nodes of 2, 2 GPUs, one gang on each: nothing is shared, whatever the link costs.

    t  0123
    a  2222
    b  2222
    """
    cost = Cost({"link_s": _each(9.0, 9.0), "sharing": _each(1.0, 1.0, 5.0)})
    assert times(play(Fifo(), [(0, 2, 4), (0, 2, 4)], [2, 2], cost)) == [(0, 4), (0, 4)]


def test_server_overhead_is_accounted(play):
    """A gang over 2 servers pays 0.25 s per server and iteration: 4 iterations of 1.5 s.

    t  012345
    a  222222     4 s useful, 2 s overhead
    """
    run = play(Fifo(), [(0, 2, 4)], [1, 1], Cost({"server_s": _each(0.25)}))
    assert (run.finish_s[0], run.useful_s[0], run.overhead_s[0], run.contention_s[0]) == (6, 4, 2, 0)


def test_quantum_delays_passes_not_finishes(play):
    """On 1 GPU, quantum 5: a ends at 3, b is only seen at 5.

    t  01234567
    a  111
    b   ....111
    """
    assert times(play(Fifo(), [(0, 1, 3), (1, 1, 3)], [1], quantum=5)) == [(0, 3), (5, 8)]


def test_whole_slots_keep_the_gpus(play):
    """On 1 GPU, slots of 5: both jobs hold the GPU to the end of the slot.

    t  0123456789
    a  11111
    b   ....11111
    """
    run = play(Fifo(), [(0, 1, 3), (1, 1, 3)], [1], quantum=5, whole_slots=True)
    assert times(run) == [(0, 5), (5, 10)]


def test_whole_iterations_per_slot(play):
    """An iteration of 0.3 slots fits 3 times into a slot, so 10 iterations take 4 slots (SJF-BCO eq. 9).

    t  0123
    a  1111
    """
    cost = Cost({"base_s": _each(0.3), "work": _each(10.0), "slot_s": 1.0})
    assert times(play(Fifo(), [(0, 1, 3)], [1], cost, quantum=1, whole_slots=True)) == [(0, 4)]


def test_slowest_node_sets_the_speed(play):
    """Nodes of speeds 1, 0.5, 1 with a GPU each: a on nodes 0 and 1 runs at half speed, b on node 2 at full.

    t  01234567
    a  22222222
    b  1111
    """
    run = play(Fifo(), [(0, 2, 4), (0, 1, 4)], [1, 1, 1], Cost({"node_speed": _each(1.0, 0.5, 1.0)}))
    assert times(run) == [(0, 8), (0, 4)]


@dataclass
class FillUp(Named):
    """Rigid jobs get their gang; job 0, elastic, gets what is left of the one node."""

    def decide(self, view):
        holds = {r.job.row: sum(g for _, g in r.placement) for r in view.running}
        rigid = [job for job in view.waiting if job.row]
        spare = int(view.free[0]) + holds.get(0, 0) - sum(job.gpus for job in rigid)
        alive = 0 in holds or any(job.row == 0 for job in view.waiting)
        if alive and holds.get(0) != spare:
            yield from [Stop(0)] if 0 in holds else []
            yield Start(0, ((0, spare),))
        yield from (Start(job.row, ((0, job.gpus),)) for job in rigid)


ROWS = [(0, 2, 8), (2, 2, 2)]
LIMITS = {"min_gpus": [1, 2], "max_gpus": [4, 2]}


def play(restart):
    speedup = np.array([[0.0, 0.5, 1.0, 1.5, 2.0]])
    cost = Cost({"curve": np.array([0, -1]), "speedup": speedup})
    return simulate(jobs_of(ROWS, **LIMITS), Cluster.of([4]), FillUp(), cost, restart_s=restart)


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
