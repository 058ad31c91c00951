"""Pictures of the notebooks on elastic and on unpredictable jobs show what their tables say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rarlib.plot.learn.ballots import KNOWN_COLOUR, UNKNOWN_COLOUR, ballots, guesses, outcome, turnarounds
from rarlib.plot.learn.goodput import gpu_shares, tug_of_war, worth


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


def test_shares_are_stacked_without_gaps():
    rows = pd.DataFrame({"slot": [0, 0, 1, 1], "job": list("abab"), "gpus": [3, 1, 2, 2]})
    ax = plt.figure().subplots()
    gpu_shares(ax, rows, {"a": "red", "b": "blue"}, "title")
    boxes = [(box.get_y(), box.get_height()) for box in ax.patches]
    assert boxes == [(0, 3), (0, 2), (3, 1), (2, 2)]


def test_curves_are_named_at_their_ends():
    ax = plt.figure().subplots()
    worth(ax, pd.DataFrame({"line": ["up", "up"], "x": [1, 2], "value": [3, 4]}), xlabel="x", ylabel="y")
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("up", (2.0, 4.0))]


def test_a_job_without_a_ballot_is_not_drawn_there():
    rows = pd.DataFrame({"job": ["a", "b"], "predictable": [True, False], "first": [2.0, 1.0], "second": [5.0, np.nan]})
    (ax,) = ballots(rows, {"first": "1st", "second": "2nd"}).axes
    places = {text.get_text(): text.get_position() for text in ax.texts}
    assert places == {"a: 2": (0, 2.0), "b: 1": (0, 1.0), "a: 5": (1, 1.0)}
    assert [line.get_color() for line in ax.lines] == [KNOWN_COLOUR, UNKNOWN_COLOUR]


def test_both_classes_are_drawn_with_a_diagonal():
    rows = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.0, 9.0], "predictable": [True, False]})
    (ax,) = guesses(rows).axes
    known, unknown, diagonal = ax.lines
    assert (known.get_ydata().tolist(), unknown.get_ydata().tolist()) == ([1.0], [9.0])
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    assert ax.get_xlim() == ax.get_ylim()


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
