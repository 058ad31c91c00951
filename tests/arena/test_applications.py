"""Applications by GPU time, and requests that can run."""

import numpy as np

from rarlib.arena.applications import by_gpu_time
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
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
