"""Speeds of types and what a network adds, from their docstrings, on the toy's formulas."""

import math
from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.goodput.speed import relative_speed, single_speed
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from tests.cost.goodput.conftest import step


def test_speeds_of_types(toy: Profiles) -> None:
    """T4: 32 samples in 0.42 s; RTX: 24 in 0.17 s; a pipeline of 8 RTX takes 0.1 s for a sample, of 2 A100 0.2 s."""
    on_t4, on_rtx = 32 / step(1, 1, 32)[0], 24 / step(1, 1, 24, 0.5)[0]
    assert single_speed(toy, "bert", "t4") == pytest.approx(on_t4)
    assert single_speed(toy, "bert", "rtx") == pytest.approx(on_rtx)
    assert single_speed(toy, "gpt_pmp", "rtx") == pytest.approx(10.0)
    names = ["bert", "gpt_pmp", "bert", "bert"]
    jobs = Jobs.build(submit_s=np.zeros(4), gpus=[1, 8, 1, 1], duration_s=np.ones(4), application=names)
    bert, gpt = math.log(on_rtx / on_t4), math.log(5.0 / 10.0)
    assert relative_speed(jobs, Cluster.parse("t4:1x4,rtx:2x8,a100:1x8"), toy) == pytest.approx(
        [1.0, math.exp(bert), math.exp(bert), 1.0]
    )
    assert relative_speed(jobs, Cluster.parse("rtx:1x8,a100:1x8"), toy) == pytest.approx([1.0, math.exp(gpt)])


def test_a_network_by_hand() -> None:
    """f = 1 + 1.3 (k - 1) by default; without contention 1; links relative to those of the measurements."""
    cluster = Cluster.of([2, 4])
    assert SpanningNetwork().sharing(cluster) == pytest.approx([1.0, 1.0, 2.3, 3.6, 4.9])
    assert SpanningNetwork(alpha=0.0, xi=0.5).sharing(cluster).tolist() == [1.0, 1.0, 1.0, 1.5, 2.0]
    assert SpanningNetwork(contended=False).sharing(cluster).tolist() == [1.0] * 5
    node, rack = SpanningNetwork(gbps=25.0).links(cluster)
    assert node.tolist() == [25.0 / cluster.node_gbps] * 2
    assert rack.tolist() == [25.0 / each for each in cluster.rack_gbps]
    wrong: list[dict[str, Any]] = [{"overhead_s": -0.1}, {"gbps": 0.0}, {"alpha": -1.0}, {"xi": 0.0}, {"xi": 1.1}]
    for given in wrong:
        with pytest.raises(InputError, match=f"field {next(iter(given))}"):
            SpanningNetwork(**given)
