"""`rarlib plan`: what it prints and how it ends."""

import json

import pytest

GRAPH = """\
node1 -- a -- forward_compute_time=2000, backward_compute_time=4000, activation_size=0.5, parameter_size=0.0
node2 -- b -- forward_compute_time=250, backward_compute_time=750, activation_size=0.1, parameter_size=2.0
\tnode1 -- node2
"""


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(GRAPH)
    return path


def test_a_plan_is_json(graph, run):
    """The miniature VGG of tests/rarlib/pipeline/test_planner.py, worked out there."""
    code, told = run("plan", "--profile", graph, "--machines", 4, "--bandwidth", 1, "--variant", "as-coded")
    plan = json.loads(told.out)
    assert code == 0
    assert (plan["configuration"], plan["pipeline_time_s"], plan["data_parallel_time_s"]) == ("3-1", 2.0, 3.25)
    assert (plan["single_machine_time_s"], plan["noam"], plan["states"], plan["exact"]) == (7.0, 2, 2, True)
    assert plan["speedup_over_data_parallel"] == 3.25 / 2.0
    assert [(s["first"], s["last"], s["replicas"], s["time_s"]) for s in plan["stages"]] == [
        ("node1", "node1", 3, 2.0),
        ("node2", "node2", 1, 1.0),
    ]
    assert all(stage["memory_bytes"] > 0 for stage in plan["stages"])


@pytest.mark.parametrize(
    ("extra", "complaint"),
    [
        (["--bandwidth", "1", "2", "--machines", "2"], "--bandwidth: must name one value per level"),
        (["--machines", "2.5", "--bandwidth", "1"], "--machines"),
        (["--machines", "3", "--bandwidth", "1", "--straight"], "no pipeline on 3 machines"),
        (["--machines", "2", "--bandwidth", "1", "--variant", "x"], "--variant"),
        (["--machines", "2"], "--bandwidth"),
        (["--machines", str(2**63), "--bandwidth", "1"], "--machines: more than 1,024 components of a level"),
    ],
)
def test_bad_requests_end_with_2_and_one_line(graph, extra, complaint, refused):
    assert complaint in refused("plan", "--profile", graph, *extra)
