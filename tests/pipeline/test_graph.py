"""What a layer graph refuses, and the order it brings its layers into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import Layer, LayerGraph


def layers(text):
    return tuple(Layer(name) for name in text)


@pytest.mark.parametrize(
    ("nodes", "edges", "complaint"),
    [
        ("", (), "at least one layer"),
        ("aa", (), "field a: a layer of this name exists already"),
        ("ab", (("a", "c"),), "field a -- c: the edge names c, which is not a layer"),
        ("ab", (("a", "a"),), "field a -- a: a layer cannot follow itself"),
        ("abc", (("a", "b"), ("b", "c"), ("c", "b")), "field b: the edges form a cycle"),
    ],
)
def test_what_is_no_graph_is_refused(nodes, edges, complaint):
    with pytest.raises(InputError, match=complaint):
        LayerGraph(layers(nodes), edges)


@pytest.mark.parametrize("field", ["forward_s", "backward_s", "activation_bytes", "parameter_bytes"])
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_costs_are_finite_and_not_negative(field, value):
    with pytest.raises(InputError, match=f"field a: {field} must be a finite number"):
        LayerGraph((Layer("a", **{field: value}),))


@given(
    st.permutations(range(6)), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] < e[1]))
)
def test_topological_order_whatever_order_is_given(order, edges):
    """Every layer comes after its predecessors and keeps its costs; taking nothing away changes nothing."""
    graph = LayerGraph(
        tuple(Layer(f"l{at}", forward_s=float(at)) for at in order), tuple((f"l{a}", f"l{b}") for a, b in sorted(edges))
    )
    place = {layer.name: at for at, layer in enumerate(graph.layers)}
    assert all(place[f"l{a}"] < place[f"l{b}"] for a, b in edges)
    assert [f"l{int(cost)}" for cost in graph.forward_s] == [layer.name for layer in graph.layers]
    assert {(a, b) for b, before in enumerate(graph.before) for a in before} == {
        (a, b) for a, after in enumerate(graph.after) for b in after
    }
    assert graph.without([]).layers == graph.layers


def test_free_layers_keep_the_given_order_when_others_go():
    """x reaches the front only because what held it back is gone; it was given before y."""
    graph = LayerGraph(layers("xyi"), (("i", "x"),))
    assert [layer.name for layer in graph.layers] == ["y", "i", "x"]
    assert [layer.name for layer in graph.without(["i"]).layers] == ["x", "y"]


def test_an_edge_given_twice_counts_once():
    """A layer may read the same output twice."""
    graph = LayerGraph(layers("ab"), (("a", "b"), ("a", "b")))
    assert (graph.edges, graph.before) == ((("a", "b"),), ((), (0,)))
