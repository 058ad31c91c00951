"""Concert: short before long, inside servers and racks where that pays, moves that pay, its objective by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Profiles, Steps
from rarlib.cost.trace import TraceCost
from rarlib.ilp.sia.problem import RoundProblem
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.schedulers.concert import Concert
from rarlib.schedulers.concert_parts.choices import ConcertChoices
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run
from tests.rarlib.cost.goodput.conftest import GRADIENTS, steps


def light(rows: Steps) -> Steps:
    """The same steps with a hundredth of the exchange, so that spanning servers pays."""
    return replace(rows, step_s=rows.step_s - 0.99 * rows.sync_s, sync_s=0.01 * rows.sync_s)


def cost(network: SpanningNetwork | None = None, epochs: int = 2) -> GoodputCost:
    """Bert on T4 and on RTX twice as fast, nodes of four; jobs last as long as the table says."""
    rows = {("bert", "t4"): light(steps()), ("bert", "rtx"): light(steps(0.5))}
    gradients = GRADIENTS
    if epochs == 1:  # all epochs are alike
        gradients = gradients._replace(square=np.ones((3, 2)), variance=np.ones((3, 2)))
    return GoodputCost(Profiles(rows, {"bert": gradients}, {"standin": False, "profiles": {}}), network, recorded=True)


def table(duration_s: list[float], submit_s: list[float] | None = None, gpus: int = 1, **columns: Any) -> Jobs:
    n = len(duration_s)
    given = {"application": ["bert"] * n, "batch_size": [24] * n, "adaptivity": ["adaptive"] * n} | columns
    return Jobs.build(submit_s=submit_s or [0.0] * n, duration_s=duration_s, gpus=[gpus] * n, **given)


def starts(run: Run) -> list[list[float]]:
    frame = run.allocations_frame()
    return [sorted(set(frame.loc[frame["job_id"] == job, "start_s"])) for job in run.jobs_frame()["job_id"]]


def servers(run: Run) -> list[int]:
    """Servers of each stretch, in the order of time."""
    return run.allocations_frame().groupby(["start_s", "job_id"]).size().tolist()


def test_the_job_with_less_left_goes_first() -> None:
    run = simulate(table([9000.0, 900.0]), Cluster.parse("t4:1x1"), Concert(), cost())
    assert run.finish_s[1] < run.finish_s[0]
    assert starts(run)[1] == [0.0] and starts(run)[0] == [run.finish_s[1]]


def test_a_short_job_takes_over_only_if_that_is_worth_the_restart() -> None:
    jobs = table([9000.0, 300.0], [0.0, 3000.0])
    first = [simulate(jobs, Cluster.parse("t4:1x1"), Concert(), cost(), restart_s=s).finish_s for s in (0.0, 5000.0)]
    assert first[0][1] < first[0][0]
    assert first[1][0] < first[1][1]


def test_a_gang_spans_servers_where_their_overhead_is_small() -> None:
    cluster = Cluster.parse("t4:2x4")
    for overhead_s, most in ((0.0, 2), (1.0, 1)):
        run = simulate(table([9000.0]), cluster, Concert(), cost(SpanningNetwork(overhead_s=overhead_s)))
        assert max(servers(run)) == most
    blind = simulate(table([9000.0]), cluster, Concert(network=False), cost(SpanningNetwork(overhead_s=1.0)))
    assert max(servers(blind)) == 2


def test_a_gang_stays_in_its_rack_where_the_uplink_is_slow() -> None:
    for gbps, most in ((1.0, 1), (10.0, 2)):
        cluster = Cluster(
            np.array([4, 4]), ("t4", "t4"), np.array([0, 1]), np.ones(2), rack_gbps=np.full(2, gbps), spec="racks"
        )
        assert max(servers(simulate(table([9000.0]), cluster, Concert(), cost(SpanningNetwork())))) == most


def test_objective_by_hand() -> None:
    """Entry by entry from the formula, beside scalars."""
    checked = 0

    begun: set[int] = set()
    ready: dict[int, float] = {}

    class Checked(Concert):
        def decide(self, view: Any) -> Any:
            for decision in super().decide(view):
                if isinstance(decision, Start):
                    ready[decision.job] = view.now_s + (50.0 if decision.job in begun else 120.0)
                    begun.add(decision.job)
                yield decision

        def _problem(self, choices: ConcertChoices, view: Any, rows: Any) -> RoundProblem:
            nonlocal checked
            problem = super()._problem(choices, view, rows)
            gpus = choices.sizes(view, rows)
            rate = choices.rates(view, rows, gpus) / choices.delay(view, rows, gpus)
            values = np.zeros(rate.shape)
            for i, row in enumerate(rows.tolist()):
                each = max(r / g for r, g in zip(rate[i], gpus[i], strict=True) if g)
                left, restart = float(view.work_left(np.array([row]))[0]), 50.0
                age, held = view.now_s - view.job(row).submit_s, self._held.get(row)
                horizon = min(900.0, (900.0 + age) / (1 + choices.restarts.restarts[row]))
                for j, r in enumerate(rate[i]):
                    if gpus[i, j]:
                        t, d = min(left / r, horizon), restart if row in begun else 120.0
                        if held is not None and j == held.column:
                            d = max(ready[row] - view.now_s, 0.0)
                        elif held is not None and r < rate[i, held.column]:
                            d = 2 * restart
                        values[i, j] = (left / each) ** -0.3 * r / each * t / (t + d)
            wanted = np.maximum(10_000.0 * values / values.max(), 1.0)
            regret = wanted.max(axis=1, keepdims=True) - wanted
            assert np.abs(problem.cost - regret)[gpus > 0].max() <= 1.01
            assert (problem.skip >= problem.cost.max(axis=1)).all()
            checked += len(rows)
            return problem

    jobs = table([3000.0 + 700.0 * i for i in range(6)], [400.0 * i for i in range(6)])
    simulate(jobs, Cluster.parse("t4:2x4,rtx:1x4"), Checked(), cost(SpanningNetwork()), restart_s=50.0)
    assert checked > 20


def test_what_it_refuses() -> None:
    for field in ("power", "horizon_s", "newcomer_gpu_s", "wake_s"):
        with pytest.raises(InputError, match=field):
            Concert(**{field: -1.0})
    with pytest.raises(InputError, match="goodput"):
        simulate(table([10.0]), Cluster.parse("4x4"), Concert(), TraceCost())
