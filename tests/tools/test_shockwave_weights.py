"""The table of Shockwave's weights, the page made from it, and the predictions that are stored elsewhere."""

import pandas as pd
import pytest

from rarlib.measured.inputs import load_measured
from rarlib.measured.policy_runs import stored_predictions
from rarlib.measured.shockwave import ShockwaveRuns
from tools.shockwave_weights import SECTION, TABLE, WEIGHTS, errors_of, render


def test_the_page_is_made_from_the_table() -> None:
    """Remedy: python -m tools.shockwave_weights"""
    assert SECTION.stated() == render(pd.read_csv(TABLE)).strip()


def test_a_weight_that_meets_the_goal_is_named() -> None:
    rows = [(1e-3, False, 0.3, 0.0), (1e-3, True, 0.3, 0.0), (0.0, False, 0.09, -0.06), (0.0, True, 0.0, 0.08)]
    table = pd.DataFrame(rows, columns=["weight", "fitted", "mean_error", "last_error"])
    assert "at 0 with rounds of 120 s." in render(table)
    assert "No weight" in render(table.iloc[[0, 1]])


@pytest.mark.release
@pytest.mark.real
def test_stored_predictions_are_rows_of_the_table() -> None:
    """Stored predictions and the table come from runs of their own; both runs have the same parameters."""
    frames = load_measured("shockwave")
    if not frames:
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    measured = {row.id: row.completion_s for row in ShockwaveRuns(frames).outcomes("cluster")}
    table = pd.read_csv(TABLE).set_index(["weight", "fitted"])
    assert tuple(table.index.get_level_values("weight").unique()) == WEIGHTS
    for name, row in (("run-durations", (1e-3, False)), ("run-long-rounds", (1e-3, True)),
                      ("run-shockwave-unregulated", (0.0, False))):  # fmt: skip
        found = stored_predictions(name)
        for column, quantity in (("mean_error", "shockwave/mean"), ("last_error", "shockwave/last")):
            assert table.loc[row, column] == pytest.approx(found[quantity] / measured[quantity] - 1.0, abs=1e-4)


@pytest.mark.release
@pytest.mark.real
def test_a_row_of_the_table_comes_out_again() -> None:
    """The program is solved within a limit of deterministic work, so a run gives the same on every machine."""
    if not load_measured("shockwave"):
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    stored = pd.read_csv(TABLE).set_index(["weight", "fitted"]).loc[(0.0, False)]
    assert errors_of((0.0, False))[2:] == pytest.approx(tuple(stored), abs=1e-5)
