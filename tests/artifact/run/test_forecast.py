"""Predicted seconds of the jobs of a run: as recorded where they are, by rule where they are not."""

import statistics
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from artifact.run.forecast import UNKNOWN_S, known_seconds, plan
from rarlib.model.files import write_text
from rarlib.model.project import ROOT


def job(rule, name, *log):
    return SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards_dict={"name": name}, log=log)


def test_unknown_jobs_take_the_median_of_their_rule(tmp_path):
    """A new scheduler has no record; a rule that has none takes a guess, a target without work nothing."""
    folder = tmp_path / "logs"
    for name, seconds in (("cell/a", 1.0), ("cell/b", 2.0), ("cell/c", 30.0)):
        write_text(folder / f"{name}.log", f"ended well: {seconds} s, 1 CPU s, 5 MB\n")
    jobs = [
        job("cell", "c", folder / "cell/c.log"),
        job("cell", "new", folder / "cell/new.log"),
        job("other", "x", folder / "other/x.log"),
        job("all", ""),
    ]
    dag = SimpleNamespace(needrun_jobs=lambda: jobs, jobid=jobs.index)
    found = plan(SimpleNamespace(dag=dag, cores=2), tmp_path)
    recorded = known_seconds(tmp_path)["cell"]
    assert recorded["c"] == 30.0
    assert [each.seconds for each in found["plan"]] == [30.0, statistics.median(recorded), UNKNOWN_S, 0.0]


@pytest.mark.parametrize(("command", "folder"), [("reproduce", "results"), ("smoke", "results/smoke")])
def test_commands_are_predicted_as_recorded(command, folder, tmp_path, monkeypatch):
    """Every job of theirs has a record of its own."""
    monkeypatch.chdir(tmp_path)
    records = pd.read_csv(ROOT / "benchmarks/costs.csv", keep_default_na=False)
    mine = records[(records["command"] == command) & (records["unit"] == "s")]
    found = known_seconds(Path(folder))
    assert all(found[row.rule, row.job] == pytest.approx(row.value) for row in mine.itertuples())
