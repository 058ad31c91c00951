"""Sia's goodput, program and measures, and Gavel, against the computation by hand (`plain_sia`)."""

import csv
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from artifact.papers.sia.fairness import fairness_ratios, mean_jobs_present
from rarlib.allocate.nodes import configurations
from rarlib.cost.goodput.batch import NOTED, Bounds, best_batch
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.throughput import iteration_s
from rarlib.cost.trace import TraceCost
from rarlib.ilp.gavel.policies import max_sum_throughput
from rarlib.ilp.sia.decide import Decider
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.presets.sia import Case, measure, simulate_case
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.gavel import Priorities
from rarlib.schedulers.sia import Sia
from rarlib.simulator.engine import simulate
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources
from tests.rarlib.derived import plain_sia as plain

CLAIMS = {
    "test_goodput_of_a_job": [],
    "test_configurations_of_the_cluster": [],
    "test_one_round_of_sia": ["sia-110", "sia-190"],
    "test_program_of_gavel": ["sia-122", "sia-191"],
    "test_rounds_of_gavel": [],
    "test_completion_times_of_gavel": ["sia-180"],
    "test_measures_of_table_3": ["sia-111", "sia-112", "sia-113", "sia-114", "sia-115"],
    "test_fairness": ["sia-234", "sia-235", "sia-238"],
    "test_single_jobs_take_the_published_hours": [],
}
HOURS = {
    ("cifar10", "aws"): (1.98, 0.584, 0.239),
    ("cifar10", "dgx-ext"): (0.397, 0.075, 0.052),
    ("bert", "aws"): (4.54, 1.11, 0.441),
    ("deepspeech2", "aws"): (5.74, 1.67, 0.685),
    ("yolov3", "aws"): (10.85, 4.05, 3.21),
    ("imagenet", "aws"): (177.5, 50.5, 14.9),
}
"""Hours of one job alone with its best batch, computed from the artifact's profiles: 1, 4, 16 T4, or 1, 8, 16 A100."""
PLACES = {"aws": {"1": 1, "4": 4, "4444": 16}, "dgx-ext": {"1": 1, "8": 8, "88": 16}}
SLOWDOWN = {"cifar10": 1.8, "bert": 1.2, "deepspeech2": 1.2, "yolov3": 1.2, "imagenet": 1.2}


@pytest.mark.parametrize("seed", range(20))
def test_goodput_of_a_job(seed):
    """Seven parameters, gradient statistics, and the best of fifty batches."""
    random = Random(seed)
    p = [*(random.uniform(0.001, 0.3) for _ in range(6)), random.uniform(1, 6)]
    gradient = random.uniform(0.1, 1), random.uniform(0.1, 20)
    replicas = random.choice([1, 2, 4, 8, 16])
    nodes, first, most, least, largest = max(1, replicas // 4), 12, 384, 3, random.randint(12, 60)
    time = plain.iteration_time(p, nodes, replicas, 7, 2)
    assert iteration_s(np.array(p), nodes, replicas, 7, 2) == pytest.approx(time)
    by_hand = plain.best_goodput(p, gradient, nodes, replicas, first, most, least, largest)
    bounds = Bounds(first, max(first, least * replicas), most, least, largest)
    assert best_batch(np.array(p), *gradient, nodes, replicas, bounds, np.zeros(NOTED)) == pytest.approx(by_hand)


def stub(goodput, kinds, gpus, capacity, jobs):
    """What Sia's matrix reads of a run."""
    return SimpleNamespace(
        goodput=SimpleNamespace(
            goodputs=lambda rows, options, shared_limits: goodput, pipeline=np.ones((len(jobs), len(capacity)), int)
        ),
        restarts=SimpleNamespace(
            restarts=np.array([job["restarts"] for job in jobs]),
            believed_restart_s=np.array([job["cost"] for job in jobs]),
            restart_s=np.zeros(len(jobs)),
        ),
        options=SimpleNamespace(kind=kinds, gpus=gpus),
        kind=np.concatenate([kinds, np.arange(len(capacity))]),
        pools=SimpleNamespace(nodes=[[0]] * len(capacity), capacity=np.array(capacity)),
    )


@pytest.mark.parametrize("power", [-0.5, -1.0, 0.8])
@pytest.mark.parametrize("seed", range(10))
def test_one_round_of_sia(seed, power):
    """From goodputs to the decision: every entry of the matrix, then the program by trying every choice.

    With p > 0 the sum is maximised, which is the same as minimising it with the other sign.
    """
    random = Random(seed)
    kinds, gpus, capacity = np.array([0, 0, 0, 1, 1]), np.array([1, 2, 4, 1, 2]), (4, 3)
    jobs = [
        {"age": random.uniform(0, 900), "restarts": random.randint(0, 3), "cost": random.choice([30, 120])}
        for _ in range(5)
    ]
    goodput = np.array([[random.uniform(1, 9) * g**0.7 * random.choice([0, 1, 1]) for g in gpus] for _ in jobs])
    for first in (0, 3):  # every type is known
        goodput[:, first] = [random.uniform(1, 9) for _ in jobs]
    held = [random.choice([-1, *np.flatnonzero(row)]) for row in goodput]
    scheduler = Sia(p=power)
    scheduler._held = {j: SimpleNamespace(column=c, since_s=-np.inf) for j, c in enumerate(held) if c >= 0}
    table = [SimpleNamespace(row=j, submit_s=1000 - job["age"], adaptivity="adaptive") for j, job in enumerate(jobs)]
    problem = scheduler._problem(stub(goodput, kinds, gpus, capacity, jobs), table, 1000.0)
    rows = [
        plain.entries(row, now, job["age"], job["restarts"], job["cost"], power)
        for row, now, job in zip(goodput.tolist(), held, jobs, strict=True)
    ]
    sign = 1 if power < 0 else -1
    rows = [[None if cost is None else sign * cost for cost in row] for row in rows]
    ours = [
        [int(cost) if some else None for cost, some in zip(costs, able, strict=True)]
        for costs, able in zip(problem.cost[:, :5], problem.gpus[:, :5] > 0, strict=True)
    ]
    assert ours == rows
    best, choices = plain.decisions(rows, gpus, kinds, capacity, 110)
    found = Decider().decide(problem)
    assert found.value == best
    assert tuple(found.column.tolist()) in choices


@pytest.mark.parametrize(("nodes", "per_node"), [(6, 4), (2, 8), (3, 8), (16, 4)])
def test_configurations_of_the_cluster(nodes, per_node):
    """8, 5 and 6 on the heterogeneous cluster of 64 GPUs, 18 on 16 nodes of four."""
    known = SimpleNamespace(
        gpus_per_node=np.array([per_node]), nodes=np.array([nodes]), profiled_nodes=np.array([nodes])
    )
    found = configurations(known)
    by_hand = plain.configurations(nodes, per_node)
    assert list(zip(found.nodes.tolist(), found.gpus.tolist(), strict=True)) == by_hand
    assert len(by_hand) == {(6, 4): 8, (2, 8): 5, (3, 8): 6, (16, 4): 18}[nodes, per_node]


@pytest.mark.parametrize("seed", range(8))
def test_program_of_gavel(seed):
    """The most iterations per second that shares can give, over all vertices of the program."""
    random = Random(seed)
    gpus, capacity = [random.choice([1, 2, 4]) for _ in range(3)], (4, 2)
    rate = [[random.uniform(0.5, 9), random.uniform(0.5, 9) if g <= 2 else 0.1] for g in gpus]
    best, shares = plain.gavel_optimum(rate, gpus, capacity)
    found = max_sum_throughput(np.array(rate), np.array(gpus), np.array(capacity))
    assert (found * np.array(rate)).sum() == pytest.approx(best, rel=1e-4)
    assert found == pytest.approx(shares, abs=2e-5)


@pytest.mark.parametrize("seed", range(4))
def test_rounds_of_gavel(seed):
    """Twenty rounds of six jobs on two types; the seventh comes later."""
    random = Random(seed)
    gpus = [random.choice([1, 1, 2, 4]) for _ in range(7)]
    shares = [[random.choice([0.0, random.random()]), random.random()] for _ in gpus]
    by_hand, ours = plain.GavelRounds(2, 360.0), Priorities(2, 360.0)
    for turn in range(20):
        jobs = list(range(6 + (turn > 5)))
        wanted = by_hand.next(jobs, shares, gpus, (4, 2))
        rows = np.array(jobs)
        ours.admit(rows)
        chosen = ours.choose(rows, np.array(shares)[rows], np.array(gpus)[rows], np.array([4, 2]))
        ours.serve(rows, chosen)
        assert {int(rows[i]): t for t, some in enumerate(chosen) for i in some} == wanted


def run_of(seed):
    """Any run, here first in, first out on four GPUs."""
    random = Random(seed)
    submit = sorted(random.uniform(0, 4000) for _ in range(30))
    submit = np.array([0.0, *submit[1:]])
    gpus, seconds = (
        np.array([random.choice([1, 2, 4]) for _ in submit]),
        np.array([random.uniform(60, 900) for _ in submit]),
    )
    table = Jobs.build(submit_s=submit, gpus=gpus, duration_s=seconds)
    return simulate(table, Cluster.of([4]), Fifo(), TraceCost())


@pytest.mark.parametrize("seed", range(4))
def test_measures_of_table_3(seed):
    """GPU-hours are GPUs times the time they are held, allocation by allocation, and of a rigid job its own."""
    run = run_of(seed)
    held = [0.0] * len(run.jobs)
    for job, gpus, start, end in zip(run.alloc_job, run.alloc_gpus, run.alloc_start, run.alloc_end, strict=True):
        held[job] += gpus * (end - start)
    assert held == pytest.approx((run.jobs.gpus * run.jobs.duration_s).tolist())
    by_hand = plain.measures(run.jobs.submit_s.tolist(), run.finish_s.tolist(), held, 60.0)
    ours = {metric: value for metric, value, _ in measure(run, 60.0)}
    assert {name: ours[name] for name in by_hand} == pytest.approx(by_hand)


@pytest.mark.parametrize("seed", range(4))
def test_fairness(seed):
    """rho from isolated times that depend on the job, the type and its share; N_avg counted at the ends of rounds."""
    run, round_s = run_of(seed), 60.0
    submit, finish = run.jobs.submit_s.tolist(), run.finish_s.tolist()
    gpus = {"t4": 24, "rtx": 24, "a100": 16}

    def alone(jobs, row, kind, share):
        return 100.0 * (row + 1) / {"t4": 1, "rtx": 2, "a100": 4}[kind] / min(share, 8.0)

    isolated = SimpleNamespace(gpus_by_type=gpus, time_s=alone)
    company = [plain.beside(submit, finish, j, round_s) for j in range(len(submit))]
    assert mean_jobs_present(run, round_s).tolist() == pytest.approx(company)
    for reading in ("coded", "paper"):
        by_hand = []
        for j, (start, end) in enumerate(zip(submit, finish, strict=True)):
            share = {g: (64 if reading == "coded" else n) / company[j] for g, n in gpus.items()}
            by_hand.append(plain.fairness(end - start, {g: alone(None, j, g, share[g]) for g in gpus}, gpus))
        assert fairness_ratios(run, round_s, isolated, reading).tolist() == pytest.approx(by_hand)


def tables(name):
    """The artifact's files of an application, by file name."""
    rows = {}
    for source in read_sources()[f"sia-profile-{name}"]:
        found = at_hand(source)
        if found is None:
            pytest.skip(f"the profiles of {name} are not at hand: set RARLIB_MIRROR, or rarlib sources fetch")
        with found.path.open(encoding="utf-8", newline="") as file:
            rows[Path(source.file).stem] = list(csv.DictReader(file))
    return rows


def measured(name, kind, place):
    """Step and exchange by samples, and gradient statistics by batch, of a placement."""
    files = tables(name)
    gradients = {
        int(stem.partition("-")[2]): [
            tuple(float(row[c]) for c in ("progress", "grad_sqr", "grad_var")) for row in rows
        ]
        for stem, rows in files.items()
        if stem.startswith("validation")
    }
    steps = {
        int(row["local_bsz"]): (float(row["step_time"]), float(row["sync_time"]))
        for row in files[f"placements-{kind}"]
        if row["placement"] == place
    }
    return steps, gradients


@pytest.mark.real
@pytest.mark.parametrize(("name", "kind"), list(HOURS))
def test_single_jobs_take_the_published_hours(name, kind):
    """One allocation, no restarts: the sum over epochs of progress by gain over time, from the profiles' rows."""
    for (place, replicas), hours in zip(PLACES[kind].items(), HOURS[name, kind], strict=True):
        steps, gradients = measured(name, kind, place)
        epochs = [plain.epoch_times(steps, gradients, replicas, batch) for batch in gradients]
        found = min(sum(times) for times in epochs if times) * SLOWDOWN[name] / 3600
        assert found == pytest.approx(hours, abs=0.006 * hours + 0.0005), place


@pytest.mark.real
def test_completion_times_of_gavel():
    """Three rigid jobs on 64 T4: they wait for the end of a round, start once, and never move."""
    jobs = [("cifar10", 4, 512, 100.0, 50.0), ("bert", 4, 48, 360.0, 120.0), ("cifar10", 1, 128, 361.0, 50.0)]
    names, gpus, batches, submit, _ = zip(*jobs, strict=True)
    by_hand = []
    for name, replicas, batch, at, delay in jobs:
        steps, gradients = measured(name, "aws", str(replicas))
        epochs = [SLOWDOWN[name] * time for time in plain.epoch_times(steps, gradients, replicas, batch)]
        by_hand.append(plain.completion(at, 360.0, delay, epochs))
    table = Jobs.build(
        submit_s=np.array(submit), gpus=np.array(gpus), duration_s=np.ones(3), batch_size=np.array(batches),
        application=list(names), adaptivity=["rigid"] * 3,
    )  # fmt: skip
    case = Case(table, "homogeneous", "gavel", {}, 360.0)
    run = simulate_case(case, load_profiles(("cifar10", "bert")))
    assert (run.finish_s + table.origin_s).tolist() == by_hand
