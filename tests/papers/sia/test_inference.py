"""Draws of what Sia's paper does not state: the headline is a point of the space, and every unknown is used."""

import json

import pandas as pd
import pytest

from rarlib.model.errors import InputError
from rarlib.model.unknowns import PARAMETER_PREFIX, draw_parameters
from rarlib.papers.sia import inference
from rarlib.papers.sia.inputs import Inputs, profile_set
from rarlib.papers.sia.runs import Case, measure, round_s, simulate_case

APPS = ("cifar10", "bert", "deepspeech2", "yolov3", "imagenet", "gpt-pmp")
SOURCES = [*(f"sia-profile-{name}" for name in APPS), "sia-philly-6", "sia-physical"]
JOBS = 24
OTHER = {
    "p": 0.5, "lambda": 2.0, "batch limit": "largest", "projection": "paper", "shared limit": False, "restart": 1.2,
    "belief": "true", "profiling": 120.0, "noise": 0.3, "slower": 1.2, "clock": "first job", "tick": 0.0,
    "free moves": False, "phantom": 0.0, "policy": "max-min-fairness",
}  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("sia") / "sia.json"
    found.write_text(json.dumps(profile_set("sia", {"sources": SOURCES}).data))
    return found


@pytest.fixture(scope="module")
def inputs(path):
    return Inputs.read(path)


@pytest.mark.parametrize("scheduler", ["sia", "gavel"])
@pytest.mark.parametrize(("cluster", "family", "file"), [("testbed", "testbed", 1), ("heterogeneous", "philly", 6)])
def test_the_headline_is_in_the_space(inputs, scheduler, cluster, family, file):
    """With its parameters every metric is that of the headline's run on the same file, to the last digit."""
    case = Case(inputs.jobs(family, file, JOBS), cluster, scheduler, {}, round_s(scheduler))
    expected = measure(simulate_case(case, inputs.profiles), round_s(scheduler))
    found = inference.SiaBench(inputs, 6, JOBS).metrics(inference.HEADLINE, scheduler, cluster)
    assert found == {name: value for name, value, _ in expected}


def test_ids_are_those_of_the_published_numbers():
    listed = pd.read_csv("data/published.csv").set_index("id")
    series = {"sia": "Philly/Sia", "gavel": "Philly/Gavel+TJ"}
    names = {"avg_jct": "avg JCT", "p99_jct": "p99 JCT", "makespan": "makespan", "gpu_hours": "GPU-hours per job"}
    names["contention_mean"] = "contention mean"
    for scheduler, ids in inference.TABLE_3.items():
        for metric, published in ids.items():
            assert tuple(listed.loc[published, ["where", "series", "x"]]) == (
                "Table 3",
                series[scheduler],
                names[metric],
            )
        assert listed.loc[inference.TESTBED[scheduler], "series"].lower() == scheduler
        assert listed.loc[inference.TESTBED[scheduler], "x"] == "simulated avg JCT"


def test_every_unknown_is_drawn_and_used(inputs):
    """Each one reaches the scheduler, the cost model or the clock."""
    assert OTHER.keys() == inference.HEADLINE.keys() == {unknown.name for unknown in inference.UNKNOWNS}
    seen = []

    class Recorded(dict):
        def __getitem__(self, name):
            seen.append(name)
            return super().__getitem__(name)

    bench = inference.SiaBench(inputs, 6, 3)
    for scheduler in ("sia", "gavel"):
        bench.metrics(Recorded(inference.HEADLINE), scheduler, "testbed")
    assert set(seen) == OTHER.keys()


@pytest.mark.parametrize("name", ["slower", "restart", "profiling", "noise", "lambda", "batch limit"])
def test_an_unknown_changes_only_what_it_should(inputs, name):
    """Slower or longer restarts lengthen the run of a job alone; estimates do not change what Gavel does."""
    bench = inference.SiaBench(inputs, 6, JOBS)
    other = {**inference.HEADLINE, name: OTHER[name]}
    before, after = (bench.metrics(each, "gavel", "testbed") for each in (inference.HEADLINE, other))
    if name in ("slower", "restart", "profiling"):
        assert after["avg_jct"] > before["avg_jct"]
    else:
        assert after == before


def test_rows_of_the_draws(path):
    """A row per parameter and published number of each draw, parameters as drawn."""
    table = inference.run_cell("draws", "sia", {"draws": 2, "file": 6, "jobs": 3}, path)
    drawn = draw_parameters(inference.UNKNOWNS, 2)
    found = table[table["metric"] == f"{PARAMETER_PREFIX}lambda"]["value"]
    assert found.tolist() == pytest.approx(drawn["lambda"].tolist())
    assert table.groupby("seed").size().tolist() == [len(inference.UNKNOWNS) + 12] * 2


def test_shares_of_the_draws_make_the_whole_table(path):
    """Cells are joined in order; the rows do not tell how the draws were divided."""
    settings = {"draws": 3, "file": 6, "jobs": 3}
    shares = [inference.run_cell("draws", f"sia-{k}-of-2", settings, path) for k in (1, 2)]
    pd.testing.assert_frame_equal(
        pd.concat(shares, ignore_index=True), inference.run_cell("draws", "sia", settings, path)
    )


@pytest.mark.parametrize("draws", [1, 7, 16, 2000])
def test_every_draw_has_one_share(draws):
    """Shares follow one another, and differ by one draw at most."""
    shares = [inference.draws_of(f"sia-{k}-of-16", draws) for k in range(1, 17)]
    assert [number for share in shares for number in share] == list(range(draws))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    for wrong in ("sia-0-of-16", "sia-17-of-16"):
        with pytest.raises(InputError, match="no share"):
            inference.draws_of(wrong, draws)


def test_an_unknown_table_is_named(path):
    with pytest.raises(InputError, match="draws"):
        inference.run_cell("table3", "sia", {"draws": 1, "file": 6, "jobs": 3}, path)
