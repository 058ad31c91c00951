"""The settings of AITurbo's tables do what theory says."""

import numpy as np
import pytest

from artifact.papers.aiturbo import cells
from artifact.papers.aiturbo.inference import Replayed
from artifact.run.settings import configuration, section_of, settings_of
from rarlib.model.seeds import stream

SUBMIT_S = np.cumsum(stream(0, "test-live").exponential(100.0, 400))


@pytest.fixture(autouse=True)
def trace(monkeypatch, tmp_path):
    """A trace of random arrivals."""
    monkeypatch.setattr(cells, "replayed_from", lambda _: Replayed(SUBMIT_S - SUBMIT_S[0]))
    return tmp_path / "trace.csv"


@pytest.mark.parametrize(("member", "knobs", "less", "more"), [
    ("aiturbo", ["load"], 0.25, 8.0), ("srtf", ["error_first", "error_repeated"], 0.0, 2.0),
])  # fmt: skip
def test_knobs_do_what_theory_says(trace, member, knobs, less, more):
    """More load, and worse predictions, make jobs that are served by them wait longer."""
    own = {**settings_of(section_of(configuration(), "aiturbo"), "main"), "seeds": 1, "jobs": 20}
    own = {**own, "readings": ["stated"]}
    waits = [cells.run_cell("main", member, {**own, **dict.fromkeys(knobs, value)}, trace) for value in (less, more)]
    quick, slow = (table.loc[table["metric"] == "queue_mean_s", "value"].item() for table in waits)
    assert quick < slow
