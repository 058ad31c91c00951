"""PipeDream's planner, schedules and byte counts against the computation by hand (`plain_pipedream`)."""

from functools import cache
from random import Random

import pytest

from artifact.papers.pipedream.placed import data_parallel_s, pipeline_s
from artifact.papers.pipedream.setups import TABLE_1
from rarlib.pipeline.comparison import bytes_sent, data_parallel_bytes_sent, gpipe_s, model_parallel_s
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.planner import Options, plan_configuration, plan_pipeline
from rarlib.pipeline.schedule import noam, one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources
from tests.rarlib.derived import plain_pipedream as plain

CLAIMS = {
    "test_best_partition_of_all": [],
    "test_authors_code_on_their_profiles": ["pipedream-342", "pipedream-345"],
    "test_configurations_of_table_1": ["pipedream-343", "pipedream-345", "pipedream-356"],
    "test_one_f_one_b_of_a_row": ["pipedream-346", "pipedream-357"],
    "test_bytes_sent": ["pipedream-391", "pipedream-392"],
    "test_noam": ["pipedream-354", "pipedream-358", "pipedream-373"],
    "test_flushes_of_gpipe": ["pipedream-383", "pipedream-387", "pipedream-388"],
}
AUTHORS = [
    ("vgg16", 4, 1e9, 0.205520896, 2.8377),
    ("vgg16", 8, 3.125e9, 0.093661129, 1.7248),
    ("vgg16", 16, 1e9, 0.056529767, 3.0381),
    ("vgg16", 16, 3.125e9, 0.045524808, 1.8351),
    ("alexnet", 4, 1e9, 0.034217141, 5.9804),
    ("alexnet", 16, 3.125e9, 0.006289260, 3.7624),
]
"""What the authors' optimizer printed: model, machines, bytes per second, seconds, speed-up over data parallelism."""


@cache
def profile(name):
    """The authors' measurements of a chain of layers."""
    found = at_hand(read_sources()[f"pipedream-{name}"][0])
    if found is None:
        pytest.skip(
            f"the profile of {name} is not at hand: set RARLIB_MIRROR, or rarlib sources fetch pipedream-{name}"
        )
    return plain.parsed(found.path.read_text(encoding="utf-8"))


def chain(layers):
    """The same layers for the package."""
    return LayerGraph.chain(
        [Layer(f"l{i}", "", one.forward, one.backward, one.output, one.weights) for i, one in enumerate(layers)]
    )


def drawn(seed, count):
    """Layers whose communication matters as much as their computation."""
    random = Random(seed)
    return [
        plain.Layer(random.uniform(0, 4), random.uniform(0, 6), random.uniform(0, 9), random.choice([0, 3, 20]))
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("machines", "bandwidth"), [((3,), (2.0,)), ((5,), (4.0,)), ((2, 2), (6.0, 1.5)), ((3, 2), (6.0, 1.0))]
)
@pytest.mark.parametrize("seed", range(4))
def test_best_partition_of_all(seed, machines, bandwidth):
    """The published recurrence, section 3.1, finds the best of all partitions, on one level and on two."""
    layers = drawn(seed, 5)
    best = plain.best_partition(layers, machines, bandwidth)
    assert plan_pipeline(chain(layers), machines, bandwidth).pipeline_time_s == pytest.approx(best, rel=1e-12)
    if len(machines) == 1:
        assert plain.recurrence(layers, machines[0], bandwidth[0])[0] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(("name", "machines", "bandwidth", "seconds", "speedup"), AUTHORS)
def test_authors_code_on_their_profiles(name, machines, bandwidth, seconds, speedup):
    """Their printed times come out by hand, and of the package."""
    layers = profile(name)
    best, alone = plain.as_coded(layers, machines, bandwidth)
    assert best == pytest.approx(seconds, rel=1e-6)
    assert alone / best == pytest.approx(speedup, rel=1e-4)
    plan = plan_pipeline(chain(layers), [machines], [bandwidth], Options("as-coded", compression=1.0))
    assert plan.pipeline_time_s == pytest.approx(best, rel=1e-12)
    assert plan.data_parallel_time_s == pytest.approx(alone, rel=1e-12)


def rows():
    """Rows of Table 1 whose model is a chain."""
    return [row for key in ("vgg-16", "alexnet") for row in TABLE_1[key]]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.label)
def test_configurations_of_table_1(row):
    """The recurrence's own choice, and the best cut of the printed 15-1, which has one cut to try at a time."""
    layers, slowest = profile(row.profile.removeprefix("pipedream-")), row.bandwidth[-1]
    best, _ = plain.recurrence(layers, row.workers, slowest)
    chosen = plan_pipeline(chain(layers), [row.workers], [slowest])
    assert chosen.pipeline_time_s == pytest.approx(best, rel=1e-12)
    assert chosen.data_parallel_time_s == pytest.approx(plain.stage_time(layers, row.workers, slowest), rel=1e-12)
    time, (cut,) = min(plain.partitions(layers, row.printed, slowest))
    printed = plan_configuration(chain(layers), row.printed, slowest)
    assert printed.pipeline_time_s == pytest.approx(time, rel=1e-12)
    assert time >= best
    first = [layer for layer in layers[:cut] if layer.weights >= 50e6]
    assert not first, "fully connected layers, with most of the weights, stay on the last worker"


def exchange(row, held):
    """A ring over the GPUs of each server and then over the servers moves 2 (g-1)/g and 2 (s-1)/s of the weights."""
    g, s = row.cluster.gpus, row.servers
    return 2 * (g - 1) / g * held / row.cluster.inside + 2 * (s - 1) / s * held / row.cluster.between


@pytest.mark.parametrize("row", rows()[1::2], ids=lambda row: row.label)
def test_one_f_one_b_of_a_row(row):
    """15-1 on two servers of eight, pass by pass, and its speed-up over data parallelism.

    Workers fill the servers in order, so the activations of the first stage cross the network; data parallelism
    exchanges gradients during its backward pass.
    """
    layers, slowest = profile(row.profile.removeprefix("pipedream-")), row.bandwidth[-1]
    _, (cut,) = min(plain.partitions(layers, row.printed, slowest))
    parts = [layers[:cut], layers[cut:]]
    forward, backward = ([sum(one[kind] for one in part) for part in parts] for kind in (0, 1))
    transfer, sync = [parts[0][-1].output / row.cluster.between], [exchange(row, plain.weights(parts[0])), 0.0]
    ends = plain.OneForwardOneBackward(row.printed, forward, backward, transfer, sync).run(300)
    pipeline = Pipeline.build(row.printed, forward, backward, transfer_s=transfer, sync_s=sync)
    run = simulate_pipeline(pipeline, one_f_one_b(row.printed, 300))
    assert run.end[1, 0].tolist() == pytest.approx(ends)
    pace = plain.period(ends, 15)
    together = (sum(forward) + max(sum(backward), exchange(row, plain.weights(layers)))) / row.workers
    plan = plan_configuration(chain(layers), row.printed, slowest)
    assert pipeline_s(plan, row) == pytest.approx(pace, rel=1e-9)
    assert data_parallel_s(plan, row) == pytest.approx(together, rel=1e-12)
    assert together / pace == pytest.approx(data_parallel_s(plan, row) / pipeline_s(plan, row))


@pytest.mark.parametrize("seed", range(6))
def test_steady_state_without_communication(seed):
    """A full pipeline's pace is that of its slowest stage, which is A of the recurrence without communication."""
    random = Random(seed)
    replicas = tuple(random.choice([1, 1, 2, 3]) for _ in range(random.randint(2, 4)))
    forward = [random.uniform(1, 2) * r for r in replicas]
    backward = [2 * time for time in forward]
    nothing = [0.0] * len(replicas)
    ends = plain.OneForwardOneBackward(replicas, forward, backward, nothing[1:], nothing).run(240)
    run = simulate_pipeline(Pipeline.build(replicas, forward, backward), one_f_one_b(replicas, 240))
    assert run.end[1, 0].tolist() == pytest.approx(ends)
    slowest = max((f + b) / r for f, b, r in zip(forward, backward, replicas, strict=True))
    assert run.period_s() >= slowest * (1 - 1e-9)
    if set(replicas) == {1}:
        assert run.period_s() == pytest.approx(slowest)


@pytest.mark.parametrize("seed", range(4))
def test_bytes_sent(seed):
    """2 a_s over a boundary, and 2 (m-1)/m of the weights per replica, once for m minibatches."""
    layers = drawn(seed, 6)
    plan = plan_configuration(chain(layers), (2, 1, 1), 1.0)
    first, second = (len(stage.layers) for stage in plan.stages[:2])
    parts = [layers[:first], layers[first : first + second], layers[first + second :]]
    assert bytes_sent(plan) == pytest.approx(plain.bytes_sent(parts, (2, 1, 1)))
    assert data_parallel_bytes_sent(plan) == pytest.approx(plain.bytes_sent([layers], (4,)))


def test_noam():
    """15-1 admits 2 minibatches per input worker, a straight pipeline of n admits n, data parallelism 1."""
    for replicas, expected in [((15, 1), 2), ((1,) * 4, 4), ((1,) * 16, 16), ((16,), 1), ((2, 1, 1), 2)]:
        assert plain.noam(replicas) == noam(replicas) == expected


@pytest.mark.parametrize("stages", [4, 16])
def test_flushes_of_gpipe(stages):
    """Equal stages lose 48 % to flushes at depth NOAM on 16 workers; model parallelism is as slow as one worker.

    The paper's 55 and 71 % need communication, or unequal stages.
    """
    pipeline = Pipeline.build([1] * stages, [1.0] * stages, [2.0] * stages)
    pace = simulate_pipeline(pipeline, one_f_one_b([1] * stages, 640)).period_s()
    assert pace == pytest.approx(3.0)
    for flush in (stages, 4 * stages):
        assert 1 - pace / gpipe_s(pipeline, flush) == pytest.approx(plain.flush_loss(stages, flush))
    assert model_parallel_s(pipeline) == pytest.approx(stages * pace)
