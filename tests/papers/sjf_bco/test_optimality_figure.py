"""Distances to bounds and optima: the arithmetic, and that everything is drawn."""

import matplotlib.pyplot as plt
import pandas as pd

from rarlib.papers.sjf_bco.figures.optimality import makespan_gaps, overview, tightest_bound

COLUMNS = ["setup", "reading", "scheduler", "x", "seed", "metric", "value"]
SCALE = pd.DataFrame(
    [
        ("A", "area", "bounds", 20.0, 0, "makespan", 100.0),
        ("A", "longest-job", "bounds", 20.0, 0, "makespan", 80.0),
        ("A", "mean-busy-times", "bounds", 20.0, 0, "mean_jct", 500.0),
        ("A", "fitted", "best-known", 20.0, 0, "makespan", 105.0),
        ("A", "fitted", "sjf-bco", 20.0, 0, "makespan", 130.0),
    ],
    columns=COLUMNS,
)
SMALL = pd.concat(
    [
        SCALE.replace({"value": {100.0: 90.0}}),
        pd.DataFrame([("A", "fitted", "exact", 20.0, 0, "makespan", 100.0)], columns=COLUMNS),
    ]
)
THETA = pd.DataFrame(
    [
        ("A", "fitted", "exact", 20.0, 0, "theta", 50.0),
        ("A", "fitted", "sjf-bco", 20.0, 0, "theta", 75.0),
        ("A", "fitted", "sjf-bco", 20.0, 0, "busiest", 60.0),
    ],
    columns=COLUMNS,
)


def test_distance_is_to_the_largest_bound_on_the_makespan():
    """A bound on another objective, or a weaker one, would change every certificate."""
    gaps = makespan_gaps(SCALE, tightest_bound(SCALE)).set_index("scheduler")["gap"]
    assert gaps.round(9).to_dict() == {"best-known": 5.0, "sjf-bco": 30.0}


def test_everything_is_drawn():
    """theta 75 over 50 is 50 % above, the busiest GPU 20 %."""
    figure = overview(SCALE, THETA, SMALL)
    limits = figure.axes[3]
    assert [
        round(line.get_xdata()[0], 9)
        for line in limits.lines
        if len(line.get_xdata()) == 1 and line.get_mfc() == "white"
    ] == [20.0]
    assert {text.get_text() for text in figure.axes[0].get_yticklabels()} == {"Best known", "SJF-BCO"}
    plt.close(figure)
