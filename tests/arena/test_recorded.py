"""The trace replay on a schedule that can be solved on paper."""

import pytest

from rarlib.arena.figures.recorded import jct_and_queueing, recorded_summary
from rarlib.arena.recorded import replay
from rarlib.model.jobs import Jobs
from rarlib.records.tidy import TIDY_COLUMNS


@pytest.fixture(scope="module")
def frame():
    # One node of 2 GPUs. Job 0 holds both for 10 s; job 1 (2 GPUs, 10 s) and job 2 (1 GPU, 1 s) arrive at 0 behind it.
    jobs = Jobs.build(submit_s=[0, 0, 0], gpus=[2, 2, 1], duration_s=[10, 10, 1])
    return replay("fifo", jobs, {"cluster": "1x2", "seed": 0, "restart_s": 0})


def value(frame, metric):
    return float(frame[frame["metric"] == metric]["value"].iloc[0])


def test_summary_by_hand(frame):
    """FIFO: finishes at 10, 20, 21, so JCT means 17; queueing 0, 10, 20; 41 GPU-seconds of 42."""
    assert list(frame.columns) == TIDY_COLUMNS
    assert value(frame, "jct_mean_s") == pytest.approx(17)
    assert value(frame, "jct_median_s") == 20
    assert value(frame, "queue_mean_s") == pytest.approx(10)
    assert value(frame, "queued_ratio") == pytest.approx(2 / 3)
    assert value(frame, "makespan_s") == 21
    assert value(frame, "utilisation_ratio") == pytest.approx(41 / 42)


def test_figure_shows_the_mean_split_into_waiting_and_running(frame):
    """The pale bar ends where the mean JCT is, the full one where the mean wait is."""
    axes = jct_and_queueing(frame).axes
    waiting, running = axes[1].patches[:2]
    assert waiting.get_width() * 3600 == pytest.approx(10)
    assert (running.get_x() + running.get_width()) * 3600 == pytest.approx(17)
    assert recorded_summary(frame).loc["fifo", "utilisation (%)"] == pytest.approx(97.62)
