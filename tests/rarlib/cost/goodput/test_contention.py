"""Goodput under contention: the measured step by parts, recorded durations, gangs over several types, forecasts."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement, Start
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import iteration_s
from rarlib.simulator.engine import simulate
from tests.named import Named

LAUNCH_S = 120.0
SLOWDOWN = 1.2
WORK = 200.0
TWO_T4 = Cluster.parse("t4:2x4")


@dataclass
class Follower(Named):
    """Starts every job at once where it is told to, and notes what it is told of it."""

    where: list[Placement]
    told: list[tuple[float, float, float, bool]] = field(default_factory=list)

    def decide(self, view):
        rows = view.waiting_rows
        for job, left in zip(view.waiting, view.work_left(rows), strict=True):
            self.told.append((job.duration_s, view.remaining_s(job.row), float(left), bool(view.predictable[job.row])))
            yield Start(job.row, self.where[job.row])


def rigid(n: int = 1, duration: float = 1.0, batch: int = 24, gpus: int = 4) -> Jobs:
    kinds = {"application": ["bert"] * n, "adaptivity": ["rigid"] * n, "batch_size": [batch] * n}
    return Jobs.build(submit_s=[0.0] * n, gpus=[gpus] * n, duration_s=[duration] * n, **kinds)


def iterations(batch: int) -> float:
    """Iterations of the whole training at a batch: gains of the toy's two epochs, 100 units of work each."""
    scale = batch / 12
    return sum(100.0 / ((noise + 1.0) / (noise / scale + 1.0)) for noise in (1.0, 3.0))


def test_a_spanning_gang_pays_contention_and_overhead(toy: Profiles) -> None:
    """Two gangs of 2 + 2: computing + f(2) exchange + 2 xi2, per iteration of 6 samples per GPU; alone f(1)."""
    spread: list[Placement] = [((0, 2), (1, 2))] * 2
    network = SpanningNetwork(alpha=0.3, overhead_s=0.01)
    sync = 0.05 * 3 + 0.2
    for n, f in ((1, 1.0), (2, 2.3)):
        run = simulate(rigid(n), TWO_T4, Follower(spread), GoodputCost(toy, network))
        tau = 0.1 + 0.06 + f * sync + 2 * 0.01
        assert run.finish_s == pytest.approx(LAUNCH_S + SLOWDOWN * iterations(24) * tau, rel=1e-12)
        moving = run.finish_s - LAUNCH_S
        assert run.contention_s == pytest.approx(moving * (f - 1.0) * sync / tau, rel=1e-12)
        assert run.overhead_s - LAUNCH_S == pytest.approx(moving * 0.02 / tau, rel=1e-12)


@pytest.mark.parametrize("network", [None, SpanningNetwork(alpha=1.0, overhead_s=0.5)])
@pytest.mark.parametrize("duration", [7.0, 5000.0])
def test_recorded_durations_come_out_as_requested(
    toy: Profiles, network: SpanningNetwork | None, duration: float
) -> None:
    """On the requested GPUs of the first type, on the fewest servers, alone."""
    cost = GoodputCost(toy, network, recorded=True)
    run = simulate(rigid(1, duration), TWO_T4, Follower([((0, 4),)]), cost)
    assert run.finish_s[0] == pytest.approx(LAUNCH_S + duration, rel=1e-12)
    assert run.jobs.duration_s[0] == duration


def test_a_gang_over_two_types_runs_at_the_slower_pace(toy: Profiles) -> None:
    """T4 are half as fast as RTX: 2 + 2 GPUs of both take as long as 2 + 2 T4."""
    mixed, slow, fast = (
        simulate(rigid(), Cluster.parse(spec), Follower([((0, 2), (1, 2))]), GoodputCost(toy)).finish_s[0]
        for spec in ("rtx:1x4,t4:1x4", "t4:2x4", "rtx:2x4")
    )
    assert mixed == pytest.approx(slow, rel=1e-12)
    assert mixed - LAUNCH_S == pytest.approx(2 * (fast - LAUNCH_S), rel=1e-12)


def test_planners_see_what_the_simulator_charges(toy: Profiles) -> None:
    """The plain table prices the request alone, on one server and spread, as the training does."""
    cost = GoodputCost(toy, SpanningNetwork(alpha=0.5, overhead_s=0.02), recorded=True)
    jobs = cost.admit(rigid(2, 600.0), TWO_T4)
    prices = cost.price(jobs, TWO_T4)
    assert prices.work[0] * iteration_s(prices, 0, 1, 1) == pytest.approx(600.0, rel=1e-12)
    spread: list[Placement] = [((0, 2), (1, 2))] * 2
    run = simulate(rigid(2, 600.0), TWO_T4, Follower(spread), cost)
    assert prices.work[0] * iteration_s(prices, 0, 2, 2) == pytest.approx(run.finish_s[0] - LAUNCH_S, rel=1e-12)


def test_schedulers_are_told_the_forecast_and_jobs_take_the_truth(toy: Profiles) -> None:
    """Half and three times the truth."""
    cost, told = GoodputCost(toy, recorded=True), Forecast(np.array([0.5, 3.0]), np.array([True, False]))
    here: list[Placement] = [((0, 4),), ((1, 4),)]
    follower = Follower(here)
    run = simulate(rigid(2, 1000.0), TWO_T4, follower, cost, forecast=told)
    assert run.finish_s == pytest.approx([1000.0 + LAUNCH_S] * 2, rel=1e-12)
    assert np.array([line[:3] for line in follower.told]) == pytest.approx(
        np.array([(500.0, 500.0, WORK / 2), (3000.0, 3000.0, 3 * WORK)]), rel=1e-9
    )
    assert [line[3] for line in follower.told] == [True, False]


@pytest.mark.parametrize(
    ("constants", "field_"), [({"alpha": -1.0}, "alpha"), ({"overhead_s": -1.0}, "overhead_s"), ({"gbps": 0.0}, "gbps")]
)
def test_constants_out_of_range_are_refused(constants: dict[str, float], field_: str) -> None:
    with pytest.raises(InputError, match=field_):
        SpanningNetwork(**constants)
