"""PipeDream's text format: units, lists, and one readable line for every way to get it wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.errors import InputError
from rarlib.pipeline.graph_text import read_graph

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
    """Nobody sees a traceback, wherever a file is damaged."""
    try:
        graph = read(tmp_path_factory.mktemp("graph"), GOOD[:at] + inserted + GOOD[at + 1 :])
    except InputError:
        return
    assert len(graph) >= 1
