"""The planner against the authors' optimizer, closed forms, and its own promises."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.planner import PLANNER_VARIANTS, Options, plan_pipeline
from rarlib.pipeline.profiles import load_profile

# What the authors' optimizer printed for their profiles, run as optimizer_graph_hierarchical.py with these options.
OPTIMIZER = list(csv.DictReader((Path(__file__).parent / "optimizer.csv").open()))

EQUALLY_FAST = {"-n 16 --activation_compression_ratio 1", "-n 16 -b 1250000000 --activation_compression_ratio 1"}
"""Its pipelines of AlexNet, 13-1-1-1 and 14-1-1, are as fast as 15-1, which ours prefers for having fewer stages."""


def asked(text):
    """Machines, bandwidths and options of a command line of the optimizer."""
    words, machines, bandwidth, options = text.split(), [], [], {}
    target: list = []
    for word in words:
        if word in ("-n", "-b"):
            target = machines if word == "-n" else bandwidth
        elif word == "--use_memory_constraint":
            options["memory"] = 16e9
        elif word == "--activation_compression_ratio":
            target = []
        elif word.startswith("--"):
            options[{"--straight_pipeline": "straight"}.get(word, word[2:])] = True
        elif target is machines or target is bandwidth:
            target.append(float(word))
        else:
            options["compression"] = float(word)
    return [int(m) for m in machines], bandwidth or [1e9], Options(variant="as-coded", **options)


@pytest.mark.real
@pytest.mark.parametrize("row", OPTIMIZER, ids=lambda row: f"{row['model']} {row['options']}")
def test_the_authors_optimizer(row):
    """Every row of the reference to 1e-9, ten times closer than asked for; configurations too, but for ties."""
    profile = load_profile(f"pipedream-{row['model']}")
    if profile.standin:
        pytest.skip("no mirror at hand; set RARLIB_MIRROR")
    machines, bandwidth, options = asked(row["options"])
    plan = plan_pipeline(profile.graph, machines, bandwidth, options)
    assert plan.states == int(row["states"])
    assert plan.pipeline_time_s == pytest.approx(float(row["pipeline_stage_s"]), rel=1e-9)
    assert plan.single_machine_time_s == pytest.approx(float(row["single_machine_s"]), rel=1e-9)
    assert plan.data_parallel_time_s / plan.pipeline_time_s == pytest.approx(float(row["speedup_vs_dp"]), rel=1e-9)
    outermost = "-".join(str(group.replicas) for group in plan.levels[-1])
    if row["model"] == "alexnet" and row["options"] in EQUALLY_FAST:
        assert outermost == "15-1"
    elif row["model"] in ("alexnet", "vgg16"):  # the others are branched: their ties depend on hashing
        assert outermost == row["config"]


def test_convolutions_first_dense_layers_last():
    """A miniature VGG by hand: 6 s of light layers, 1 s of a layer whose weights take 4 s to exchange.

    Four workers at 1 byte/s. Replicating all: (7 + 4*3/4*2)/4 = 3.25 s as coded, max(7, 2*3*2)/4 = 3 as published.
    3-1 takes max(6/3, 1) = 2 s either way; no other split is faster, since the light layers cannot be divided.
    """
    graph = LayerGraph.chain([Layer("convolutions", "", 2.0, 4.0, 0.5, 0.0), Layer("dense", "", 0.25, 0.75, 0.1, 2.0)])
    for variant, replicated in (("as-coded", 3.25), ("published", 3.0)):
        plan = plan_pipeline(graph, [4], [1.0], Options(variant=variant, compression=1.0))
        assert plan.configuration == "3-1"
        assert plan.pipeline_time_s == 2.0
        assert plan.data_parallel_time_s == replicated
        assert plan.single_machine_time_s == 7.0
        assert plan.noam == 2
        convolutions, dense = plan.stages
        assert (convolutions.forward_s, convolutions.backward_s, convolutions.sync_s) == (2.0, 4.0, 0.0)
        assert (convolutions.output_bytes, dense.input_bytes, dense.output_bytes) == (0.5, 0.5, 0.0)
        assert (convolutions.in_flight, dense.in_flight) == (2, 1)
        assert convolutions.memory_bytes == 2 * 0.5


@pytest.mark.parametrize("variant", PLANNER_VARIANTS)
@settings(max_examples=30)
@given(
    costs=st.lists(st.tuples(st.floats(0.1, 9), st.floats(0, 50), st.floats(0, 50)), min_size=4, max_size=12),
    machines=st.sampled_from([(4,), (2, 2), (2, 3)]),
)
def test_promises(variant, costs, machines):
    """No slower than data parallelism, no faster than all work spread evenly; every layer in one stage, in order."""
    graph = LayerGraph.chain(Layer(f"l{at}", "", c, c, a, w) for at, (c, a, w) in enumerate(costs))
    plan = plan_pipeline(graph, machines, [10.0, 1.0][: len(machines)], Options(variant=variant, compression=1.0))
    workers = 1
    for m in machines:
        workers *= m
    assert plan.single_machine_time_s / workers <= plan.pipeline_time_s * (1 + 1e-12)
    assert plan.pipeline_time_s <= plan.data_parallel_time_s * (1 + 1e-12)
    assert [name for stage in plan.stages for name in stage.layers] == [layer.name for layer in graph.layers]
    assert plan.workers == workers
    slowest = max(group.time_s for group in plan.levels[-1])
    assert slowest == pytest.approx(plan.pipeline_time_s, rel=1e-9)
    assert max(map(plan.time_s, plan.stages)) <= plan.pipeline_time_s * (1 + 1e-9)


def test_straight_pipelines_have_as_many_stages_as_workers():
    plan = plan_pipeline(
        LayerGraph.chain(Layer(f"l{at}", "", 1.0) for at in range(8)), [4], [1.0], Options(straight=True)
    )
    assert plan.configuration == "1-1-1-1"
    assert plan.pipeline_time_s == 2.0
    assert plan.noam == 4
    assert [stage.in_flight for stage in plan.stages] == [4, 3, 2, 1]


def test_little_memory_forces_replication():
    """Two layers with weights of 2 bytes and outputs of 3: the first of two workers keeps two minibatches, 10 bytes.

    With 9 bytes neither that nor a copy of both layers fits; if the second layer is empty, the copy does.
    """
    both = LayerGraph.chain([Layer("a", "", 1.0, 0.0, 3.0, 2.0), Layer("b", "", 1.0, 0.0, 3.0, 2.0)])
    assert plan_pipeline(both, [2], [100.0], Options(memory=10.0, straight=True)).stages[0].memory_bytes == 10.0
    with pytest.raises(InputError, match="no pipeline on 2 machines"):
        plan_pipeline(both, [2], [100.0], Options(memory=9.0))
    light = LayerGraph.chain([Layer("a", "", 1.0, 0.0, 3.0, 2.0), Layer("b", "", 1.0)])
    assert plan_pipeline(light, [2], [1.0], Options(memory=10.0, compression=9.0)).configuration == "1-1"
    assert plan_pipeline(light, [2], [1.0], Options(memory=9.0, compression=9.0)).configuration == "2"


@pytest.mark.parametrize(
    ("machines", "bandwidth", "options", "complaint"),
    [
        ([], [], {}, "--machines"),
        ([0], [1.0], {}, "--machines"),
        ([2, 2], [1.0], {}, "--bandwidth: must name one value per level, 2, found 1"),
        ([2], [0.0], {}, "--bandwidth"),
        ([2], [float("nan")], {}, "--bandwidth"),
        ([2], [1.0], {"variant": "best"}, "--variant"),
        ([2], [1.0], {"memory": -1.0}, "--memory"),
        ([2], [1.0], {"compression": 0.0}, "--compression"),
        ([2], [1.0], {"max_states": 0}, "--max-states"),
        ([2], [1.0], {"straight": True}, "no pipeline on 2 machines"),
    ],
)
def test_bad_requests_are_named(machines, bandwidth, options, complaint):
    with pytest.raises(InputError, match=complaint):
        plan_pipeline(LayerGraph.chain([Layer("a")]), machines, bandwidth, Options(**options))


def test_exploding_graphs_are_planned_with_a_bound():
    """Ten parallel branches of four layers, 5^10 states: planned all the same, and the loss is bounded."""
    branches = [[f"b{b}{at}" for at in range(4)] for b in range(10)]
    layers = [
        Layer("in", "", 1.0),
        *[Layer(name, "", 1.0, 0.0, 1.0, 1.0) for run in branches for name in run],
        Layer("out"),
    ]
    edges = [(a, b) for run in branches for a, b in zip(["in", *run], [*run, "out"], strict=True)]
    plan = plan_pipeline(LayerGraph(tuple(layers), tuple(edges)), [4], [1e9])
    assert plan.method == "branches"
    assert plan.lower_bound_s == 41.0 / 4
    assert plan.lower_bound_s <= plan.pipeline_time_s <= 1.1 * plan.lower_bound_s
