"""AITurbo, Tiresias, Optimus and fixed requests on GPUs and CPU task slots: structure, and small cases by hand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.goodput.training import GoodputTraining
from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.workload import NEVER, PsJobs
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.aiturbo import Aiturbo
from rarlib.schedulers.feedback.growth import Growth
from rarlib.schedulers.optimus import Optimus
from rarlib.schedulers.requested import Requested
from rarlib.schedulers.tiresias import Tiresias
from rarlib.simulator.engine import simulate

quick = settings(derandomize=True, database=None, deadline=None, max_examples=10)
CLUSTER = Cluster.parse("gpu:2x2,cpu:2x4")
NAMES = ("vgg11", "resnet50", "resnet152", "googlenet", "alexnet", "inception4")


def random_jobs(seed, n, *, unpredictable=0.5, on_cpu=0.2):
    rng = stream(seed, "test-unified")
    own = PsJobs.build(
        rng.choice(NAMES, n).tolist(),
        1.0,
        rng.integers(1, 4, n),
        rng.integers(1, 4, n),
        on_cpu=rng.random(n) < on_cpu,
        switch=np.where(rng.random(n) < unpredictable, rng.choice([0.4, NEVER], n), 0.0),
    )
    own = own.lasting(rng.exponential(2000.0, n) + 60.0).mispredicted(rng, 0.1, 1.0)
    return own, np.sort(rng.uniform(0, 4000.0, n))


def run(scheduler, own, submit_s, *, hybrid=False, cluster=CLUSTER, **options):
    return simulate(own.table(submit_s), cluster, scheduler, ParameterServerCost(own, hybrid), **options)


@pytest.mark.parametrize("make", [
    Aiturbo, lambda: Aiturbo(leftover=False), lambda: Aiturbo(objective="time", inside="arrival"),
    Optimus, Tiresias, lambda: Tiresias(index="gittins", promote=2.0, tick=240.0),
    Requested, lambda: Requested("remaining"), lambda: Requested(at_once=2),
])  # fmt: skip
@quick
@given(seed=st.integers(0, 10**6), hybrid=st.booleans())
def test_every_job_ends_and_its_record_is_consistent(make, seed, hybrid):
    """`simulate` checks capacity and gangs at every interval and refuses impossible decisions."""
    own, submit_s = random_jobs(seed, 12)
    found = run(make(), own, submit_s, hybrid=hybrid, seed=seed)
    assert found.finished.all()
    assert found.work_done == pytest.approx(own.steps)


def test_same_inputs_same_schedule():
    own, submit_s = random_jobs(1, 20)
    first, second = (run(Aiturbo(), own, submit_s).finish_s for _ in range(2))
    assert first.tolist() == second.tolist()


@quick
@given(st.integers(0, 10**6))
def test_without_predictable_jobs_least_attained_service_runs(seed):
    """Equal requests: at every pass those that run have attained no more than those that wait."""
    own, submit_s = random_jobs(seed, 10, unpredictable=1.0, on_cpu=0.0)
    own = replace(own, switch=np.full(10, NEVER), workers=np.full(10, 2), servers=np.full(10, 1))
    seen = []

    class Watched(Aiturbo):
        def decide(self, view):
            started = list(super().decide(view))
            jobs = np.concatenate([view.running_rows, view.waiting_rows])
            runs = self._held.tasks[jobs].any(axis=1)
            service = self._held.service[jobs]
            seen.append((service[runs].max(initial=0.0), service[~runs].min(initial=np.inf)))
            return started

    run(Watched(), own, submit_s)
    assert all(most <= least + 1e-6 for most, least in seen)


def test_attained_service_counts_ten_for_a_gpu_and_five_for_a_task():
    own = PsJobs.build(["resnet50", "vgg11"], 1.0, [2, 1], [2, 2], on_cpu=[False, True], switch=NEVER).lasting(
        [600, 600]
    )
    scheduler = Aiturbo()
    found = run(scheduler, own, np.zeros(2))
    assert found.turnaround_s == pytest.approx([600, 600])
    assert scheduler._held.service == pytest.approx([600 * (2 * 10 + 4 * 5), 600 * 3 * 5])


def allocations(found, job):
    """(GPUs, CPU task slots) over time."""
    is_gpu = found.cluster.is_gpu[found.alloc_node]
    times = sorted(set(found.alloc_start[found.alloc_job == job].tolist()))
    mine = [(found.alloc_job == job) & (found.alloc_start == t) for t in times]
    return [(int(found.alloc_gpus[m & is_gpu].sum()), int(found.alloc_gpus[m & ~is_gpu].sum())) for m in mine]


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


def test_a_job_turns_predictable_while_it_runs_and_then_moves():
    own = PsJobs.build(["googlenet"], 1.0, [1], [1], switch=0.5).lasting([4800.0])
    found = run(Aiturbo(), own, np.zeros(1))
    path = allocations(found, 0)
    assert path[0] == (1, 1)
    assert path[-1][0] > 1
    assert found.alloc_start.max() == pytest.approx(2400.0)


def test_unpredictable_jobs_keep_what_was_asked_for():
    own = PsJobs.build(["googlenet"], 1.0, [2], [3], switch=NEVER).lasting([4800.0])
    assert allocations(run(Aiturbo(), own, np.zeros(1)), 0) == [(2, 3)]


def test_hybrid_gives_a_cpu_job_a_gpu():
    """A GPU is charged less than the job becomes faster by it, so a job on CPUs takes one when it may."""
    own = PsJobs.build(["resnet50"], 1.0, [1], [1], on_cpu=True).lasting([20_000.0])
    alone, mixed = (run(Aiturbo(leftover=False), own, np.zeros(1), hybrid=each) for each in (False, True))
    assert max(gpus for gpus, _ in allocations(alone, 0)) == 0
    assert allocations(mixed, 0)[-1][0] >= 1
    assert mixed.makespan_s < alone.makespan_s


def marginal(times, room, shares):
    """Tasks handed out one by one by the largest gain per share, as Optimus has it, until one does not fit."""
    tasks = {j: [1, 1] for j in range(len(times))}
    while True:
        best = (0.0, None)
        for j, (w, s) in tasks.items():
            for role, (a, b) in enumerate(((w + 1, s), (w, s + 1))):
                if a < times.shape[1] and b < times.shape[2] and np.isfinite(times[j, a, b]):
                    gain = (times[j, w, s] - times[j, a, b]) / shares[role]
                    if gain > best[0]:
                        best = (gain, (j, role))
        if best[1] is None or room[best[1][1]] < 1:
            return [tasks[j] for j in range(len(times))]
        tasks[best[1][0]][best[1][1]] += 1
        room[best[1][1]] -= 1


@quick
@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(0, 12))
def test_optimus_hands_out_tasks_by_marginal_gain(seed, gpus, slots):
    own, _ = random_jobs(seed, 5, on_cpu=0.0)
    times = np.asarray(own.steps[:, None, None] * own.predicted_step_s()[:, :, 0, :])
    size = np.array([gpus + 5, slots + 5])
    grown = Growth(times, np.zeros(5, np.int64)).grow(
        np.tile([1, 0, 1], (5, 1)), np.array([gpus, slots]), size, blocks=True
    )
    assert grown[:, [0, 2]].tolist() == marginal(times, [gpus, slots], 1.0 / size)


def test_optimus_acts_in_rounds_only():
    own, submit_s = random_jobs(3, 8)
    own = own.lasting(np.full(8, 20_000.0))  # so that the cluster is never idle, which would begin a round
    found = run(Optimus(tick=300.0), own, submit_s)
    assert found.alloc_start % 300.0 == pytest.approx(0.0, abs=1e-6)


def rigid(gpus, durations, submit_s=None):
    submit = np.zeros(len(gpus)) if submit_s is None else submit_s
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=durations)


def intervals(found, job):
    mine = found.alloc_job == job
    return sorted(zip(found.alloc_start[mine].tolist(), found.alloc_end[mine].tolist(), strict=True))


def test_tiresias_demotes_at_the_threshold_and_serves_the_higher_queue():
    """Job 0 is demoted after 100 GPU-s, job 1 after its own 100; then the queue that job 0 entered first decides."""
    found = simulate(rigid([1, 1], [250.0, 150.0]), Cluster.of([1]), Tiresias(thresholds=(100.0,)), TraceCost())
    assert intervals(found, 0) == [(0.0, 100.0), (200.0, 350.0)]
    assert intervals(found, 1) == [(100.0, 200.0), (350.0, 400.0)]


def test_tiresias_counts_gpus_times_seconds():
    found = simulate(
        rigid([2, 1], [250.0, 50.0], [0.0, 10.0]), Cluster.of([2]), Tiresias(thresholds=(100.0,)), TraceCost()
    )
    assert intervals(found, 0) == [(0.0, 50.0), (100.0, 300.0)]


def test_tiresias_with_servers_on_gpus():
    """Two jobs of one worker and two servers on 4 GPUs: side by side, unless servers keep GPUs, too."""
    own = PsJobs.build(["resnet50"] * 2, 1.0, [1, 1], [2, 2]).lasting([500.0, 500.0])
    for kept, starts in ((False, [0, 0]), (True, [0, 500])):
        found = run(Tiresias(servers_on_gpus=kept), own, np.zeros(2))
        assert found.start_s == pytest.approx(starts)


def test_tiresias_stops_nobody_for_a_job_of_the_same_queue():
    jobs = rigid([1, 1, 1], [500.0, 400.0, 300.0], [0.0, 10.0, 20.0])
    found = simulate(jobs, Cluster.of([1]), Tiresias(thresholds=(1e9,)), TraceCost())
    assert found.restarts.tolist() == [0, 0, 0]
    assert found.finish_s.tolist() == [500.0, 900.0, 1200.0]


def test_tiresias_promotes_who_has_waited_as_long_as_it_has_run():
    """Job 0 is demoted after 100 s, a job of 90 s comes every 90 s. With a knob of 1 it is lifted after 100 s more."""
    jobs = rigid([1] * 6, [200.0, *[90.0] * 5], [0.0, *np.arange(50.0, 411.0, 90.0)])
    starved, lifted = (
        simulate(jobs, Cluster.of([1]), Tiresias(thresholds=(100.0,), promote=knob), TraceCost()) for knob in (0.0, 1.0)
    )
    assert intervals(starved, 0) == [(0.0, 100.0), (550.0, 650.0)]
    # At 200 s it enters the first queue; job 2 runs until 280 s, and jobs that come later stand behind it.
    assert intervals(lifted, 0) == [(0.0, 100.0), (280.0, 380.0)]


def test_gittins_prefers_the_job_that_is_likely_to_end():
    """Sizes are 100 or 1000 GPU-s: at 90 a job is about to end; one that has passed 100 has 1000 to go."""
    jobs = rigid([1, 1], [1000.0, 100.0], [0.0, 150.0])
    options = {"thresholds": (1e9,), "index": "gittins", "samples": (100.0,) * 9 + (1000.0,), "horizon": 0.0}
    found = simulate(jobs, Cluster.of([1]), Tiresias(**options), TraceCost())
    assert intervals(found, 1) == [(150.0, 250.0)]
    plain = simulate(jobs, Cluster.of([1]), Tiresias(thresholds=(1e9,)), TraceCost())
    assert intervals(plain, 1) == [(1000.0, 1100.0)]


def test_fixed_requests():
    own = PsJobs.build(["resnet50"] * 3, 1.0, [3, 2, 2], [1, 1, 1]).lasting([1000.0, 300.0, 100.0])
    submit_s = np.array([0.0, 1.0, 2.0])
    assert run(Requested(), own, submit_s).start_s == pytest.approx([0.0, 1000.0, 1000.0])
    assert run(Requested(at_once=1), own, submit_s).start_s == pytest.approx([0.0, 1000.0, 1300.0])
    # The job that ends first stops the others; two of 2 GPUs fit beside each other.
    assert run(Requested("remaining"), own, submit_s).start_s == pytest.approx([0.0, 1.0, 2.0])


@pytest.mark.parametrize(("make", "field"), [
    (lambda: Aiturbo(merge="x"), "merge"), (lambda: Requested("x"), "order"), (lambda: Tiresias(index="x"), "index"),
    (lambda: Tiresias(thresholds=(5.0, 5.0)), "thresholds"),
])  # fmt: skip
def test_options_out_of_range(make, field):
    with pytest.raises(InputError) as error:
        make()
    assert error.value.field == field


def test_aiturbo_needs_parameter_servers():
    with pytest.raises(InputError, match="parameter servers"):
        simulate(rigid([1], [10.0]), Cluster.of([1]), Aiturbo(), TraceCost())


def test_optimus_on_elastic_jobs():
    """Linear speed-up: one more GPU saves W / (g (g + 1)). Works of 100 and 400 s on 4 GPUs: 1 and 3."""
    jobs = Jobs.build(submit_s=[0, 0], gpus=[1, 1], duration_s=[100, 400], max_gpus=[4, 4])
    found = simulate(jobs, Cluster.of([4]), Optimus(), TraceCost())
    assert [int(found.alloc_gpus[(found.alloc_job == j) & (found.alloc_start == 0)].sum()) for j in (0, 1)] == [1, 3]


class Power(GoodputTraining):
    """Jobs whose goodput is a power of their GPUs, known from the start."""

    def __init__(self, cluster, prices):
        self.types, self.room, self.nodes = ("gpu",), cluster.gpus[:1], np.array([cluster.nodes])
        self.prices, self.cluster, self.asked = prices, cluster, []

    def begin(self, job, placement, variant, done):
        self.prices.unit[job] = sum(gpus for _, gpus in placement) ** 0.5

    def progressed(self, jobs):
        pass

    def goodputs(self, jobs, options, *, shared_limits=True):
        self.asked.append(options)
        return np.broadcast_to(options.gpus**0.5, (len(jobs), len(options.gpus)))


class PowerCost(TraceCost):
    def admit(self, jobs, cluster):
        return replace(jobs, max_gpus=np.full_like(jobs.gpus, 8))

    def train(self, jobs, cluster, prices, scheduler):
        return Power(cluster, prices)


def test_optimus_on_jobs_with_adaptive_batches():
    """Square roots: W (g^-1/2 - (g + 1)^-1/2) saved. Works of 100 and 1000 s on 8 GPUs, dealt one by one by hand."""
    jobs = Jobs.build(submit_s=[0, 0], gpus=[1, 1], duration_s=[100, 1000])
    held, work = [1, 1], np.array([100.0, 1000.0])
    for _ in range(6):
        saved = [w * (g**-0.5 - (g + 1) ** -0.5) for w, g in zip(work, held, strict=True)]
        held[int(np.argmax(saved))] += 1
    found = simulate(jobs, Cluster.of([4, 4]), Optimus(), PowerCost())
    assert [int(found.alloc_gpus[(found.alloc_job == j) & (found.alloc_start == 0)].sum()) for j in (0, 1)] == held
    assert held[1] > held[0] >= 1


def test_decisions_start_with_the_number_of_servers():
    own = PsJobs.build(["resnet50"], 1.0, [2], [3], switch=NEVER).lasting([100.0])
    seen = []

    class Watched(Aiturbo):
        def decide(self, view):
            for decision in super().decide(view):
                seen.append(decision)
                yield decision

    run(Watched(), own, np.zeros(1))
    start = next(d for d in seen if isinstance(d, Start))
    assert (start.variant, sum(count for _, count in start.placement)) == (3, 5)
