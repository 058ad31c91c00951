"""GADGET in the slot loop: gains too small for a number, what is left, rings anywhere, ratio to the optimum."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.reserved import Network
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.seeds import stream
from rarlib.papers.gadget.embedding import Embedding, Solved, log_gain, rows_of
from rarlib.papers.gadget.horizon import run_horizon
from rarlib.papers.gadget.instance import READINGS, Instance, fig5_network, instance
from rarlib.papers.gadget.optimum import approximation
from rarlib.papers.gadget.scattered import Scattered
from rarlib.papers.gadget.theory import feasible_counts, small_case
from rarlib.schedulers.gadget_parts.slot import solve_slot

quick = settings(derandomize=True, database=None, deadline=None, max_examples=30)


def _exact(scale, slope, middle, before, after):
    """The same difference with 1000 digits."""
    with localcontext() as context:
        context.prec = 1000
        low, high = (
            Decimal(scale) / (1 + (-Decimal(slope) * (Decimal(x) - Decimal(middle))).exp()) for x in (before, after)
        )
        return float((high - low).ln())


@quick
@given(
    st.floats(1, 100), st.floats(0.001, 0.5), st.floats(300, 3000), st.floats(0, 4000), st.floats(1, 500)
)  # fmt: skip
def test_logarithm_of_a_gain(scale, slope, middle, before, more):
    """Against 1000 digits, also where both utilities are 0 or 1 to the last bit of a number."""
    values = [np.array([x]) for x in (scale, slope, middle)]
    got = log_gain(Sigmoid(*values), np.array([before]), np.array([before + more]))
    assert got[0] == pytest.approx(_exact(scale, slope, middle, before, before + more), rel=1e-9, abs=1e-9)


def two_jobs(middles, gpus, largest=1):
    jobs = SlotJobs.build(
        utility=Sigmoid([10, 10], [0.5, 0.5], middles), largest=largest, bandwidth=1.0, efficiency=10.0
    )
    return Instance(Network.build([gpus], 10.0, [0], 10.0), jobs, jobs, np.zeros(2, int))


def test_invisible_gains_are_compared_all_the_same():
    """One GPU, gains of exp(-990) and exp(-890): the second job gets it; without filling nobody does."""
    case = two_jobs([2000.0, 1800.0], 1)
    assert run_horizon(case, case.jobs, Embedding(case.jobs, case.network, stream(0)), slots=1).done.tolist() == [0, 1]
    strict = Embedding(case.jobs, case.network, stream(0), fills=False)
    assert run_horizon(case, case.jobs, strict, slots=1).done.tolist() == [0, 0]
    assert strict.solved == []


def test_a_visible_gain_goes_first():
    """The first job is about to pass its middle, the second is far from it: Alg. 2 decides, the rest is filled."""
    case = two_jobs([20.0, 1800.0], 3, largest=2)
    embedding = Embedding(case.jobs, case.network, stream(0))
    assert run_horizon(case, case.jobs, embedding, slots=1).done.tolist() == [2, 1]
    assert [len(s.problem) for s in embedding.solved] == [1]


@pytest.mark.parametrize("reading", ["headline", "batch-smooth"])
def test_every_slot_of_a_run_is_feasible_and_repeatable(reading):
    """The loop refuses an overfull server or link; the same stream gives the same run."""
    case = instance(0, 60, READINGS[reading], network=fig5_network(0, 1))
    first, second = (
        run_horizon(case, case.jobs, Embedding(case.jobs, case.network, stream(0, "r")), slots=60) for _ in range(2)
    )
    assert first.done.tolist() == second.done.tolist()
    assert 0 < first.embedded <= 1


def test_no_gpu_idles_while_a_job_could_use_it():
    """Where all gains are invisible and single workers fit anywhere, everything is used."""
    case = instance(1, 100, READINGS["batch"], network=fig5_network(1, 1))
    run = run_horizon(case, case.jobs, Embedding(case.jobs, case.network, stream(1)), slots=1)
    assert run.done.sum() <= 100
    assert run.used == pytest.approx(1.0, abs=0.03)  # a rounding may leave a GPU or two


def test_a_policy_that_breaks_a_rule_is_refused():
    """More workers than the server has."""
    case = two_jobs([20.0, 20.0], 1)
    with pytest.raises(RuntimeError, match="slot 0: resources of server 0"):
        run_horizon(case, case.jobs, lambda problem, done: np.ones((2, 1), np.int64))


def test_rings_anywhere_fit_and_follow_the_gpus():
    """Feasible in every slot; on an empty cluster a job's workers lie on servers in proportion to their GPUs."""
    case = instance(0, 80, READINGS["scattered"], network=fig5_network(0, 2))
    assert 0 < run_horizon(case, case.jobs, Scattered(stream(0)), slots=5).embedded < 1
    one = SlotJobs.build(utility=Sigmoid([1], [1], [1]), largest=1, bandwidth=1.0)
    problem = one.slot(Network.build([1, 3], 10.0, [0, 0], 10.0), np.array([0]), np.zeros(1))
    policy = Scattered(stream(0))
    second = np.mean([policy(problem, np.zeros(1))[0, 1] for _ in range(2000)])
    assert abs(second - 0.75) < 3.3 * np.sqrt(0.75 * 0.25 / 2000)


@pytest.mark.parametrize("seed", range(6))
def test_ratio_to_the_optimum_against_brute_force(seed):
    """One slot of a small network: the optimum found by trying all placements."""
    case = small_case(seed)
    counts = feasible_counts(case)
    problem = case.jobs.slot(case.network, np.arange(3), np.zeros(3))
    result = solve_slot(problem, stream(seed, "test-ratio"))
    best = problem.gain[np.arange(3), counts].sum(axis=1).max()
    found = {name: value for name, value, _ in approximation([Solved(problem, result)])}
    assert found["ratio"] == pytest.approx(result.value / best, rel=1e-5)
    assert found["lp_ilp_rounded"] == 1.0


def test_part_of_a_problem():
    """Rows keep their names, so that mappings found for a job serve it in every slot."""
    case = instance(0, 10, READINGS["batch"])
    part = rows_of(case.jobs.slot(case.network, np.arange(10), np.zeros(10)), np.array([2, 7]))
    assert part.job.tolist() == [2, 7]
    alone = case.jobs.slot(case.network, np.array([2, 7]), np.zeros(10))
    assert part.gain[:, : alone.gain.shape[1]].tolist() == alone.gain.tolist()
