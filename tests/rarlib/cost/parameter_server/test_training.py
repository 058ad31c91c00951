"""Jobs with parameter servers through the simulator: true times, the moment of predictability, costs, refusals."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.speed import step_s
from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Decision, Start, Stop, Wake
from rarlib.model.errors import DecisionError, InputError
from rarlib.model.scheduler import View
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate
from tests.named import Named

CLUSTER = Cluster.parse("gpu:1x4,cpu:1x12")


@dataclass
class Script(Named):
    """Starts job 0 as told at each of the given times; notes then and at `looks` what is known of it."""

    uses_cpu: ClassVar[bool] = True

    tasks: dict[float, tuple[int, int, int]] = field(default_factory=lambda: {0.0: (1, 0, 1)})
    looks: list[float] = field(default_factory=list)
    seen: list[tuple[float, bool, float, float]] = field(default_factory=list)

    def decide(self, view: View) -> Iterable[Decision]:
        training = view.offers.tasks
        assert training is not None
        job, done = np.array([0]), view.work_done(np.array([0]))
        self.seen.append(
            (
                view.now_s,
                bool(training.predictable[0]),
                float(training.predicted_left(job, done)[0]),
                float(training.guessed_left(job, done)[0]),
            )
        )
        later = [at for at in (*self.tasks, *self.looks) if at > view.now_s]
        if view.now_s in self.tasks:
            if view.running:
                yield Stop(0)
            gpu, cpu, servers = self.tasks[view.now_s]
            yield Start(0, tuple((n, c) for n, c in enumerate((gpu, cpu + servers)) if c), variant=servers)
        if later:
            yield Wake(min(later))


def _run(jobs, script, **options):
    return simulate(jobs.table(np.zeros(len(jobs))), CLUSTER, script, ParameterServerCost(jobs, **options))


def test_a_job_takes_its_true_time_whatever_is_predicted():
    jobs = PsJobs.build(["resnet50"], 1000.0).mispredicted(stream(0, "test"), error=0.5)
    model = models()[jobs.model[0]]
    run = _run(jobs, Script({0.0: (2, 0, 3)}))
    assert run.makespan_s == pytest.approx(1000 * step_s(model.theta, model.batch, 2, 0, 3, model.slowdown))


def test_a_move_costs_the_checkpoint_and_changes_the_speed():
    """1000 s on one GPU, then two; in between the job saves and restores."""
    jobs = PsJobs.build(["vgg11"], 3000.0)
    model = models()[jobs.model[0]]
    one, two = (float(step_s(model.theta, model.batch, w, 0, 1, model.slowdown)) for w in (1, 2))
    run = _run(jobs, Script({0.0: (1, 0, 1), 1000.0: (2, 0, 1)}))
    assert run.makespan_s == pytest.approx(1000.0 + model.checkpoint_s + (3000.0 - 1000.0 / one) * two)


def test_a_job_turns_predictable_at_its_share_of_steps():
    """Before, a prediction must be withheld, and the guess is another number."""
    jobs = PsJobs.build(["resnet50"], 1000.0, switch=0.25).mispredicted(stream(0, "test"), error=0.1)
    seconds = float(jobs.requested_step_s()[0])
    script = Script({0.0: (1, 0, 1)}, looks=[249 * seconds, 251 * seconds])
    _run(jobs, script)
    (_, known, left, guess), early, turned, (_, *after) = script.seen[:4]
    assert turned[:2] == (pytest.approx(250 * seconds), True)  # schedulers are asked at once
    assert not known
    assert np.isnan(left)
    assert guess == pytest.approx(jobs.guessed_steps[0])
    assert not early[1]
    assert after == [True, pytest.approx(jobs.predicted_steps[0] - 251), pytest.approx(jobs.predicted_steps[0] - 251)]


def test_a_job_has_one_kind_of_worker():
    cpu = PsJobs.build(["googlenet"], 10.0, on_cpu=True)
    assert _run(cpu, Script({0.0: (0, 1, 1)})).makespan_s == pytest.approx(56.0)
    gpu = PsJobs.build(["googlenet"], 10.0)
    with pytest.raises(DecisionError, match="workers on GPUs only, 1 GPUs and 1 CPU task slots given"):
        _run(gpu, Script({0.0: (1, 1, 1)}))
    with pytest.raises(DecisionError, match="job 0"):
        _run(cpu, Script({0.0: (1, 0, 1)}))


@pytest.mark.parametrize(
    ("tasks", "rule"),
    [((1, 0, 0), "1 to 10 servers, 0 given"), ((1, 0, 11), "1 to 10 servers, 11 given"), ((0, 0, 3), "1 to 4 workers")],
)
def test_impossible_tasks_are_refused(tasks, rule):
    with pytest.raises(DecisionError, match=rule):
        _run(PsJobs.build(["googlenet"], 10.0, on_cpu=tasks[0] == 0), Script({0.0: tasks}))


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"application": ["alexnet"]}, "field application: job 0 has no model, or another one"),
        ({"cluster": "gpu:1x4,cpu:1x1"}, "job 0 asks for more CPU task slots than the cluster has"),
        ({"submit_s": [0, 1], "gpus": [1, 1], "duration_s": [1, 1]}, "has 2 jobs, the cost model 1"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(changed, rule):
    jobs = PsJobs.build(["googlenet"], 10.0, servers=2)
    cluster = Cluster.parse(changed.pop("cluster", "gpu:1x4,cpu:1x12"))
    columns = {"submit_s": [0], "gpus": [1], "duration_s": [1], "cpu_tasks": [2], "application": ["googlenet"]}
    columns = {**columns, **changed} if "submit_s" not in changed else changed
    table = type(jobs.table([0.0])).build(**columns)
    with pytest.raises(InputError, match=rule):
        simulate(table, cluster, Script(), ParameterServerCost(jobs))
