"""What jobs with parameter servers may get and what they asked for, job by job from the docstrings."""

import numpy as np
import pytest

from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.speed import step_s
from rarlib.cost.parameter_server.training import ParameterServerTraining
from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.model.cluster import Cluster

CLUSTER = Cluster.parse("gpu:2x4,cpu:2x12")
NAMES = ["resnet50", "vgg11", "resnet50", "inception4", "alexnet"]
WORKERS, SERVERS, ON_CPU = [1, 3, 2, 4, 2], [1, 2, 3, 1, 2], [False, True, False, True, False]


def workload():
    return PsJobs.build(NAMES, [10.0, 20.0, 30.0, 40.0, 50.0], WORKERS, SERVERS, on_cpu=ON_CPU)


@pytest.mark.parametrize("hybrid", [False, True])
def test_admitted_jobs(hybrid):
    """GPUs for workers on GPUs, task slots for servers and workers on CPUs; a hybrid may do without any GPU."""
    own = workload()
    cost = ParameterServerCost(own, hybrid)
    admitted = cost.admit(own.table(np.zeros(5)), CLUSTER)
    prices = cost.price(admitted, CLUSTER)
    for job, (name, workers, servers, on_cpu) in enumerate(zip(NAMES, WORKERS, SERVERS, ON_CPU, strict=True)):
        model = next(each for each in models() if each.name == name)
        gpus = 0 if on_cpu else workers
        tasks = (0 if on_cpu else workers, workers if on_cpu else 0)
        seconds = step_s(model.theta, model.batch, *tasks, servers, model.slowdown)
        assert admitted.gpus[job] == gpus
        assert admitted.min_gpus[job] == (0 if hybrid or on_cpu else 1)
        assert admitted.max_gpus[job] == (0 if on_cpu and not hybrid else own.most_workers)
        assert admitted.cpu_tasks[job] == servers + (workers if on_cpu else 0)
        assert admitted.duration_s[job] == pytest.approx(10.0 * (job + 1) * seconds)
        assert prices.base_s[job] == pytest.approx(seconds)
        assert prices.work[job] == 10.0 * (job + 1)
        assert prices.restart_s[job] == model.checkpoint_s


def test_what_users_asked_for():
    """GPU workers, CPU workers and servers in this order, a row for each job that is asked about."""
    own = workload()
    prices = ParameterServerCost(own).price(own.table(np.zeros(5)), CLUSTER)
    training = ParameterServerTraining(own, CLUSTER, prices, hybrid=False)
    asked = training.requested(np.array([3, 0, 1, 4]))
    assert asked.tolist() == [[0, 4, 1], [1, 0, 1], [0, 3, 2], [2, 0, 2]]
