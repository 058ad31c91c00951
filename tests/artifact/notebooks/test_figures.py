"""Figure notebooks under changed parameters: they say so, and what they say of the results is what the tables say."""

import ast
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.artifact.notebooks.cells import run_cells

FOLDER = Path(__file__).parents[3] / "notebooks" / "figures"


def run(name, monkeypatch, tmp_path, **given):
    """Run all code cells without results, network and controls; returns the names they leave and what they print."""
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    monkeypatch.setenv("RARLIB_RESULTS", str(tmp_path))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    return run_cells(FOLDER / f"{name}.ipynb", **given)


def makespans(frame, reading, scheduler, x=None):
    """Makespan by seed, from the rows of the table, one by one."""
    return {
        row.seed: row.value
        for row in frame.itertuples()
        if (row.reading, row.scheduler, row.metric) == (reading, scheduler, "makespan") and (x is None or row.x == x)
    }


def test_who_ends_first_is_counted_in_the_table_at_hand(monkeypatch, tmp_path):
    names, _ = run("sjf-bco-fig4", monkeypatch, tmp_path, alpha=4.0, seeds=3)
    (said,) = (line for line in names["run"].remarks if line.startswith("WHAT IF"))
    assert "alpha 4" in said
    frame = names["frame"]
    shares = names["evaluation"].share_ahead(frame)
    assert list(shares.columns) == ["fitted", "stated"]
    for scheduler, row in shares.iterrows():
        for reading, share in row.items():
            own, other = (makespans(frame, reading, name) for name in ("sjf-bco", scheduler))
            both = [seed for seed in own if np.isfinite(own[seed]) and np.isfinite(other.get(seed, np.nan))]
            assert share == pytest.approx(sum(own[s] < other[s] for s in both) / len(both), nan_ok=True)


def test_the_fall_of_figure_7_is_that_of_the_table_at_hand(monkeypatch, tmp_path):
    names, printed = run("sjf-bco-fig7", monkeypatch, tmp_path, readings=["stated"], lambdas=[1, 3], kappa=2, seeds=4)
    assert any(line.startswith("WHAT IF") for line in names["run"].remarks)
    frame = names["frame"]
    narrow, wide = (makespans(frame, "stated", "sjf-bco", x) for x in (1.0, 3.0))
    falls = np.mean([wide[seed] < narrow[seed] for seed in narrow])
    ratio = np.mean([narrow[seed] / wide[seed] for seed in narrow])
    said = re.search(r"in (\d+) % of instances; λ = 1 over λ = 3: ([\d.]+)", printed)
    assert said is not None
    assert (float(said[1]), float(said[2])) == pytest.approx((100 * falls, ratio), abs=0.51)
    assert float(said[2]) == pytest.approx(ratio, abs=0.0051)


def test_ceiling_of_gadget_is_that_of_the_table_at_hand(monkeypatch, tmp_path):
    names, printed = run(
        "gadget-fig4", monkeypatch, tmp_path, jobs=[20, 40], readings=["stated"], lambda2=[0.001, 0.01], seeds=2
    )
    assert any("lambda2" in line for line in names["run"].remarks)
    rows = [row for row in names["frame"].itertuples() if row.metric == "beyond_reach"]
    by_jobs = {x: np.mean([row.value for row in rows if row.x == x]) for x in {row.x for row in rows}}
    said = re.search(r"by jobs: (\{.*\})", printed)
    assert said is not None
    assert ast.literal_eval(said[1]) == pytest.approx(by_jobs)
    needed, offered, share = map(
        float, re.search(r"(\d+) worker-slots needed, (\d+) offered: ([\d.]+) %", printed).groups()
    )
    assert share == pytest.approx(100 * needed / offered, abs=0.06)
