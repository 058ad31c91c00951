"""Predicted seconds of the jobs of a run: as recorded where they are, by rule where they are not."""

import copy
import statistics
from pathlib import Path

import pandas as pd
import pytest

from artifact.run import cell_times
from artifact.run.forecast import UNKNOWN_S, planned, predict_seconds
from artifact.run.settings import merged

ROOT = Path(__file__).parents[3]
DEFAULT = merged(ROOT / "config/config.yaml")
SMOKE = merged(ROOT / "config/config.yaml", ROOT / "config/smoke.yaml")


def test_unknown_jobs_take_the_median_of_their_rule():
    """A new scheduler has no record; a rule that has none takes a guess, a target without work nothing."""
    known = {("cell", "a-b-c"): 1.0, ("cell", "a-b-d"): 2.0, ("cell", "a-b-e"): 30.0, ("claims", ""): 7.0}
    folder = "results/own/benchmarks"
    jobs = [
        (1, "cell", "a/b/e", f"{folder}/cell/a-b-e.tsv"),
        (2, "cell", "a/b/new", f"{folder}/cell/a-b-new.tsv"),
        (3, "claims", "", f"{folder}/claims.tsv"),
        (4, "figure", "x", f"{folder}/figure/x.tsv"),
        (5, "all", "", None),
    ]
    expected = [30.0, statistics.median([1.0, 2.0, 30.0]), 7.0, UNKNOWN_S, 0.0]
    assert [job.seconds for job in planned(jobs, known)] == expected
    assert [job.seconds for job in planned(jobs, {})] == [UNKNOWN_S] * 4 + [0.0]


@pytest.mark.parametrize(("command", "config"), [("reproduce", DEFAULT), ("smoke", SMOKE)])
def test_commands_are_predicted_as_recorded(command, config):
    """Every job of theirs has a record of its own."""
    records = pd.read_csv(ROOT / "benchmarks/costs.csv", keep_default_na=False)
    mine = records[(records["command"] == command) & (records["unit"] == "s")]
    found = predict_seconds(config, records, DEFAULT)
    cells = {"-".join(cell).replace("_", "-") for cell in cell_times.cells(config)}
    for row in mine.itertuples():
        if row.rule != "cell" or row.job in cells:
            least = cell_times.START_S if row.rule == "cell" and command == "reproduce" else 0.0
            assert found[row.rule, row.job] == pytest.approx(max(row.value, least))


def test_other_configurations_are_predicted_by_their_runs():
    """Twice the instances take longer than once, and only where there are more."""
    records = pd.read_csv(ROOT / "benchmarks/costs.csv", keep_default_na=False)
    more = copy.deepcopy(DEFAULT) | {"results": "results/own"}
    more["experiments"]["gadget"]["seeds"] *= 2
    before, after = predict_seconds(DEFAULT, records, DEFAULT), predict_seconds(more, records, DEFAULT)
    longer = {key for key in before if after[key] > before[key] + 1e-9}
    assert longer
    assert all(rule == "cell" and job.startswith("gadget-") for rule, job in longer)
