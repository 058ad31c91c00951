"""Schedules small enough to solve on paper. Each drawing is the solution: one row per job, one column per second.

A digit is the number of GPUs held, `.` waiting, `r` restarting (GPUs held without progress).
"""

from toys import intervals, times

from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.las import Las
from rarlib.schedulers.sjf import Sjf
from rarlib.schedulers.srtf import Srtf

THREE = [(0, 3, 4), (0, 4, 2), (1, 1, 3)]


def test_fifo_blocks_at_the_head(play):
    """On 4 GPUs; if c ran at 1, the head would not block.

    t  0123456789
    a  3333
    b  ....44
    c   .....111
    """
    assert times(play(Fifo(), THREE, [4])) == [(0, 4), (4, 6), (6, 9)]


def test_sjf_takes_the_shortest(play):
    """The same jobs; if a ran first, the order would be submission.

    t  0123456
    a  ..3333
    b  44
    c   .111
    """
    assert times(play(Sjf(), THREE, [4])) == [(2, 6), (0, 2), (2, 5)]


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
