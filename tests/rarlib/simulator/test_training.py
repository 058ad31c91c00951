"""Jobs whose prices change while they run, against schedules worked out by hand."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop, Wake
from rarlib.model.errors import DecisionError, InputError
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Offers
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.engine import Conventions, simulate
from tests.named import Named
from tests.rarlib.simulator.toys import intervals, jobs_of, times


class Halves:
    """The first half of the work goes at the speed of the GPUs held, the second at twice that."""

    tells = False
    offers = Offers()

    def __init__(self, prices, cluster):
        self.prices, self.cluster = prices, cluster
        self.held, self.log = {}, []

    def begin(self, job, placement, variant, done):
        if variant > 1:
            raise ValueError(f"variant {variant} is not 0 or 1")
        self.held[job] = sum(n for node, n in placement if self.cluster.is_gpu[node]) + variant
        self._row(job, done)

    def renew(self, job, done):
        self.log.append(("renew", job, done))
        self._row(job, done)
        return self.tells

    def progressed(self, jobs):
        self.log.append(("progressed", jobs.tolist()))

    def _row(self, job, done):
        half = self.prices.work[job] / 2
        self.prices.unit[job] = self.held[job] * (1 if done < half else 2)
        self.prices.until[job] = half if done < half else np.inf


@dataclass
class HalvesCost:
    """Prices jobs by `Halves`."""

    name: ClassVar[str] = "halves"
    launch: float = 0.0
    restart: float = 0.0
    training: Any = None
    most: int = 4
    columns: dict[str, Any] = field(default_factory=dict)

    def admit(self, jobs, cluster):
        return replace(jobs, min_gpus=np.minimum(jobs.gpus, 1), max_gpus=np.maximum(jobs.gpus, self.most))

    def price(self, jobs, cluster):
        return price_table(jobs, cluster, work=jobs.duration_s, launch_s=self.launch, restart_s=self.restart)

    def train(self, jobs, cluster, prices, scheduler, forecast):
        self.training = Halves(prices, cluster)
        return self.training


@dataclass
class Script(Named):
    """Decisions by time of the pass."""

    uses_cpu: ClassVar[bool] = True
    steps: dict[float, list[Any]] = field(default_factory=dict)

    def decide(self, view):
        yield from self.steps.get(view.now_s, [])
        later = [at for at in self.steps if at > view.now_s]
        if later:
            yield Wake(min(later))


def run(steps, rows=((0, 1, 16),), cluster="1x4", cost=None, **options):
    jobs = jobs_of(list(rows))
    return simulate(jobs, Cluster.parse(cluster), Script(steps), cost or HalvesCost(), **options)


def test_second_half_is_twice_as_fast():
    """8 units at 1 a second, 8 at 2: 12 seconds; a plain discipline runs under a training, too."""
    assert times(run({0.0: [Start(0, ((0, 1),))]})) == [(0, 12)]
    fifo = simulate(jobs_of([(0, 1, 16), (1, 4, 16)]), Cluster.of([4]), Fifo(), HalvesCost())
    assert times(fifo) == [(0, 12), (12, 15)]


def test_resized_in_the_middle():
    """2 s alone (2 done), then 3 GPUs: 6 units in 2 s, then 8 at 6 a second; the stretch ends in its own time."""
    cost = HalvesCost()
    result = run({0.0: [Start(0, ((0, 1),))], 2.0: [Stop(0), Start(0, ((0, 3),))]}, cost=cost)
    assert times(result) == [(0, pytest.approx(4 + 8 / 6))]
    assert cost.training.log[:3] == [("progressed", []), ("progressed", [0]), ("renew", 0, 8.0)]


def test_launch_and_restart():
    """Launch 3 s, run 1 s, stop; later restart 5 s: 1 + 7 units at 1, 8 at 2."""
    cost = HalvesCost(launch=3.0, restart=5.0)
    result = run({0.0: [Start(0, ((0, 1),))], 4.0: [Stop(0)], 6.0: [Start(0, ((0, 1),))]}, cost=cost)
    assert times(result) == [(0, 6 + 5 + 7 + 4)]
    assert (result.restarts[0], result.overhead_s[0], result.queue_s[0]) == (1, 8, 2)
    assert cost.training.log[:3] == [("progressed", []), ("progressed", [0]), ("progressed", [])]


@pytest.mark.parametrize(("free", "restarts", "moves", "finish"), [(True, 0, 1, 15.0), (False, 1, 0, 15.0 + 5.0 - 1.0)])
def test_free_move(free, restarts, moves, finish):
    """Stopped 2 s into a launch of 3 s and started on another node: goes on where free, else waits 5 s anew."""
    steps = {0.0: [Start(0, ((0, 1),))], 2.0: [Stop(0), Start(0, ((1, 1),))]}
    result = run(
        steps, cluster="2x2", cost=HalvesCost(launch=3.0, restart=5.0), conventions=Conventions(free_moves=free)
    )
    assert (result.restarts[0], result.moves[0]) == (restarts, moves)
    assert times(result) == [(0, finish)]
    assert intervals(result) == [(0, 0, 2, 0, 1), (0, 2, finish, 1, 1)]


def test_cpu_slots():
    """A job on a GPU and two slots holds one GPU; one on slots alone holds none, and a GPU scheduler is refused."""
    jobs = Jobs.build(submit_s=[0, 0], gpus=[1, 0], duration_s=[16, 16], cpu_tasks=[2, 1])
    steps = {0.0: [Start(0, ((0, 1), (1, 2))), Start(1, ((1, 1),), 1)]}
    cluster = Cluster.parse("gpu:1x2,cpu:1x3")
    result = simulate(jobs, cluster, Script(steps), HalvesCost())
    assert cluster.total_gpus == 2
    assert times(result) == [(0, 12), (0, 12)]
    assert result.gpu_seconds.tolist() == [12, 0]
    assert result.counters["area_busy_gpus"] == 12
    with pytest.raises(InputError, match="fifo places nothing on CPU task slots"):
        simulate(jobs, cluster, Fifo(), HalvesCost())
    with pytest.raises(DecisionError, match="gang of 0 to 4 GPUs"):
        simulate(jobs, Cluster.parse("gpu:1x8,cpu:1x3"), Script({0.0: [Start(1, ((0, 5),))]}), HalvesCost())
    with pytest.raises(InputError, match="at least 1"):
        Jobs.build(submit_s=[0], gpus=[0], duration_s=[1])


def test_cannot_run_compiled():
    with pytest.raises(InputError, match="jobs whose speed changes"):
        simulate(jobs_of([(0, 1, 1)]), Cluster.of([1]), Fifo(), HalvesCost(), compiled=True)
