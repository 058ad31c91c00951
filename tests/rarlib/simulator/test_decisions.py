"""Nonsense is refused: bad decisions of a scheduler, and inputs that cannot be run. Each message names the culprit."""

import numpy as np
import pytest
from toys import Cost, Scripted, jobs_of, times

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop, Wake
from rarlib.model.errors import DecisionError, InputError
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.las import Las
from rarlib.simulator.engine import Conventions, simulate

ROWS = [(0, 2, 4), (0, 1, 4), (5, 1, 1)]


def play(*passes):
    return simulate(jobs_of(ROWS, job_id=["ann", "bob", "cyd"]), Cluster.of([2, 2]), Scripted(list(passes)), Cost())


BAD = {
    "running job started": ([Start(0, ((0, 2),)), Start(0, ((1, 2),))], "job ann .*not waiting"),
    "job of the future started": ([Start(2, ((0, 1),))], "job cyd .*not waiting"),
    "more than free": ([Start(0, ((0, 2),)), Start(1, ((0, 1),))], "job bob: node 0 has 0 GPUs free, 1 requested"),
    "gang too small": ([Start(0, ((0, 1),))], "job ann: gang of 2 GPUs, 1 given"),
    "gang too large": ([Start(1, ((0, 1), (1, 1)))], "job bob: gang of 1 GPUs, 2 given"),
    "empty placement": ([Start(1, ())], "job bob: gang of 1 GPUs, 0 given"),
    "node after the last": ([Start(0, ((2, 2),))], "job ann: there is no node 2"),
    "negative node": ([Start(0, ((-1, 2),))], "job ann: there is no node -1"),
    "node twice": ([Start(0, ((0, 1), (0, 1)))], "job ann: node 0 must appear once"),
    "zero GPUs of a node": (
        [Start(1, ((0, 1), (1, 0)))],
        "job bob: node 1 must appear once, with whole GPUs, at least",
    ),
    "negative GPUs": ([Start(1, ((0, 2), (1, -1)))], "job bob: node 1 must appear once, with whole GPUs, at least 1"),
    "part of a GPU": ([Start(1, ((0, 1.5),))], "job bob: node 0 must appear once, with whole GPUs"),
    "GPUs that are no number": ([Start(1, ((0, float("nan")),))], "job bob: node 0 must appear once, with whole GPUs"),
    "node between two": ([Start(0, ((0.5, 2),))], "job ann: there is no node 0.5"),
    "unknown job": ([Start(9, ((0, 1),))], "no job 9"),
    "negative job": ([Stop(-1)], "no job -1"),
    "job by its name": ([Stop("ann")], "no job 'ann'"),
    "waiting job stopped": ([Stop(1)], "job bob .*not running"),
    "wake now": ([Wake(0.0)], "wake at 0.0"),
    "wake at no number": ([Wake(float("nan"))], "wake at nan"),
    "wake at no time": ([Wake(float("inf"))], "wake at inf"),
    "not a decision": (["start everything"], "'start everything' is not a decision"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_decision(case):
    decisions, message = BAD[case]
    with pytest.raises(DecisionError, match=message) as caught:
        play(decisions)
    assert "scripted" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_stop_of_a_finished_job():
    with pytest.raises(DecisionError, match=r"job ann .*not running"):
        play([Start(0, ((0, 2),))], [Stop(0)])


def test_scheduler_that_never_starts():
    with pytest.raises(DecisionError, match="job ann waits and nothing runs"):
        play([])


def test_job_taken_out_by_hand_moves():
    run = play(
        [Start(0, ((0, 2),)), Start(1, ((1, 1),)), Wake(1.0)],
        [Stop(1), Start(1, ((1, 1),)), Stop(0), Start(0, ((0, 2),))],
        [],
        [Start(2, ((0, 1),))],
    )
    assert times(run) == [(0, 4), (0, 4), (5, 6)]
    assert run.restarts.tolist() == [1, 1, 0]


@pytest.mark.parametrize("compiled", [True, False])
def test_job_larger_than_the_cluster(compiled):
    jobs = jobs_of([(0, 1, 1), (0, 5, 1)], job_id=["small", "giant"])
    with pytest.raises(InputError, match=r"giant.* 5 GPUs.* 4"):
        simulate(jobs, Cluster.of([2, 2]), Fifo(), Cost(), compiled=compiled)


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"quantum": -1.0}, "quantum"),
        ({"quantum": np.nan}, "quantum"),
        ({"whole_slots": True}, "quantum"),
        ({"restart_s": -1.0}, "restart_s"),
        ({"restart_s": np.inf}, "restart_s"),
        ({"until_s": 0.0}, "until_s"),
        ({"until_s": -1.0}, "until_s"),
        ({"until_s": np.nan}, "until_s"),
        ({"conventions": Conventions(origin_s=-1.0)}, "origin_s"),
        ({"conventions": Conventions(tick_s=np.nan)}, "tick_s"),
    ],
)
def test_options_out_of_range(options, culprit):
    with pytest.raises(InputError, match=culprit):
        simulate(jobs_of(ROWS), Cluster.of([2, 2]), Fifo(), Cost(), **options)


@pytest.mark.parametrize("levels", [(5.0, 5.0), (0.0,), (9.0, 2.0), (float("nan"),)])
def test_levels_out_of_order(levels):
    with pytest.raises(InputError, match="levels"):
        simulate(jobs_of(ROWS), Cluster.of([2, 2]), Las(levels=levels), Cost())


def test_unknown_placement():
    with pytest.raises(InputError, match=r"placement: must be one of any, pack.*found 'tight'"):
        simulate(jobs_of(ROWS), Cluster.of([2, 2]), Fifo(placement="tight"), Cost())


def test_decisions_alone_cannot_run_compiled():
    with pytest.raises(InputError, match="scripted declares no discipline"):
        simulate(jobs_of(ROWS), Cluster.of([2, 2]), Scripted(), Cost(), compiled=True)
