"""Speeds of types and what a network adds, from their docstrings, on the toy's formulas."""

import math

import numpy as np
import pytest

from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.goodput.speed import relative_speed, single_speed
from rarlib.model.cluster import Cluster
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
