"""Applications by GPU time, requests that can run, and a trace of one's own under schedulers that need goodput."""

from dataclasses import replace

import numpy as np
import pytest

from rarlib.cost.goodput.assigned import assign_applications
from rarlib.cost.goodput.by_gpu_time import by_gpu_time
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate
from rarlib.traces.formats.workload import GPU_HOURS


def test_classes_are_those_of_the_workload_files():
    """The artifact's bounds, from the table that the reader of its files goes by."""
    gpu_h = np.array([1 / 60, 0.5, 0.999, 1.0, 5.0, 9.99, 10.0, 99.9, 100.0, 999.0])
    for name, time in zip(by_gpu_time(gpu_h, np.random.default_rng(1)), gpu_h, strict=True):
        low, high = GPU_HOURS[name]
        assert low <= time < high


def test_half_of_the_second_class_trains_bert():
    names = by_gpu_time(np.full(4000, 3.0), np.random.default_rng(2))
    assert set(names) == {"bert", "deepspeech2"}
    assert abs(np.mean(names == "bert") - 0.5) < 4 * 0.5 / np.sqrt(4000)


def fastest(arena, name, gpus, part):
    """By trying every measured batch on its own."""
    found = {}
    for batch in arena.profiles.gradients[name].batch.tolist():
        one = Jobs.build(submit_s=[0], gpus=[gpus], duration_s=[0], application=[name], batch_size=[batch])
        try:
            found[batch] = float(arena.cost.admit(one, part).duration_s[0])
        except InputError:
            continue
    return min(found.items(), key=lambda item: (item[1], item[0]))


def test_a_request_without_batch_gets_the_fastest(arena):
    part = Cluster.parse("t4:4x4")
    for name, gpus in (("cifar10", 1), ("bert", 4), ("yolov3", 6), ("imagenet", 16)):
        [found] = arena.requests.on(part, [(name, gpus, 0)])
        assert found.gpus == gpus
        assert (found.batch_size, found.duration_s) == fastest(arena, name, gpus, part)


def test_gangs_are_cut_to_what_the_nodes_hold_and_the_batch_feeds(arena):
    least = min(arena.profiles.of("bert", "t4").local)
    most = arena.profiles.gradients["bert"].batch[-1] // least
    [found] = arena.requests.on(Cluster.parse("t4:32x4"), [("bert", 100, 0)])
    assert found.gpus <= min(most, 64)
    [found] = arena.requests.on(Cluster.parse("rtx:1x8"), [("bert", 100, 0)])
    assert found.gpus == 8


CLUSTER = Cluster.parse("t4:6x4,rtx:3x8,a100:2x8")


def own(gpus=(4, 1, 8), duration=(600.0, 600.0, 36000.0), **more):
    return Jobs.build(submit_s=[0.0, 1e6, 2e6], gpus=gpus, duration_s=duration, **more)


def test_the_rule_by_hand(arena):
    """0.67 and 0.17 GPU h: cifar10; 80 GPU h: yolov3."""
    jobs, cost, facts = assign_applications(own(), CLUSTER, arena.cost)
    assert jobs.application.tolist() == ["cifar10", "cifar10", "yolov3"]
    assert facts["jobs"] == {"cifar10": 2, "yolov3": 1}
    assert (facts["assigned"], facts["rule"], facts["seed"]) == (3, "sia", 0)
    assert (jobs.gpus * jobs.duration_s) == pytest.approx(own().gpus * own().duration_s)
    assert cost.recorded


def test_alone_a_job_takes_its_recorded_duration(arena):
    """Submitted far apart, on the reference type, with the GPUs it asked for: the duration and the launch."""
    jobs, cost, facts = assign_applications(own(), CLUSTER, arena.cost)
    rigid = replace(jobs, adaptivity=np.array(["rigid"] * 3, dtype=object))
    here = Cluster.parse("t4:6x4")
    assert facts["reference"] == "t4"
    run = simulate(rigid, here, make_scheduler("fifo"), cost)
    launch = cost.price(cost.admit(rigid, here), here).launch_s
    assert run.turnaround_s == pytest.approx(jobs.duration_s + launch, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"gpus": (0, 1, 1), "cpu_tasks": [1, 0, 0]}, "job 0 asks for no GPU"),
        ({"application": ["bert"] * 3}, "every job names a measured application already"),
    ],
)
def test_what_cannot_be_assigned_is_told(arena, change, rule):
    with pytest.raises(InputError, match=rule):
        assign_applications(own(**change), CLUSTER, arena.cost)


@pytest.mark.parametrize("name", ["gavel", "themis", "shockwave"])
def test_jobs_that_no_type_can_hold_are_named_before_the_run(arena, name):
    """32 GPUs on a cluster of 64 with at most 24 of one type; FIFO spans types."""
    jobs = Jobs.build(submit_s=[0, 9e6], gpus=[1, 32], duration_s=[60, 60], job_id=["a", "imagenet-7"])
    with pytest.raises(InputError, match=r"too few for imagenet-7 \(32 GPUs\); a type with 32 GPUs would hold them"):
        simulate(jobs, CLUSTER, make_scheduler(name), TraceCost())
    assert simulate(jobs, CLUSTER, make_scheduler("fifo"), TraceCost()).finished.all()
