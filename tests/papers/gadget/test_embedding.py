"""GADGET on its own jobs: gains too small for a number, what is left, rings anywhere, ratio to the optimum."""

import numpy as np
import pytest

from rarlib.cost.reserved import TreeNetwork
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.seeds import stream
from rarlib.papers.gadget.instance import READINGS, Instance, fig5_network, instance
from rarlib.papers.gadget.optimum import approximation_ratio
from rarlib.papers.gadget.scattered import Scattered
from rarlib.papers.gadget.slots import play_slots, run_horizon, run_slots
from rarlib.papers.gadget.theory import feasible_counts, small_case
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.slot import solve_slot
from rarlib.schedulers.gadget_parts.stated import Solved, Stated


def gadget(case, *key, **options):
    return Gadget(slot_s=1.0, stated=Stated(case.jobs, stream(0, *key), **options))


def two_jobs(middles, gpus, largest=1):
    jobs = SlotJobs.build(
        utility=Sigmoid([10, 10], [0.5, 0.5], middles), largest=largest, bandwidth=1.0, efficiency=10.0
    )
    return Instance(TreeNetwork.build([gpus], 10.0, [0], 10.0), jobs, jobs, np.zeros(2, int))


def test_invisible_gains_are_compared_all_the_same():
    """One GPU, gains of exp(-990) and exp(-890): the second job gets it; without filling nobody does."""
    case = two_jobs([2000.0, 1800.0], 1)
    assert run_horizon(case, case.jobs, gadget(case, fills=True), slots=1).done.tolist() == [0, 1]
    strict = gadget(case)
    assert run_horizon(case, case.jobs, strict, slots=1).done.tolist() == [0, 0]
    assert strict.stated.solved == []


def test_a_visible_gain_goes_first():
    """The first job is about to pass its middle, the second is far from it: Alg. 2 decides, the rest is filled."""
    case = two_jobs([20.0, 1800.0], 3, largest=2)
    scheduler = gadget(case, fills=True)
    assert run_horizon(case, case.jobs, scheduler, slots=1).done.tolist() == [2, 1]
    assert [len(s.problem) for s in scheduler.stated.solved] == [1]
    assert (scheduler.stated.shares.decided, scheduler.stated.shares.filled) == (1, 1)
    assert scheduler.stated.shares.by_filling == 0.5


@pytest.mark.parametrize("reading", ["headline", "batch-smooth"])
def test_every_slot_of_a_run_is_feasible_and_repeatable(reading):
    """The simulator refuses an overfull server or link; the same stream gives the same run."""
    case = instance(0, 60, READINGS[reading], network=fig5_network(0, 1))
    first, second = (run_horizon(case, case.jobs, gadget(case, "r", fills=True), slots=60) for _ in range(2))
    assert first.done.tolist() == second.done.tolist()
    assert 0 < first.embedded <= 1


def test_no_gpu_idles_while_a_job_could_use_it():
    """Where all gains are invisible and single workers fit anywhere, everything is used."""
    case = instance(1, 100, READINGS["batch"], network=fig5_network(1, 1))
    run = run_horizon(case, case.jobs, gadget(case, 1, fills=True), slots=1)
    assert run.done.sum() <= 100
    assert run.used == pytest.approx(1.0, abs=0.03)  # a rounding may leave a GPU or two


def test_rings_anywhere_fit_and_follow_the_gpus():
    """Feasible in every slot; on an empty cluster a job's workers lie on servers in proportion to their GPUs."""
    case = instance(0, 80, READINGS["scattered"], network=fig5_network(0, 2))
    scattered = Scattered(case.jobs, case.network, stream(0))
    assert 0 < run_horizon(case, case.jobs, scattered, slots=5).embedded < 1
    jobs = SlotJobs.build(utility=Sigmoid([1], [1], [1]), largest=1, bandwidth=1.0)
    one = Instance(TreeNetwork.build([1, 3], 10.0, [0, 0], 10.0), jobs, jobs, np.zeros(1, int))
    run = run_slots(one, jobs, Scattered(jobs, one.network, stream(0)), 2000)
    second = float(((run.alloc_end - run.alloc_start) * run.alloc_node).sum()) / 2000
    assert abs(second - 0.75) < 3.3 * np.sqrt(0.75 * 0.25 / 2000)


@pytest.mark.parametrize("seed", range(6))
def test_ratio_to_the_optimum_against_brute_force(seed):
    """One slot of a small network: the optimum found by trying all placements."""
    case = small_case(seed)
    counts = feasible_counts(case)
    problem = case.jobs.slot(case.network, np.arange(3), np.zeros(3))
    result = solve_slot(problem, stream(seed, "test-ratio"))
    best = problem.gain[np.arange(3), counts].sum(axis=1).max()
    found = {name: value for name, value, _ in approximation_ratio([Solved(problem, result)])}
    assert found["ratio"] == pytest.approx(result.value / best, rel=1e-5)
    assert found["lp_ilp_rounded"] == 1.0


@pytest.mark.parametrize(
    ("reading", "options"),
    [("headline", {}), ("headline", {"fills": True}), ("batch-smooth", {}), ("headline", {"fitting": False})],
)
def test_the_loop_is_the_simulator(reading, options):
    """Figures 5 to 7 are played without the simulator: the same results to the last bit."""
    case = instance(3, 60, READINGS[reading], network=fig5_network(3, 1, "stated"))
    simulated = run_horizon(case, case.jobs, gadget(case, "loop", **options))
    played = play_slots(case, Stated(case.jobs, stream(0, "loop"), **options))
    for first, second in zip(simulated, played, strict=True):
        assert np.array_equal(first, second)
    rings = [Scattered(case.jobs, case.network, stream(0)) for _ in range(2)]
    simulated, played = run_horizon(case, case.jobs, rings[0]), play_slots(case, rings[1])
    assert simulated.done.tolist() == played.done.tolist()
    assert simulated.embedded == played.embedded


def test_part_of_a_problem():
    """Rows keep their names, so that mappings found for a job serve it in every slot."""
    case = instance(0, 10, READINGS["batch"])
    part = case.jobs.slot(case.network, np.arange(10), np.zeros(10)).take(np.array([2, 7]))
    assert part.job.tolist() == [2, 7]
    alone = case.jobs.slot(case.network, np.array([2, 7]), np.zeros(10))
    assert part.gain[:, : alone.gain.shape[1]].tolist() == alone.gain.tolist()
