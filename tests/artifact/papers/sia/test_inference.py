"""Draws of what Sia's paper does not state: the headline is a point of the space."""

import pytest

from artifact.papers.sia import inference
from artifact.papers.sia.inputs import Inputs
from rarlib.presets.sia import Case, measure, round_s, simulate_case

JOBS = 24
OTHER = {"slower": 1.2, "restart": 1.2, "profiling": 120.0, "noise": 0.3, "lambda": 2.0, "batch limit": "largest"}


@pytest.fixture(scope="module")
def inputs(data):
    return Inputs.read(data)


@pytest.mark.parametrize("scheduler", ["sia", "gavel"])
@pytest.mark.parametrize(("cluster", "family", "file"), [("testbed", "testbed", 1), ("heterogeneous", "philly", 6)])
def test_the_headline_is_in_the_space(inputs, scheduler, cluster, family, file):
    """With its parameters every metric is that of the headline's run on the same file, to the last digit."""
    case = Case(inputs.jobs(family, file, JOBS), cluster, scheduler, {}, round_s(scheduler))
    expected = measure(simulate_case(case, inputs.profiles), round_s(scheduler))
    found = inference.SiaBench(inputs, 6, JOBS).metrics(inference.HEADLINE, scheduler, cluster)
    assert found == {name: value for name, value, _ in expected}


@pytest.mark.parametrize("name", OTHER)
def test_an_unknown_changes_only_what_it_should(inputs, name):
    """Slower or longer restarts lengthen the run of a job alone; estimates do not change what Gavel does."""
    bench = inference.SiaBench(inputs, 6, JOBS)
    other = {**inference.HEADLINE, name: OTHER[name]}
    before, after = (bench.metrics(each, "gavel", "testbed") for each in (inference.HEADLINE, other))
    if name in ("slower", "restart", "profiling"):
        assert after["avg_jct"] > before["avg_jct"]
    else:
        assert after == before
