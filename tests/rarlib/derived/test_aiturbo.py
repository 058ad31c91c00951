"""AITurbo's study, models, priorities and baselines against the computation by hand (`plain_aiturbo`)."""

import csv
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import openpyxl
import pytest

from artifact.papers.aiturbo.study import ASPECTS
from rarlib.cost.parameter_server.loss import fit_loss
from rarlib.cost.parameter_server.models import BATCH, POINTS, STEP_S, models
from rarlib.cost.parameter_server.speed import fit_speed, step_s
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.schedulers.aiturbo_parts.moves import best_moves
from rarlib.schedulers.aiturbo_parts.ranking import DECREASE, INCREASE, KEEP, borda_scores
from rarlib.schedulers.requested import Requested
from rarlib.schedulers.tiresias import Tiresias
from rarlib.simulator.engine import simulate
from rarlib.traces.formats.aiturbo import read_study
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources
from tests.rarlib.derived import plain_aiturbo as plain

CLAIMS = {
    "test_facts_of_the_data_set": [
        "aiturbo-304", "aiturbo-305", "aiturbo-306", "aiturbo-307",
        "aiturbo-308", "aiturbo-309", "aiturbo-310", "aiturbo-311",
    ],
    "test_step_times_of_the_models": [],
    "test_loss_curves": [],
    "test_priorities": [],
    "test_queues": ["aiturbo-313", "aiturbo-314", "aiturbo-315"],
}  # fmt: skip
FACTS = {
    "aiturbo-304": "predictable", "aiturbo-305": "unpredictable", "aiturbo-306": "jobs", "aiturbo-307": "types",
    "aiturbo-308": "mean", "aiturbo-309": "median", "aiturbo-310": "p90", "aiturbo-311": "max",
}  # fmt: skip
WISHES = {"increase": INCREASE, "decrease": DECREASE, "keep": KEEP}


@cache
def data_set():
    """The authors' file, and its rows as read by hand."""
    found = at_hand(read_sources()["aiturbo"][0])
    if found is None:
        pytest.skip("the data set is not at hand: set RARLIB_MIRROR, or rarlib sources fetch aiturbo")
    sheet = openpyxl.load_workbook(found.path, read_only=True).worksheets[0].iter_rows(values_only=True)
    names = next(sheet)
    wanted = {"Job type": "type", "Running time": "running", "Predictability": "unpredictable"}
    table = [{wanted[n]: float(v) for n, v in zip(names, row, strict=True) if n in wanted} for row in sheet if any(row)]
    return found.path, table


@pytest.mark.real
def test_facts_of_the_data_set():
    """Every published fact to its last printed digit, and the package's to all digits."""
    path, table = data_set()
    facts = plain.facts(table)
    with (Path(__file__).parents[3] / "data" / "published.csv").open(encoding="utf-8", newline="") as file:
        printed = {row["id"]: row["value"] for row in csv.DictReader(file)}
    for name, fact in FACTS.items():
        digits = len(printed[name].partition(".")[2])
        assert round(facts[fact], digits) == pytest.approx(float(printed[name])), name
    frame = read_study(path.read_bytes(), str(path))
    ours = {row.metric: row.value for row in ASPECTS["shares"](frame, {}) if row.reading == "all" and not row.x_name}
    assert {fact: ours[fact] for fact in facts} == pytest.approx(facts)


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
def test_step_times_of_the_models(model):
    """Non-negative least squares on the four measured points, by trying every set of terms."""
    theta, least = plain.fit_speed(POINTS, BATCH[model.name], STEP_S[model.name])
    workers, servers = np.array(POINTS).T
    ours = fit_speed(workers, servers, BATCH[model.name], STEP_S[model.name], constant=False)
    assert ours.tolist() == pytest.approx(list(model.theta))
    for (w, p), seconds in zip(POINTS, STEP_S[model.name], strict=True):
        by_hand = plain.step_time(theta, BATCH[model.name], w, p)
        assert step_s(ours, BATCH[model.name], w, 0, p, 1.0) == pytest.approx(by_hand, rel=1e-6)
        assert abs(by_hand / seconds - 1) <= least**0.5 + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_loss_curves(seed):
    """Without noise the curve itself comes back; with noise no curve of a fine grid fits clearly better."""
    random = Random(seed)
    true = plain.Loss(random.uniform(0.05, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 1.0))
    epochs = list(range(1, 31))
    clean = fit_loss(epochs, [true.at(k) for k in epochs])
    assert clean.converged() == true.converged()
    assert [clean.at(k) for k in (1, 30, 90)] == pytest.approx([true.at(k) for k in (1, 30, 90)], rel=1e-3)
    assert true.at(true.epochs_to(true.at(17.0))) == pytest.approx(true.at(17.0))
    noisy = [true.at(k) * random.uniform(0.98, 1.02) for k in epochs]
    found = fit_loss(epochs, noisy)
    ours = plain.misfit(plain.Loss(*found), epochs, noisy)
    near = [(b0 / 20, b1 / 20, b2 / 20) for b0 in range(16, 25) for b1 in range(16, 25) for b2 in range(16, 25)]
    grid = [plain.Loss(true.b0 * b0, true.b1 * b1, true.b2 * b2) for b0, b1, b2 in near]
    assert ours <= 1.1 * min(plain.misfit(curve, epochs, noisy) for curve in grid)


def table_of(random):
    """Seconds of a step for up to four workers of each kind and four servers; workers and servers at least one."""
    theta = [random.uniform(0, 0.02), random.uniform(0, 0.2), random.uniform(0, 0.3), random.uniform(0, 0.1), 0.02]
    return {
        (g, c, p): plain.step_time(theta, 64, g + c / 8, p)
        for g in range(5)
        for c in range(5)
        for p in range(1, 5)
        if g + c
    }


@pytest.mark.parametrize("seed", range(10))
def test_priorities(seed):
    """The best move of each job by resource-time, and the two ballots merged; a job in three is unpredictable."""
    random = Random(seed)
    tables = [table_of(random) for _ in range(6)]
    tasks = [random.choice(list(table)) for table in tables]
    left = [random.uniform(10, 500) for _ in tables]
    moves = [plain.best_move(*each) for each in zip(tables, left, tasks, strict=True)]
    step = np.full((6, 5, 5, 5), np.inf)
    for j, table in enumerate(tables):
        for x, seconds in table.items():
            step[(j, *x)] = seconds
    found = best_moves(step, np.arange(6), np.array(tasks), np.array(left), np.array([15.0, 5.0, 5.0]))
    assert found.wish.tolist() == [WISHES[wish] for wish, _, _ in moves]
    assert found.gain.tolist() == pytest.approx([gain for _, gain, _ in moves])
    assert [tuple(x) for x in found.tasks.tolist()] == [x for _, _, x in moves]
    service, predictable = [random.uniform(0, 1e4) for _ in tables], np.arange(6) % 3 > 0
    by_hand = plain.borda(
        service, [move[:2] if known else None for move, known in zip(moves, predictable, strict=True)]
    )
    assert borda_scores(np.array(service), predictable, found.gain, found.wish).tolist() == by_hand


def test_one_gpu_counts_ten_cores():
    """With one server the second, third and fourth GPU worker pay if the speed grows by 7/4, 10/7 and 13/10."""
    assert [plain.rate(g, 0, 1) for g in (1, 2, 3, 4)] == [20, 35, 50, 65]


@pytest.mark.parametrize("policy", ["fcfs", "srtf", "tiresias"])
@pytest.mark.parametrize("seed", range(6))
def test_queues(seed, policy):
    """Twelve jobs on four GPUs, second by second; stopping costs nothing here."""
    random = Random(seed)
    arrivals = sorted(random.randint(0, 60) for _ in range(12))
    jobs = [plain.Job(t - arrivals[0], random.choice([1, 1, 2, 4]), random.randint(5, 60)) for t in arrivals]
    thresholds = (40, 90)
    finish = plain.play(policy, jobs, 4, thresholds, at_once=2 if policy == "fcfs" else None)
    schedulers = {
        "fcfs": Requested(at_once=2),
        "srtf": Requested(order="remaining"),
        "tiresias": Tiresias(thresholds=tuple(map(float, thresholds))),
    }
    submit, gpus, seconds = (np.array(column) for column in zip(*jobs, strict=True))
    table = Jobs.build(submit_s=submit.astype(float), gpus=gpus, duration_s=seconds.astype(float))
    run = simulate(table, Cluster.of([4]), schedulers[policy], TraceCost())
    assert run.finish_s.tolist() == finish
