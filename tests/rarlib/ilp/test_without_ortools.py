"""Where OR-Tools is not installed: linear programs, small instances exactly, and a sentence for the rest."""

import sys

import numpy as np
import pytest

from rarlib.cost.ring import SlottedRingCost
from rarlib.ilp import linear
from rarlib.ilp.rar_ddls import exact
from rarlib.ilp.rar_ddls.slotted import completions, slotted
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.later import Later


def random_program(program, seed):
    """Feasible and bounded: costs above 0, and a column that covers each row alone."""
    rng = np.random.default_rng(seed)
    costs, least = rng.uniform(0.5, 2.0, 12), rng.uniform(0.0, 3.0, 5)
    entries = rng.uniform(0.0, 1.0, (12, 5)) * (rng.random((12, 5)) < 0.5)
    for value in least:
        program.row(value)
    for cost, column in zip(costs, entries, strict=True):
        program.column(cost, [(row, value) for row, value in enumerate(column.tolist()) if value], upper=2.0)
    for row in range(5):
        program.column(9.0, [(row, 1.0)])
    return costs, least, entries


@pytest.mark.parametrize("seed", range(8))
def test_both_linear_solvers_agree(seed):
    """Equal values, rows that are met, and by weak duality prices that prove the value (upper limits included)."""
    glop, highs = linear.GlopProgram(), linear.HighsProgram()
    random_program(glop, seed)
    costs, least, entries = random_program(highs, seed)
    solution = highs.solve()
    assert solution.value == pytest.approx(glop.solve().value, rel=1e-9)
    amounts = highs.amounts()
    assert (amounts[:12] @ entries + amounts[12:] >= least - 1e-9).all()
    assert (solution.prices >= 0.0).all() and (solution.prices <= 9.0 + 1e-9).all()
    reduced = costs - entries @ solution.prices
    assert solution.prices @ least + 2.0 * np.minimum(reduced, 0.0).sum() == pytest.approx(solution.value, rel=1e-9)


@pytest.mark.parametrize("slots", [(7, 3, 3, 7, 4), (5, 5, 4, 6, 3)])
def test_few_jobs_are_solved_exactly(monkeypatch, slots):
    problem = five_jobs(slots)
    with_ortools = exact.least_makespan(problem)
    monkeypatch.setattr(exact, "INSTALLED", False)
    without = exact.least_makespan(problem)
    assert (without.status, without.bound) == ("optimal", with_ortools.bound)
    assert max(completions(problem, without.schedule.starts, without.schedule.placements)) == without.bound


def five_jobs(slots):
    """Gangs of the notebook on one schedule."""
    jobs = Jobs.build(submit_s=np.zeros(5), gpus=[1, 2, 2, 3, 4], duration_s=slots)
    cluster = Cluster.parse("2x4")
    cost = SlottedRingCost(iterations=12.0 * np.array(slots), tau0=np.full(5, 1 / 12), extra=1 / 9, cap=1.0)
    return slotted(jobs, cluster, cost.price(jobs, cluster))


def test_the_error_names_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools", None)
    later = Later("ortools.another.cp_model")
    with pytest.raises(InputError, match=r"ortools, which is not installed here; pip install 'rarlib\[ilp\]'"):
        later.CpModel()
    assert not hasattr(later, "__path__")
