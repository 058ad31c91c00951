"""Steps by placement: rows made from a law are predicted by it; real ones beside their text."""

from dataclasses import replace

import pandas as pd
import pytest

from artifact.machines.morphling import Morphling
from artifact.machines.predictor import predictors
from artifact.machines.predictors.step import ring_terms
from rarlib.cost.goodput.throughput import overlapped

BY_NAME = {each.name: each for each in predictors() if each.quantity == "step"}
SHAPES = ("1", "2", "11", "4", "22", "112", "8", "44", "26", "233", "1111112")


def source(seconds, *, optimizer=0.5, batch=64, shapes=SHAPES, **changed):
    """Rows of one model and plan, whose step is a function of nodes, GPUs and the smallest node."""
    rows = []
    for shape in shapes:
        by_node = tuple(map(int, shape))
        rows.append({
            "id": f"r-{shape}", "model": "bert", "plan": "dp", "pipeline": 1, "tensor": 1, "data": sum(by_node),
            "placement": shape, "nodes": len(by_node), "gpus": sum(by_node), "global_batch": batch, "cpu_threads": "",
            "iteration_s": seconds(by_node), "forward_s": 0.1, "backward_exchange_s": 0.1, "optimizer_s": optimizer,
            "use": "yes",
        } | changed)  # fmt: skip
    again = pd.DataFrame(columns=["same_as", "iteration_s", "authors_iteration_s"])
    return Morphling({"placements": pd.DataFrame(rows), "validation": again})


def seven(by_node):
    """Pollux' law with an optimizer of half a second: an exchange that does not grow with the replicas, no overlap."""
    gpus = sum(by_node)
    exchange = 0.0 if gpus == 1 else (3.0 if len(by_node) > 1 else 1.0)
    return 0.5 + overlapped(64 / gpus * 0.25, exchange, 1.0)


def test_steps_that_obey_the_seven_parameters_are_predicted():
    """Placements of several nodes by others of several nodes; the law's own penalty keeps it from being exact."""
    found = BY_NAME["pollux-optimizer"].predict(source(seven))
    assert found.keys() == {f"r-{shape}" for shape in SHAPES}
    for shape in ("112", "44", "26", "233", "1111112"):
        assert found[f"r-{shape}"] == pytest.approx(seven(tuple(map(int, shape))), rel=0.01)


def test_fitted_on_one_node_other_nodes_cost_a_tenth_more():
    """Pollux takes an exchange between nodes as 1.1 times that inside until it has seen one."""
    found = BY_NAME["pollux-from-one-node"].predict(source(seven))
    assert found["r-44"] == pytest.approx(0.5 + 2.0 + 1.1, rel=0.01)
    assert found["r-44"] < 0.75 * seven((4, 4))


def ring(by_node):
    gpus = sum(by_node)
    wide = 1.0 if len(by_node) == 1 else 8.0 / ((min(by_node) + 1) // 2)
    return 0.2 + 0.25 * 64 / gpus + 2 * (gpus - 1) / gpus * wide


def test_steps_of_a_ring_over_the_narrowest_node_are_predicted_exactly():
    """Two placements with two interfaces each, so that one is left when the other one is predicted."""
    shapes = (*SHAPES, "35")
    found = BY_NAME["narrowest-node"].predict(source(ring, optimizer=0.1, shapes=shapes))
    for shape in shapes:
        assert found[f"r-{shape}"] == pytest.approx(ring(tuple(map(int, shape))), rel=1e-6)


@pytest.mark.parametrize(("shape", "interfaces"), [("11", 1), ("112", 1), ("26", 1), ("33", 2), ("44", 2), ("88", 4)])
def test_the_node_with_the_fewest_gpus_has_that_many_interfaces(shape, interfaces):
    row = source(ring, shapes=(shape,)).steps[0]
    passes = 2 * (row.gpus - 1) / row.gpus
    assert ring_terms(row) == pytest.approx([1.0, 64 / row.gpus, 0.0, passes / interfaces])


def test_the_row_that_is_predicted_is_never_seen():
    """A row that is wrong by a factor of 100 changes all predictions but its own."""
    right = source(ring, optimizer=0.1)
    wrong = source(lambda by_node: ring(by_node) * (100 if by_node == (4, 4) else 1), optimizer=0.1)
    for name in ("pollux-optimizer", "narrowest-node", "nearest-placement"):
        one, other = (BY_NAME[name].predict(each) for each in (right, wrong))
        assert one["r-44"] == other["r-44"], name
        assert one != other, name


def test_models_and_plans_do_not_mix():
    """Twice the rows under another plan, ten times as long, change nothing."""
    one, other = source(ring), source(lambda by_node: 10 * ring(by_node), plan="zero-dp")
    other.frames["placements"]["id"] += "-z"
    both = replace(one, frames={**one.frames, "placements": pd.concat([s.frames["placements"] for s in (one, other)])})
    alone, mixed = (BY_NAME["narrowest-node"].predict(each) for each in (one, both))
    assert len(mixed) == 2 * len(alone)
    assert {row: mixed[row] for row in alone} == alone


def test_the_nearest_row_by_hand():
    """2 GPUs on one node: nearest are 1 and 4 on one node (a factor of 2), but two on two nodes have as many GPUs."""
    found = BY_NAME["nearest-placement"].predict(source(ring, shapes=("1", "2", "11", "4", "22")))
    assert found["r-2"] == ring((1, 1)) and found["r-11"] == ring((2,))
    assert found["r-1"] == ring((2,))
    assert found["r-22"] == ring((4,))


@pytest.mark.real
def test_the_rows_are_those_of_the_file(measured_texts, measured_frames):
    """One GPU of each replica, no pipeline, five models: 229 of 285 rows that ran."""
    steps = Morphling(measured_frames("morphling")).steps
    plain = [
        r
        for r in measured_texts("morphling")["placements"]
        if r["use"] == "yes" and r["pipeline"] == r["tensor"] == "1"
    ]
    wanted = {r["id"]: float(r["iteration_s"]) for r in plain if not r["model"].startswith(("llama", "t5-3b"))}
    assert {row.id: row.iteration_s for row in steps} == wanted
    assert len(steps) == 229
