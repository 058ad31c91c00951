"""Who is unpredictable, and what is believed."""

import numpy as np
import pytest

from rarlib.arena.workload import Workload, forecast, predictable_jobs
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs


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


@pytest.mark.parametrize(("error", "share"), [(-0.1, None), (float("nan"), None), (0.1, 1.1), (0.1, -0.1)])
def test_nonsense_is_refused(error, share):
    with pytest.raises(InputError, match=r"error|unpredictable"):
        forecast(workload(), error, "toy", 1, share)
