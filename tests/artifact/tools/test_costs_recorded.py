"""Recorded costs: collected from what the pipeline measured, shown in the README as recorded."""

import contextlib
import re
from pathlib import Path

import pandas as pd
import pytest

from artifact.run import costs as recorded
from rarlib.cli.main import main
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from tools import costs

ROOT = Path(__file__).parents[3]


def test_collect_reads_what_the_pipeline_measured(tmp_path):
    """Folders of logs name the rule and the job; a notebook's kernel tells its own costs; a failed job has none."""
    for folder in ("results", "results/smoke"):
        write_text(
            tmp_path / folder / "logs/cell/fig4-x.log",
            "kernel: 1.5 CPU s, 100.0 MB\nended well: 2.5 s, 0.5 CPU s, 20.0 MB\n",
        )
        write_text(tmp_path / folder / "logs/cell/failed.log", "kernel: 1.5 CPU s, 100.0 MB\nerror: no\n")
    rows = costs.collect(tmp_path)
    assert set(rows["job"]) == {"fig4-x", "results", ".venv", ""}
    assert recorded.measured_costs(tmp_path / "results")["cpu_s"].tolist() == [2.0]
    mine = rows[(rows["command"] == "smoke") & (rows["rule"] == "cell") & (rows["job"] == "fig4-x")]
    assert mine[["value", "unit"]].to_numpy().tolist() == [[2.5, "s"], [100.0, "MB"]]


def test_readme_shows_the_recorded_costs():
    records = pd.read_csv(ROOT / "benchmarks/costs.csv", keep_default_na=False)
    assert costs.SECTION.stated() == costs.table(records).strip()


def test_readme_makefile_and_doctor_give_one_estimate(capsys):
    """Three numbers for one run are two too many. Remedy: python -m tools.costs"""
    records = pd.read_csv(ROOT / "benchmarks/costs.csv", keep_default_na=False)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert costs.into_makefile(makefile, records) == makefile
    for command in ("reproduce", "smoke"):
        expected = recorded.minutes(records, command)
        target = makefile[makefile.index(f"\n{command}:") :].split("\n\n")[0]
        assert set(re.findall(r"bout (\d+) minutes?", target)) == {str(expected)}
        assert f"| `make {command}` | {expected} min |" in readme
    with contextlib.suppress(SystemExit):
        main(["doctor"])
    assert f"about {recorded.minutes(records, 'reproduce')} on 2 cores of the machine" in capsys.readouterr().out


def test_readme_and_makefile_give_the_tests_the_same_time():
    """The time that benchmarks/tests.csv holds. Remedy: python -m tools.costs"""
    makefile, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "README.md"))
    target = makefile[makefile.index("\ntest:") :].split("\n\n")[0]
    assert f"| `make test` | {costs.minutes_of_tests()} min |" in readme
    assert set(re.findall(r"bout (\d+) minutes?", target)) == {str(costs.minutes_of_tests())}


def test_the_pace_of_the_smoke_run_predicts_the_reproduction():
    """Jobs that only one of both runs has say nothing about the machine."""
    records = pd.DataFrame(
        [
            ("smoke", "cell", "a", 2.0, "s"),
            ("smoke", "cell", "b", 4.0, "s"),
            ("smoke", "cell", "gone", 9.0, "s"),
            ("smoke", "cell", "a", 500.0, "MB"),
            ("reproduce", "cell", "a", 50.0, "s"),
            ("reproduce", "cell", "b", 70.0, "s"),
            ("setup", "probe", "", 0.1, "s"),
        ],
        columns=costs.COST_COLUMNS,
    )
    smoke = pd.DataFrame([("cell", "a", 7.0, 1.0), ("cell", "b", 11.0, 1.0), ("cell", "new", 3.0, 1.0)])
    smoke.columns = ["rule", "job", "s", "MB"]
    assert costs.predicted_s(records, smoke, 2) == pytest.approx(max((50 + 70) / 2, 70) * (7 + 11) / (2 + 4))
    with pytest.raises(InputError, match="make smoke"):
        costs.predicted_s(records, smoke.iloc[2:], 2)
