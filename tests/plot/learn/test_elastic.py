"""Pictures of the notebooks on elastic and on unpredictable jobs show what their tables say."""

import pandas as pd
import pytest

from rarlib.plot.learn.ballots import outcome, turnarounds
from rarlib.plot.learn.goodput import tug_of_war


def test_the_dot_marks_the_best_batch():
    rows = pd.DataFrame(
        {"gpus": 2, "batch": [1.0, 2.0, 4.0], "throughput": [1.0, 4.0, 5.0], "efficiency": [1.0, 0.9, 0.1]}
    )
    throughput, efficiency, goodput = tug_of_war(rows, top=9.0).axes
    line, dot = goodput.lines
    assert line.get_ydata() == pytest.approx([1.0, 3.6, 0.5])
    assert (dot.get_xdata().tolist(), dot.get_ydata()) == ([2.0], pytest.approx([3.6]))
    assert throughput.get_ylim() == goodput.get_ylim() == (0.0, 9.0)
    assert efficiency.lines[0].get_ydata() == pytest.approx([100.0, 90.0, 10.0])


def test_means_over_jobs_and_over_cases():
    jobs = pd.DataFrame(
        {"rule": ["r", "r"], "predictable": [True, False], "length": [1.0, 2.0], "turnaround": [2.0, 4.0]}
    )
    (ax,) = turnarounds(jobs, {"r": "rule"}).axes
    assert ax.get_title(loc="left") + ax.get_title() == "rule: mean 3.0 h"
    rows = pd.DataFrame(
        {"rule": "r", "x": [0, 0, 5, 5], "case": [0, 1, 0, 1], "group": "all", "value": [1.0, 3.0, 4.0, 4.0]}
    )
    (ax,) = outcome(rows, {"r": "red"}, xlabel="x", ylabel="y").axes
    assert ax.lines[0].get_ydata() == pytest.approx([2.0, 4.0])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((1.0, 4.0))  # the standard error of 1 and 3 is 1
