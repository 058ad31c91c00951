"""The picture of published numbers against ours."""

import pandas as pd

from artifact.report.agreement import published_against_ours

COLUMNS = ["value", "ours", "as_stated", "role", "same_as"]
ROWS = pd.DataFrame(
    [
        ("100", "105", "50", "fitted", ""),
        ("10", "20", "20", "tested", ""),
        ("10", "20", "20", "tested", "other"),
        ("true", "1", "1", "tested", ""),
        ("3", "", "", "tested", ""),
        ("7", "7", "7", "hardware", ""),
    ],
    columns=COLUMNS,
)


def points(figure):
    lines = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    return {line.get_label(): list(zip(*line.get_data(), strict=True)) for line in lines}


def test_what_is_fitted_tested_and_stated_lies_where_the_ledger_says():
    """Statements, numbers printed twice, and what was not run or not compared are left out."""
    assert points(published_against_ours(ROWS)) == {
        "as stated, nothing fitted": [(100.0, 50.0)],
        "fitted: 1": [(100.0, 105.0)],
        "tested: 1": [(10.0, 20.0)],
    }
