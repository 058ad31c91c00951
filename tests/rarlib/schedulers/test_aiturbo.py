"""AITurbo: structure of its order and of its moves, and small cases by hand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.parameter_server.workload import NO_SWITCH, PsJobs
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.schedulers.aiturbo import Aiturbo
from rarlib.simulator.engine import simulate
from tests.rarlib.cost.goodput.conftest import GRADIENTS, steps
from tests.rarlib.schedulers.unified_cases import CLUSTER, allocations, random_jobs, rigid, run


class Watched(Aiturbo):
    """Notes the most service attained of those that run, and the least of those that wait, at every pass."""

    def decide(self, view):
        started = list(super().decide(view))
        jobs = np.concatenate([view.running_rows, view.waiting_rows])
        runs, service = self._held.tasks[jobs].any(axis=1), self._held.service[jobs]
        self.seen = [*getattr(self, "seen", []), (service[runs].max(initial=0.0), service[~runs].min(initial=np.inf))]
        return started


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_without_predictable_jobs_least_attained_service_runs(seed):
    """Equal requests: at every pass those that run have attained no more than those that wait."""
    own, submit_s = random_jobs(seed, 10, unpredictable=1.0, on_cpu=0.0)
    own = replace(own, switch=np.full(10, NO_SWITCH), workers=np.full(10, 2), servers=np.full(10, 1))
    scheduler = Watched()
    run(scheduler, own, submit_s)
    assert all(most <= least + 1e-6 for most, least in scheduler.seen)


def test_attained_service_counts_ten_for_a_gpu_and_five_for_a_task():
    own = PsJobs.build(["resnet50", "vgg11"], 1.0, [2, 1], [2, 2], on_cpu=[False, True], switch=NO_SWITCH).lasting(
        [600, 600]
    )
    scheduler = Aiturbo()
    found = run(scheduler, own, np.zeros(2))
    assert found.turnaround_s == pytest.approx([600, 600])
    assert scheduler._held.service == pytest.approx([600 * (2 * 10 + 4 * 5), 600 * 3 * 5])


def test_strict_rule_moves_by_one_task_to_where_service_is_least():
    """Alone, strictly by resource-time: one move a round, and in the end no single move saves anything."""
    own = PsJobs.build(["vgg19"], 1.0, [2], [1]).lasting([40_000.0])
    found = run(Aiturbo(leftover=False), own, np.zeros(1))
    path = allocations(found, 0)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in pairwise(path))
    table, weights = own.predicted_step_s()[0], np.array([15.0, 5.0, 5.0])

    def product(gpus, slots):
        return table[gpus, 0, slots] * (gpus * weights[0] + slots * weights[2]) if gpus and slots else np.inf

    gpus, slots = path[-1]
    around = [(gpus + a, slots + b) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)) if gpus + a <= 4]
    assert all(product(gpus, slots) <= product(*x) + 1e-9 for x in around)


def test_leftover_uses_the_idle_cluster():
    """Where nobody waits, a predictable job runs as fast as any allocation makes it."""
    own = PsJobs.build(["googlenet"], 1.0, [1], [1]).lasting([10_000.0])
    strict, full = (run(Aiturbo(leftover=each), own, np.zeros(1)).makespan_s for each in (False, True))
    table = own.predicted_step_s()[0]
    fastest = own.steps[0] * table[: CLUSTER.total_gpus + 1, 0, :9].min()
    assert full == pytest.approx(fastest, rel=1e-6)
    assert strict > 1.2 * full


def test_aiturbo_needs_parameter_servers():
    with pytest.raises(InputError, match="parameter servers"):
        simulate(rigid([1], [10.0]), Cluster.of([1]), Aiturbo(), TraceCost())


def adaptive_jobs(durations, gpus=2):
    n = len(durations)
    return Jobs.build(
        submit_s=np.zeros(n), gpus=np.full(n, gpus), duration_s=durations, application=["bert"] * n, batch_size=[24] * n
    )


def play_adaptive(scheduler, jobs, predictable, spec="t4:1x4"):
    rows = {("bert", "t4"): steps(), ("bert", "rtx"): steps(0.5, largest=24)}
    profiles = Profiles(rows, {"bert": GRADIENTS}, {"standin": False, "profiles": {}})
    told = Forecast(np.ones(len(jobs)), np.full(len(jobs), predictable))
    return simulate(jobs, Cluster.parse(spec), scheduler, GoodputCost(profiles, recorded=True), forecast=told)


def test_adaptive_jobs_that_nobody_can_predict_go_by_attained_service():
    """They keep the gang they asked for, and whoever runs has attained no more than whoever waits."""
    scheduler = Watched()
    found = play_adaptive(scheduler, adaptive_jobs([3000.0, 900.0, 2000.0, 500.0, 4000.0]), False)
    assert all(most <= least + 1e-6 for most, least in scheduler.seen)
    assert set(found.alloc_gpus.tolist()) == {2}
