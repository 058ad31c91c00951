"""Applications by GPU time, and requests that can run."""

import numpy as np

from rarlib.arena.applications import by_gpu_time, types_of
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


def test_a_job_keeps_its_application_whatever_the_others_are():
    a = by_gpu_time(np.array([3.0, 0.1, 3.0, 3.0]), np.random.default_rng(3))
    b = by_gpu_time(np.array([3.0, 30.0, 3.0, 3.0]), np.random.default_rng(3))
    assert a[[0, 2, 3]].tolist() == b[[0, 2, 3]].tolist()


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


def test_a_batch_that_was_not_measured_is_changed_and_one_that_was_is_kept(arena):
    part = Cluster.parse("t4:4x4")
    kept, changed = arena.requests.on(part, [("cifar10", 2, 512), ("cifar10", 1, 1)])
    assert (kept.gpus, kept.batch_size) == (2, 512)
    assert (changed.gpus, changed.batch_size) == (1, fastest(arena, "cifar10", 1, part)[0])


def test_types_are_parts_of_the_cluster():
    parts = types_of(Cluster.parse("t4:4x4,rtx:1x8,a100:2x8,t4:1x2", as_written=True))
    assert [(kind, part.gpus.tolist()) for kind, part in parts.items()] == [
        ("t4", [4, 4, 4, 4, 2]),
        ("rtx", [8]),
        ("a100", [8, 8]),
    ]
    assert all(set(part.gpu_type) == {kind} for kind, part in parts.items())
