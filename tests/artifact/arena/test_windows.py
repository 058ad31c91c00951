"""Which jobs of a trace a window holds, who is unpredictable, and what is believed."""

import numpy as np
import pytest

from artifact.arena.windows import as_arrays, cleaned, families, starts_of
from artifact.arena.workload import Workload, forecast, predictable_jobs
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs


def test_sources_that_differ_in_a_last_number_are_one_family():
    files = ["sia-philly-4", "sia-philly-2", "sia-rate-10-6", "pollux-2", "sia-physical"]
    found = families(["philly-pollux", *files, "tiresias-60", "aiturbo", "unknown-2"])
    assert found == {
        "philly-pollux": ["philly-pollux"],
        "sia-philly": ["sia-philly-4", "sia-philly-2"],
        "sia-rate-10": ["sia-rate-10-6"],
        "pollux": ["pollux-2"],
        "sia-physical": ["sia-physical"],
        "tiresias-60": ["tiresias-60"],
        "aiturbo": ["aiturbo"],
        "unknown-2": ["unknown-2"],
    }


def test_a_window_never_leaves_the_trace_nor_overlaps_another():
    """Starts at 10, 5, 15, 2.5, ... of 20 jobs; the last window of 8 starts at 12 and overlaps the first."""
    submit = np.arange(21.0)
    assert starts_of(3, submit, 8) == [10, 2]
    assert starts_of(4, submit, 30) == [0]
    for jobs in (1, 3, 5, 8):
        found = starts_of(50, submit, jobs)
        rows = [row for first in found for row in range(first, first + jobs)]
        assert len(set(rows)) == len(rows) and max(rows) <= 20


def test_what_is_dropped_is_counted_once():
    """In this order: short, kept, huge (and long), long, kept (24 h to the second)."""
    gpus, duration = [1, 1, 64, 1, 2], [59.0, 60.0, 90_000.0, 86_401.0, 86_400.0]
    jobs = Jobs.build(submit_s=[0, 10, 20, 30, 40], gpus=gpus, duration_s=duration)
    kept, dropped = cleaned(jobs, "toy")
    assert kept.duration_s.tolist() == [60.0, 86_400.0]
    assert kept.submit_s.tolist() == [0.0, 30.0]
    assert dropped == {"no_gpu": 0, "short": 1, "huge": 1, "long": 1}
    with pytest.raises(InputError, match="toy: no job lasts"):
        cleaned(jobs.take([0]), "toy")


def test_jobs_of_the_study_are_drawn_once_and_keep_their_label(made):
    windows = [as_arrays(window["jobs"]) for window in made.data["traces"]["aiturbo"]["windows"]]
    rows = np.concatenate([window["job_id"] for window in windows])
    assert len(set(rows)) == len(rows) == 80
    unpredictable = ~np.concatenate([window["predictable"] for window in windows])
    assert 0 < unpredictable.sum() < 40
    # In the study they end early: medians of 470 s and 8,970 s.
    duration = np.concatenate([window["duration_s"] for window in windows])
    assert np.median(duration[unpredictable]) < 0.5 * np.median(duration[~unpredictable])


def workload(n=500):
    jobs = Jobs.build(submit_s=np.arange(n), gpus=np.ones(n), duration_s=60.0 + np.arange(n))
    return Workload(jobs, predictable_jobs(n, 0.15, "toy", 1))


def test_the_share_is_exact_and_shares_are_nested():
    few, more = (~predictable_jobs(80, share, "toy", 1) for share in (0.15, 0.5))
    assert (few.sum(), more.sum()) == (12, 40)
    assert (more | ~few).all()
    assert predictable_jobs(80, 0.0, "toy", 1).all() and not predictable_jobs(80, 1.0, "toy", 1).any()


def test_errors_are_log_normal_and_share_their_draws():
    given = workload(4000)
    small, large = (np.log(forecast(given, error, "toy", 1, 0.0)[0]) for error in (0.25, 1.0))
    np.testing.assert_allclose(large, 4 * small, rtol=1e-9)
    assert abs(np.median(large)) < 0.08 and abs(large.std() - 1.0) < 0.05


def test_unpredictable_jobs_are_believed_to_be_typical():
    given = workload()
    factor, trusted = forecast(given, 0.3, "toy", 1)
    believed = (factor * given.jobs.duration_s)[~trusted]
    np.testing.assert_allclose(believed, np.median(given.jobs.duration_s), rtol=1e-12)
    assert len(believed) == 75
