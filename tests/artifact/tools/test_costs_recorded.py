"""Recorded costs: collected from what the pipeline measured, shown in the README as recorded."""

import contextlib
import re
from pathlib import Path

import pandas as pd
import pytest

from artifact.run import costs as recorded
from rarlib.cli.main import main
from rarlib.model.errors import InputError
from tools import costs

ROOT = Path(__file__).parents[3]


def test_collect_reads_what_the_pipeline_measured(tmp_path):
    """The last line of a benchmark file is the last run; folders name the rule and the job."""
    for folder in ("results", "results/smoke"):
        path = tmp_path / folder / "benchmarks/cell/fig4-x.tsv"
        path.parent.mkdir(parents=True)
        path.write_text("s\th:m:s\tmax_rss\tcpu_time\n9.0\t0:00:09\t1\t8\n2.5\t0:00:02\t120\t2\n")
    rows = costs.collect(tmp_path)
    mine = rows[(rows["command"] == "smoke") & (rows["rule"] == "cell") & (rows["job"] == "fig4-x")]
    assert mine[["value", "unit"]].to_numpy().tolist() == [[2.5, "s"], [120.0, "MB"]]


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
        assert set(re.findall(r"bout (\d+) minutes", target)) == {str(expected)}
        assert f"| `make {command}` | {expected} min |" in readme
    with contextlib.suppress(SystemExit):
        main(["doctor"])
    assert f"about {recorded.minutes(records, 'reproduce')} on 2 cores of the machine" in capsys.readouterr().out


def test_readme_and_makefile_give_the_tests_the_same_time():
    """The time that benchmarks/tests.csv holds. Remedy: python -m tools.costs"""
    makefile, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "README.md"))
    target = makefile[makefile.index("\ntest:") :].split("\n\n")[0]
    assert f"| `make test` | {costs.minutes_of_tests()} min |" in readme
    assert set(re.findall(r"bout (\d+) minutes", target)) == {str(costs.minutes_of_tests())}


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
