"""Jobs and what is predicted of them: limits are checked, errors are of the size stated, tables agree with formulas."""

import numpy as np
import pytest

from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.speed import step_s
from rarlib.cost.parameter_server.workload import MAX_SERVERS, MAX_WORKERS, PsJobs
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream


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
    """Each limit of the source, naming the job."""
    with pytest.raises(InputError, match=rule):
        PsJobs.build(**{"names": ["resnet50", "vgg11"], "steps": 10.0, **given})


def test_the_table_of_predictions_is_the_formula_where_a_job_can_run():
    """One entry in the wrong place sends a job there."""
    jobs = PsJobs.build(["resnet50", "alexnet"], [10, 20], on_cpu=[False, True])
    table, hybrid = jobs.predicted_step_s(), jobs.predicted_step_s(hybrid=True)
    assert table.shape == (2, MAX_WORKERS + 1, MAX_WORKERS + 1, MAX_SERVERS + 1)
    for (job, gpu, cpu, servers), found in np.ndenumerate(hybrid):
        model = models()[jobs.model[job]]
        expected = step_s(model.theta, model.batch, gpu, cpu, servers, model.slowdown)
        assert found == (expected if gpu + cpu <= MAX_WORKERS else np.inf)
        pure = cpu == 0 if job == 0 else gpu == 0
        assert table[job, gpu, cpu, servers] == (found if pure else np.inf)


def test_prediction_errors_are_as_large_as_stated():
    """The mean of |exp(e z) - 1| is about 0.8 e; guesses scatter by their own width."""
    jobs = PsJobs.build(["vgg11"] * 4000, 100.0)
    wrong = jobs.mispredicted(stream(1, "test"), error=0.1, guess=1.0)
    off = np.abs(wrong.predicted_steps / 100.0 - 1.0)
    assert off.mean() == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.05)
    assert np.log(wrong.guessed_steps / 100.0).std() == pytest.approx(1.0, rel=0.05)
    ratio = wrong.predicted_theta[:, [0, 2]] / wrong.theta[:, [0, 2]]
    assert np.log(ratio).std(axis=0) == pytest.approx([0.1, 0.1], rel=0.05)
    np.testing.assert_array_equal(wrong.theta, jobs.theta)
    np.testing.assert_array_equal(wrong.steps, jobs.steps)
