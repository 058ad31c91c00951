"""Schedules small enough to solve on paper. Each drawing is the solution: one row per job, one column per second.

A digit is the number of GPUs held, `.` waiting, `r` restarting (GPUs held without progress).
"""

import numpy as np
import pytest
from toys import Cost, intervals, jobs_of, times

from rarlib.model.cluster import Cluster
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.las import Las
from rarlib.schedulers.sjf import Sjf
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate

THREE = [(0, 3, 4), (0, 4, 2), (1, 1, 3)]


def _each(*values):
    """A price column; one value serves the tests with one job."""
    return np.array(values, dtype=float)


@pytest.fixture(params=[True, False], ids=["compiled", "decide"])
def play(request):
    """Run a scheduler on one of its two drivers."""

    def run(scheduler, rows, nodes, cost=None, **options):
        return simulate(
            jobs_of(rows), Cluster.of(nodes), scheduler, cost or Cost(), compiled=request.param, **options
        )  # fmt: skip

    return run


def test_fifo_blocks_at_the_head(play):
    """On 4 GPUs; if c ran at 1, the head would not block.

    t  0123456789
    a  3333
    b  ....44
    c   .....111
    """
    assert times(play(Fifo(), THREE, [4])) == [(0, 4), (4, 6), (6, 9)]


def test_backfill_starts_what_fits(play):
    """The same jobs; if c waited, backfilling would be missing.

    t  0123456
    a  3333
    b  ....44
    c   111
    """
    assert times(play(FifoBackfill(), THREE, [4])) == [(0, 4), (4, 6), (1, 4)]


def test_sjf_takes_the_shortest(play):
    """The same jobs; if a ran first, the order would be submission.

    t  0123456
    a  ..3333
    b  44
    c   .111
    """
    assert times(play(Sjf(), THREE, [4])) == [(2, 6), (0, 2), (2, 5)]


def test_sjf_never_interrupts(play):
    """On 1 GPU; c is shorter than what is left of a, yet a goes on; c overtakes b.

    t  0123456789
    a  11111
    b   .....1111
    c    ...1
    """
    assert times(play(Sjf(), [(0, 1, 5), (1, 1, 4), (2, 1, 1)], [1])) == [(0, 5), (6, 10), (5, 6)]


def test_finish_then_arrival_then_pass(play):
    """On 1 GPU; at 3 a ends and c arrives before the pass, so c overtakes b, which has waited.

    t  012345678
    a  111
    b   ...11111
    c     1
    """
    assert times(play(Sjf(), [(0, 1, 3), (1, 1, 5), (3, 1, 1)], [1])) == [(0, 3), (4, 9), (3, 4)]


def test_srtf_preempts_and_pays_the_restart(play):
    """On 2 GPUs, restart 1 s; if a ended at 9, the restart would be free.

    t  0123456789
    a  22...r2222
    b    111
    c     1
    """
    run = play(Srtf(), [(0, 2, 6), (2, 1, 3), (3, 1, 1)], [2], restart_s=1)
    assert times(run) == [(0, 10), (2, 5), (3, 4)]
    assert (run.queue_s[0], run.overhead_s[0], run.useful_s[0], run.gpu_seconds[0]) == (3, 1, 6, 14)
    assert run.restarts.tolist() == [1, 0, 0]
    held = [(0, 0, 2, 0, 2), (0, 5, 10, 0, 2), (1, 2, 5, 0, 1), (2, 3, 4, 0, 1)]
    assert intervals(run) == held


def test_stopped_while_restarting(play):
    """On 1 GPU, restart 2 s: a is stopped during its restart and pays the whole restart again.

    t  0123456789012
    a  11.r..rr1111
    b    1
    c      11
    """
    run = play(Srtf(), [(0, 1, 6), (2, 1, 1), (4, 1, 2)], [1], restart_s=2)
    assert times(run) == [(0, 12), (2, 3), (4, 6)]
    assert (run.overhead_s[0], run.useful_s[0], run.restarts[0]) == (3, 6, 2)


def test_srtf_equal_remaining_goes_by_submission(play):
    """On 1 GPU; at 2 both have 3 s left and the earlier job keeps the GPU.

    t  01234567
    a  11111
    b    ...111
    """
    run = play(Srtf(), [(0, 1, 5), (2, 1, 3)], [1])
    assert times(run) == [(0, 5), (5, 8)]


def test_las_demotes_at_the_level(play):
    """On 1 GPU, one level at 4 GPU-seconds; if a ran on at 4, attained service would not count.

    t  01234567890
    a  1111....11
    b   ...1111..1
    """
    run = play(Las(levels=(4.0,)), [(0, 1, 6), (1, 1, 5)], [1])
    assert intervals(run) == [(0, 0, 4, 0, 1), (0, 8, 10, 0, 1), (1, 4, 8, 0, 1), (1, 10, 11, 0, 1)]


def test_las_counts_gpu_seconds_not_seconds(play):
    """On 2 GPUs, level 4: the gang of 2 reaches it after 2 s, the single GPU needs 4 s.

    t  01234567890
    a  22....2222
    b   .1111
    """
    run = play(Las(levels=(4.0,)), [(0, 2, 6), (1, 1, 4)], [2])
    assert intervals(run) == [(0, 0, 2, 0, 2), (0, 6, 10, 0, 2), (1, 2, 6, 0, 1)]


def test_las_wide_job_takes_its_turn(play):
    """On 2 GPUs, one queue: c fits beside a while b does not, but once a is gone b, which came before c, is served.

    t  01234567890
    a  1111
    b   ...222
    c    11...111
    """
    run = play(Las(levels=(99.0,)), [(0, 1, 4), (1, 2, 3), (2, 1, 5)], [2])
    assert intervals(run) == [(0, 0, 4, 0, 1), (1, 4, 7, 0, 2), (2, 2, 4, 0, 1), (2, 7, 10, 0, 1)]


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


def test_zero_length_jobs(play):
    """On 1 GPU: a and b pass through at 0 and c starts at 0 all the same; d passes through when c ends.

    t  012
    c  11
    d   .
    """
    run = play(Fifo(), [(0, 1, 0), (0, 1, 0), (0, 1, 2), (1, 1, 0)], [1])
    assert times(run) == [(0, 0), (0, 0), (0, 2), (2, 2)]
    assert run.queue_s.tolist() == [0, 0, 0, 1]


def test_gangs_take_free_gpus_in_node_order(play):
    """Nodes of 2, 2: b gets the GPU that a leaves on node 0 and one of node 1; c the last one.

    t  012
    a  11
    b  222
    c  1
    """
    run = play(Fifo(), [(0, 1, 2), (0, 2, 3), (0, 1, 1)], [2, 2])
    assert intervals(run) == [(0, 0, 2, 0, 1), (1, 0, 3, 0, 1), (1, 0, 3, 1, 1), (2, 0, 1, 1, 1)]
