"""Figures of SJF-BCO from small frames: what is drawn is what the frame says, gaps included."""

import numpy as np
import pandas as pd
import pytest

from artifact.papers.sjf_bco.figures import evaluation

PUBLISHED = pd.DataFrame(
    [
        ("sjf-bco", "Fig. 4", "SJF-BCO", "makespan", "535"),
        ("sjf-bco", "Fig. 6", "SJF-BCO", "servers=10", "939"),
        ("sjf-bco", "Fig. 7", "SJF-BCO", "lambda=1", "1043"),
        ("gadget", "Fig. 4", "SJF-BCO", "makespan", "1"),
    ],
    columns=["paper", "where", "series", "x", "value"],
)


def _frame(x_name, points, schedulers=("sjf-bco", "random"), seeds=2):
    metrics = {"makespan": 100.0, "average": 50.0, "shortest": 5.0, "feasible": 1.0}
    rows = [
        ("batch", "fitted", name, x_name, float(x), seed, metric, value * (1 + seed))
        for name in schedulers
        for x in points
        for seed in range(seeds)
        for metric, value in metrics.items()
    ]
    columns = ["setup", "reading", "scheduler", "x_name", "x", "seed", "metric", "value"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize("reading", ["fitted", "stated"])
@pytest.mark.parametrize("missing", [[10.0], [10.0, 20.0]])
def test_points_without_a_schedule_are_shown_as_such(missing, reading):
    """No feasible schedule: the share says 0, and nothing is drawn in its place. Either reading is drawn alone."""
    frame = _frame("servers", [10, 20]).assign(reading=reading)
    gone = (frame["scheduler"] == "random") & frame["x"].isin(missing)
    frame.loc[gone & (frame["metric"] != "feasible"), "value"] = np.nan
    frame.loc[gone & (frame["metric"] == "feasible"), "value"] = 0.0
    figure = evaluation.over_servers(frame, PUBLISHED, 1500)
    assert [text.get_text() for text in figure.axes[1].texts] == ["0"] * len(missing)
