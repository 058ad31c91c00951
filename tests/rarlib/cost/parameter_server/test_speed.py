"""Step times, their fits and predictions: by hand, recovery of known coefficients, and what no fit may do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.speed import fit_speed, step_s
from rarlib.cost.parameter_server.workload import MAX_SERVERS, MAX_WORKERS, PsJobs
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream

THETA = (0.01, 0.2, 0.5, 0.03, 0.04)
TASKS = [(w, p) for w in (1, 2, 3, 4) for p in (1, 2, 5)]
theta = st.tuples(st.floats(1e-4, 0.1), *[st.floats(0.0, 1.0)] * 4)


def test_optimus_equation_by_hand():
    # 0.01 * 60 / 3 + 0.2 + 0.5 * 3 / 2 + 0.03 * 3 + 0.04 * 2
    assert step_s(THETA, 60, 3, 0, 2, 10.0) == pytest.approx(0.2 + 0.2 + 0.75 + 0.09 + 0.08)
    # One kind of worker: both terms of the pass are slower by the slow-down.
    assert step_s(THETA, 60, 0, 3, 2, 10.0) == pytest.approx(4.0 + 0.75 + 0.09 + 0.08)


@given(theta)
def test_a_fit_finds_the_coefficients_behind_exact_times(coefficients):
    """Predictions, not coefficients, are what counts: some terms are alike on few points."""
    workers, servers = np.array(TASKS).T
    seconds = step_s(coefficients, 64, workers, 0, servers, 1.0)
    fitted = fit_speed(workers, servers, 64, seconds)
    np.testing.assert_allclose(step_s(fitted, 64, workers, 0, servers, 1.0), seconds, rtol=1e-6)


@given(st.lists(st.floats(0.01, 100.0), min_size=5, max_size=5), st.integers(1, 64), st.integers(1, 64))
def test_no_fit_promises_a_negative_time(seconds, w, p):
    """Least squares without bounds do, away from the points; whatever was measured, these must not."""
    workers, servers = np.array(TASKS[:5]).T
    fitted = fit_speed(workers, servers, 64, seconds)
    assert (fitted >= 0).all()
    assert step_s(fitted, 64, w, 0, p, 1.0) >= 0 or w > 64


@pytest.mark.parametrize(
    ("workers", "seconds", "rule"),
    [
        ([1, 2, 1, 2], [1, 2, 3, 4], "fit of 5 terms needs as many different .* found 4"),
        ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1], "found 4"),
        ([1, 2, 1, 2, 3], [1, 2, 0, 4, 1], "field seconds: a fit needs positive step times"),
        ([1, 2, 1, 0, 3], [1, 2, 1, 4, 1], "at least one worker"),
    ],
)
def test_bad_measurements_are_refused(workers, seconds, rule):
    servers = [1, 1, 2, 2, 3][: len(workers)] if len(set(workers)) > 1 else [1, 2, 3, 4, 4]
    with pytest.raises(InputError, match=rule):
        fit_speed(workers, servers, 64, seconds)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"workers": [1, 5]}, "field workers: job 1 must have 1 to 4, found 5"),
        ({"servers": 0}, "field servers: job 0 must have 1 to 10, found 0"),
        ({"steps": [10, 0]}, "field steps: job 1 must have"),
        ({"switch": -0.5}, "field switch: job 0 must have 0 to inf"),
        ({"names": ["resnet50", "lenet"]}, "unknown model 'lenet'"),
    ],
)
def test_what_no_job_can_be_is_refused(given, rule):
    with pytest.raises(InputError, match=rule):
        PsJobs.build(**{"names": ["resnet50", "vgg11"], "steps": 10.0, **given})


def test_the_table_of_predictions_is_the_formula_where_a_job_can_run():
    """One entry in the wrong place sends a job there."""
    jobs = PsJobs.build(["resnet50", "alexnet"], [10, 20], on_cpu=[False, True])
    table = jobs.predicted_step_s()
    assert table.shape == (2, MAX_WORKERS + 1, MAX_WORKERS + 1, MAX_SERVERS + 1)
    for (job, gpu, cpu, servers), found in np.ndenumerate(table):
        model = models()[jobs.model[job]]
        expected = step_s(model.theta, model.batch, gpu, cpu, servers, model.slowdown)
        pure = cpu == 0 if job == 0 else gpu == 0
        assert found == (expected if pure and gpu + cpu <= MAX_WORKERS else np.inf)


def test_prediction_errors_are_as_large_as_stated():
    """The mean of |exp(e z) - 1| is about 0.8 e; guesses scatter by their own width."""
    jobs = PsJobs.build(["vgg11"] * 4000, 100.0)
    wrong = jobs.mispredicted(stream(1, "test"), error=0.1)
    off = np.abs(wrong.predicted_steps / 100.0 - 1.0)
    assert off.mean() == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.05)
    assert np.log(wrong.guessed_steps / 100.0).std() == pytest.approx(1.0, rel=0.05)
    ratio = wrong.predicted_theta[:, [0, 2]] / wrong.theta[:, [0, 2]]
    assert np.log(ratio).std(axis=0) == pytest.approx([0.1, 0.1], rel=0.05)
    np.testing.assert_array_equal(wrong.theta, jobs.theta)
    np.testing.assert_array_equal(wrong.steps, jobs.steps)
