"""Planners in the simulator: replays, later arrivals, errors, and the uncompiled kernels."""

import pytest

from rarlib.model.errors import InfeasibleError, InputError
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.random_fit import RandomFit
from rarlib.schedulers.sjf_bco import SjfBco
from tests.rarlib.schedulers.cases import run_case, small_case


@pytest.mark.parametrize(
    "params", [{}, {"lambda_": 4}, {"fa_ffp": "literal"}, {"bisection": "per-kappa"}, {"limit": "finish"}]
)
def test_replaying_an_idle_plan_gives_the_planned_finishes(params):
    """Planner and simulator price contention alike; any difference in their event handling would move a finish."""
    for seed in range(25):
        case = small_case(seed)
        planner = SjfBco(**params)
        run = run_case(case, planner)
        batch = planner.last_plan.batch
        assert run.start_s[batch.row].tolist() == batch.start.tolist()
        assert run.finish_s[batch.row].tolist() == batch.finish.tolist()


def test_random_placement_respects_its_limit_and_its_stream():
    """No planned clock passes the limit before communication; placements depend on the seed and on nothing else."""
    case = small_case(3)
    runs = [run_case(case, RandomFit(horizon=400.0), seed=seed) for seed in (1, 1, 2)]
    assert runs[0].alloc_node.tolist() == runs[1].alloc_node.tolist()
    assert runs[0].alloc_node.tolist() != runs[2].alloc_node.tolist()
    planner = RandomFit(horizon=400.0)
    run_case(case, planner, seed=1)
    batch = planner.last_plan.batch
    assert (batch.start + batch.plain <= 400.0).all()


@pytest.mark.parametrize("planner", [SjfBco, FirstFit, ListScheduling, RandomFit])
def test_too_short_a_horizon_is_told(planner):
    """An infeasible horizon must neither crash nor loop: one line that names the scheduler and the horizon."""
    with pytest.raises(InfeasibleError, match=f"field horizon: {planner.name} found no schedule of 14 jobs"):
        run_case(small_case(0), planner(horizon=3.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SjfBco(availability="later"), "field availability: must be one of idle, queue, found 'later'"),
        (lambda: SjfBco(fa_ffp="best"), "field fa_ffp"),
        (lambda: SjfBco(lambda_=0.5), "field lambda: must be at least 1, found 0.5"),
        (lambda: SjfBco(bisection="golden"), "field bisection"),
        (lambda: FirstFit(limit="area"), "field limit"),
        (lambda: ListScheduling(rank="area"), "field rank"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
