"""Predicted costs: recorded seconds scaled by hand-checked rules."""

import pandas as pd
import pytest

from artifact.run import costs

RECORDS = pd.DataFrame(
    [
        ("reproduce", "cell", "a", 60.0, "s"),
        ("reproduce", "cell", "b", 20.0, "s"),
        ("reproduce", "cell", "a", 500.0, "MB"),
        ("smoke", "cell", "a", 6.0, "s"),
        ("setup", "probe", "", 0.02, "s"),
    ],
    columns=costs.COST_COLUMNS,
)


@pytest.mark.parametrize(
    ("cores", "probe", "seconds"),
    [(1, 0.02, 80), (2, 0.02, 60), (1, 0.04, 160)],
    ids=["one core does it all", "two cores wait for the longest job", "half the speed, twice the time"],
)
def test_prediction(cores, probe, seconds):
    assert costs.predicted_wall_s(RECORDS, "reproduce", cores, probe) == pytest.approx(seconds)
