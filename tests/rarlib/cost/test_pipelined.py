"""Pipeline-parallel jobs: speeds by hand, what placement and counts change, and every scheduler on a mixed workload."""

from dataclasses import replace

import pytest

from rarlib.cost.pipelined import PipelinedCost
from rarlib.discovery import make_scheduler, schedulers
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.prices import iteration_s
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.simulator.engine import simulate

GB = 1e9
# 6 s of light layers, then 1 s of one whose weights take long to exchange; 2 GB cross in between.
MINI = LayerGraph.chain(
    [Layer("convolutions", "", 2.0, 4.0, 2.0 * GB, 0.0), Layer("dense", "", 0.25, 0.75, 0.1 * GB, 200.0 * GB)]
)
EVEN = LayerGraph.chain(Layer(f"l{at}", "", 1.0, 1.0, 0.5 * GB, 0.1 * GB) for at in range(8))
GBPS = 12.8  # 1.6 GB/s between servers
COST = PipelinedCost(inside=10.0 * GB, profiles={"mini": MINI, "even": EVEN})
OTHER_JOBS = {"aiturbo", "concert", "sia"}


def servers(*gpus):
    return replace(Cluster.of(gpus), node_gbps=GBPS)


def jobs_of(rows, **more):
    submit, application, gpus, duration = zip(*rows, strict=True)
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration, application=application, **more)


def test_speeds_by_hand():
    """On 4 GPUs of one server 3-1: 2 s. Between servers 2 GB forth and back take 4 / 1.6 = 2.5 s a minibatch."""
    assert COST.seconds("mini", 1) == 7.0
    assert COST.seconds("mini", 4) == 2.0
    assert COST.seconds("mini", 4, servers=4, gbps=GBPS) == pytest.approx(2.5)
    assert COST.seconds("mini", 4, speed=2.0) == 1.0
    assert COST.seconds("mini", 4, servers=4, gbps=GBPS, speed=2.0) == pytest.approx(2.5)


def test_one_server_takes_the_recorded_duration_and_spreading_costs_what_is_planned():
    """A rigid job of 4: 100 s as recorded on one server, 125 s over four, as 2 s and 2.5 s a minibatch say."""
    jobs = jobs_of([(0, "mini", 4, 100.0)])
    cluster = servers(4, 1, 1, 1)
    together = simulate(jobs, cluster, _Placed(((0, 4),)), COST)
    apart = simulate(jobs, cluster, _Placed(((0, 1), (1, 1), (2, 1), (3, 1))), COST)
    assert together.finish_s[0] == pytest.approx(100.0)
    assert apart.finish_s[0] == pytest.approx(125.0)


class _Placed:
    """Starts job 0 where it is told to."""

    name, label, paper = "placed", "placed", ""

    def __init__(self, placement):
        self.placement = placement

    def decide(self, view):
        return [Start(0, self.placement)] if view.waiting else []


def test_elastic_jobs_grow_by_whole_pipelines():
    """Depth 2, asked for 4, at most 8, on servers of 4: rates at 2, 4, 6 and 8 GPUs as planned, none below 2."""
    jobs = jobs_of([(0, "even", 4, 100.0)], min_gpus=[2], max_gpus=[8])
    prices = COST.price(jobs, servers(4, 4, 4))
    curve = prices.speedup[prices.curve[0]]
    assert curve[:2].tolist() == [0.0, 0.0]
    assert curve[3] == curve[2]
    assert curve[4] == 1.0
    for gpus in (2, 4):
        rate = curve[gpus] / iteration_s(prices, 0, 1, 0)
        assert rate == pytest.approx(COST.seconds("even", 4) / COST.seconds("even", gpus))
    for gpus in (6, 7, 8):
        rate = curve[gpus] / iteration_s(prices, 0, 2, 1, prices.node_link[0])
        assert rate == pytest.approx(COST.seconds("even", 4) / COST.seconds("even", gpus // 2 * 2, 2, gbps=GBPS))


@pytest.mark.parametrize(
    ("row", "limits", "complaint"),
    [
        (("even", 3), {"min_gpus": [2], "max_gpus": [4]}, "must be a multiple of min_gpus, 2"),
        (("even", 2), {}, "no pipeline on 2 machines"),
    ],
)
def test_what_cannot_be_a_pipeline_is_refused(row, limits, complaint):
    jobs = jobs_of([(0, *row, 10.0)], **limits)
    with pytest.raises(InputError, match=complaint):
        PipelinedCost(profiles={"even": EVEN}, memory=0.2 * GB).price(jobs, Cluster.of([4]))


@pytest.mark.parametrize("name", sorted(OTHER_JOBS))
def test_schedulers_of_other_jobs_say_so(name):
    """They need jobs that learn, or parameter servers, and must not run into the dark without."""
    with pytest.raises(InputError, match=r"cost: .*needs the"):
        simulate(jobs_of([(0.0, "", 1, 20.0)]), servers(4), make_scheduler(name, {}), COST)


@pytest.mark.parametrize("name", sorted(schedulers().keys() - OTHER_JOBS))
def test_every_scheduler_completes_a_mixed_workload(name):
    """Pipelines, rigid and elastic, beside ring jobs; the simulator checks its identities after the run."""
    rows = [
        (0.0, "mini", 4, 50.0),
        (0.0, "", 3, 40.0),
        (1.0, "even", 4, 80.0),
        (2.0, "even", 8, 30.0),
        (2.0, "", 1, 20.0),
        (5.0, "mini", 2, 60.0),
    ]
    jobs = jobs_of(rows, min_gpus=[4, 3, 2, 8, 1, 2], max_gpus=[4, 3, 8, 8, 1, 2])
    run = simulate(jobs, servers(4, 4, 2), make_scheduler(name, {}), COST, seed=1)
    assert run.finished.all()
    assert run.work_done == pytest.approx(jobs.duration_s)
