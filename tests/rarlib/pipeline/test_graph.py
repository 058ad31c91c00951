"""Graphs of layers and PipeDream's text format, with one readable line for every way to get it wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import Layer, LayerGraph, read_graph


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
    graph = LayerGraph(layers("ab"), (("a", "b"), ("a", "b")))
    assert (graph.edges, graph.before) == ((("a", "b"),), ((), (0,)))


COSTS = "forward_compute_time=1.5, backward_compute_time=2.0, activation_size=[8.0; 4.0], parameter_size=100.000"
GOOD = f"node2 -- Linear(2, 3) -- {COSTS}\nnode1 -- Input -- {COSTS} -- stage_id=3\n\tnode1 -- node2\n"


def read(tmp_path, text):
    path = tmp_path / "graph.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_graph(path)


def test_units_and_lists(tmp_path):
    """Milliseconds become seconds; a list of outputs counts as their sum; nodes stand in any order."""
    graph = read(tmp_path, GOOD)
    first, second = graph.layers
    assert (first.name, second.name, second.description) == ("node1", "node2", "Linear(2, 3)")
    assert (second.forward_s, second.backward_s) == (0.0015, 0.002)
    assert (second.activation_bytes, second.parameter_bytes) == (12.0, 100.0)
    assert graph.edges == (("node1", "node2"),)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("=1.5,", "=-1.5,"), "row 1, field forward_compute_time: must be a finite number of at least 0, found '-1.5'"),
        (("=2.0,", "=inf,"), "row 1, field backward_compute_time: must be a finite"),
        (("[8.0; 4.0]", "[8.0; x]"), "row 1, field activation_size: must be a number, found 'x'"),
        (("[8.0; 4.0]", "[8.0; nan]"), "row 1, field activation_size: must be a finite"),
        (("=100.000", "=[1.0; 2.0]"), "row 1, field parameter_size: must be a number"),
        (("parameter_size", "size"), "row 1, field size: unknown field 'size'; known: forward_compute_time"),
        ((", parameter_size=100.000", ""), "row 1, field parameter_size: is missing"),
        (
            ("backward_compute_time=2.0", "forward_compute_time=2.0"),
            "row 1, field forward_compute_time: is given twice",
        ),
        ((" -- Linear(2, 3)", ""), "row 1: a node must read"),
        (("stage_id=3", "stage=3"), "row 2, field stage_id"),
        (("\tnode1 -- node2", "\tnode1 node2"), "row 3: an edge must read"),
        (("\tnode1 -- node2", "\tnode1 -- node9"), "row 3, field node1 -- node9: the edge names node9"),
        (("\tnode1 -- node2", "\tnode1 -- node1"), "row 3, field node1 -- node1: a layer cannot follow itself"),
        (("\tnode1 -- node2\n", "\tnode1 -- node2\n\tnode2 -- node1\n"), "field node.: the edges form a cycle"),
        (("node2 -- Lin", "node1 -- Lin"), "row 2, field node1: a layer of this name exists already"),
        ((GOOD, ""), "must hold at least one layer"),
    ],
)
def test_every_broken_rule_is_named(tmp_path, change, complaint):
    with pytest.raises(InputError, match=complaint) as error:
        read(tmp_path, GOOD.replace(*change, 1))
    assert "graph.txt" in str(error.value)


@given(st.integers(0, len(GOOD) - 1), st.text(st.characters(codec="utf-8"), max_size=3))
def test_any_damage_is_an_input_error_or_a_graph(tmp_path_factory, at, inserted):
    try:
        graph = read(tmp_path_factory.mktemp("graph"), GOOD[:at] + inserted + GOOD[at + 1 :])
    except InputError:
        return
    assert len(graph) >= 1
