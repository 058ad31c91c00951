"""Traces and contests: what is drawn adds up."""

import matplotlib.pyplot as plt
import pandas as pd

from rarlib.plot.learn import workload
from rarlib.plot.learn.contest import contest


def test_durations_draws_jobs_left_and_time_right():
    rows = pd.DataFrame({"trace": "t", "duration_s": [1.0, 10.0], "jobs": [0.5, 1.0], "gpu_time": [0.1, 1.0]})
    figure = workload.durations(rows)
    assert [list(ax.lines[0].get_ydata()) for ax in figure.axes] == [[50.0, 100.0], [10.0, 100.0]]
    plt.close(figure)


def test_contest_joins_the_same_case_and_writes_means():
    """Each thin line is a case, in the order of the labels, whatever the order of the rows."""
    rows = [("b", 0, "m", 4.0), ("a", 0, "m", 1.0), ("a", 1, "m", 3.0), ("b", 1, "m", 8.0)]
    figure = contest(pd.DataFrame(rows, columns=["scheduler", "seed", "metric", "value"]), {"a": "A", "b": "B"})
    ax = figure.axes[0]
    assert [list(line.get_ydata()) for line in ax.lines[:2]] == [[1.0, 4.0], [3.0, 8.0]]
    assert [text.get_text() for text in ax.texts] == ["2.0", "6.0"]
    plt.close(figure)
