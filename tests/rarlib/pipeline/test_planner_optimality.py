"""The planner against enumeration of every pipeline, on chains and branched graphs, option by option."""

import math
from itertools import accumulate, pairwise, permutations

import pytest
from brute import Problem
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.planner import PLANNER_VARIANTS, Options, plan_configuration, plan_pipeline

size = st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 40.0])
time = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 7.0])
layer = st.tuples(time, time, size, size)


def named(costs):
    return [Layer(f"l{at}", "", *some) for at, some in enumerate(costs)]


@st.composite
def chains(draw, most=4):
    return LayerGraph.chain(named(draw(st.lists(layer, min_size=1, max_size=most))))


@st.composite
def branched(draw, most=6):
    """One source; every other layer follows one or two earlier ones."""
    layers = named(draw(st.lists(layer, min_size=2, max_size=most)))
    edges = set()
    for at in range(1, len(layers)):
        for before in draw(st.sets(st.integers(0, at - 1), min_size=1, max_size=2)):
            edges.add((f"l{before}", f"l{at}"))
    return LayerGraph(tuple(layers), tuple(sorted(edges)))


flat = st.sampled_from([((1,), (1.0,)), ((2,), (4.0,)), ((3,), (1.0,)), ((4,), (0.5,))])
nested = st.sampled_from(
    [((2, 2), (4.0, 1.0)), ((2, 3), (8.0, 0.5)), ((3, 2), (1.0, 4.0)), ((2, 2, 2), (9.0, 3.0, 1.0))]
)


def agrees(graph, hierarchy, variant, **switches):
    """Whether planner and enumeration find the same time, or both find none."""
    machines, bandwidth = hierarchy
    expected = Problem(graph, machines, bandwidth, variant, **switches).fastest()
    options = Options(
        variant=variant,
        straight=switches.get("straight", False),
        memory=switches.get("memory"),
        use_fewer_machines=switches.get("fewer", False),
        compression=switches.get("ratio"),
    )
    if math.isinf(expected):
        with pytest.raises(InputError, match="no pipeline"):
            plan_pipeline(graph, machines, bandwidth, options)
        return True
    plan = plan_pipeline(graph, machines, bandwidth, options)
    assert plan.exact
    return plan.pipeline_time_s == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("variant", PLANNER_VARIANTS)
@settings(max_examples=15)
@given(graph=branched(5), hierarchy=nested)
def test_branches_on_several_levels(variant, graph, hierarchy):
    assert agrees(graph, hierarchy, variant)


@pytest.mark.parametrize("variant", PLANNER_VARIANTS)
@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"straight": True},
        {"memory": 60.0},
        {"memory": 9.0},
        {"fewer": True},
        {"ratio": 1.0},
        {"ratio": 3.0},
        {"fewer": True, "memory": 60.0},
        {"straight": True, "fewer": True, "memory": 60.0, "ratio": 0.5},
    ],
    ids=lambda switches: "-".join(switches) or "none",
)
@settings(max_examples=30)
@given(graph=chains(), hierarchy=st.one_of(flat, nested))
def test_every_option(variant, switches, graph, hierarchy):
    assert agrees(graph, hierarchy, variant, **switches)


@pytest.mark.parametrize("variant", PLANNER_VARIANTS)
@settings(max_examples=40)
@given(graph=branched(6), replicas=st.sampled_from([(1,), (3,), (2, 1), (1, 2), (1, 1, 1), (2, 1, 1)]))
def test_a_given_configuration_is_cut_at_its_best_places(variant, graph, replicas):
    problem = Problem(graph, (sum(replicas),), (2.0,), variant, ratio=1.0)
    whole, ends = problem.whole, list(accumulate(replicas))
    between = [s for s in problem.sets if s and s < whole]
    expected = min(
        (
            problem.slowest([frozenset(), *inner, whole], list(zip(replicas, ends, strict=True)), 1)
            for inner in permutations(between, len(replicas) - 1)
            if all(a < b for a, b in pairwise(inner))
        ),
        default=math.inf,
    )
    options = Options(variant=variant, compression=1.0)
    if math.isinf(expected):
        with pytest.raises(InputError, match="no pipeline"):
            plan_configuration(graph, replicas, 2.0, options)
        return
    plan = plan_configuration(graph, replicas, 2.0, options)
    assert plan.pipeline_time_s == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert tuple(stage.replicas for stage in plan.stages) == replicas
