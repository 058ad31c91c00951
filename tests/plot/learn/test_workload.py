"""Traces and contests: what is drawn adds up."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rarlib.plot.learn import workload
from rarlib.plot.learn.contest import contest, trade_off


def test_sizes_put_every_count_into_one_class():
    """Counts at the borders of classes; widths are per cent and fill the bar."""
    shares = {1: 0.4, 2: 0.1, 3: 0.1, 8: 0.1, 9: 0.05, 31: 0.05, 32: 0.1, 512: 0.1}
    rows = [("t", f"share of jobs, {n} GPU", s) for n, s in shares.items()]
    rows += [("t", f"share of GPU time, {n} GPU", float(n == 512)) for n in shares]
    rows.append(("t", "mean duration", 77.0))
    figure = workload.sizes(pd.DataFrame(rows, columns=["trace", "quantity", "value"]))
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == pytest.approx([40, 20, 0, 10, 10, 20, 0, 0, 0, 0, 0, 100])
    assert [text.get_text() for text in figure.legends[0].get_texts()][:2] == ["1", "2 to 3"]
    plt.close(figure)


def test_durations_draws_jobs_left_and_time_right():
    rows = pd.DataFrame({"trace": "t", "duration_s": [1.0, 10.0], "jobs": [0.5, 1.0], "gpu_time": [0.1, 1.0]})
    figure = workload.durations(rows)
    assert [list(ax.lines[0].get_ydata()) for ax in figure.axes] == [[50.0, 100.0], [10.0, 100.0]]
    plt.close(figure)


def test_weeks_have_a_panel_per_trace_and_a_day_per_label():
    hours = pd.DataFrame({"hour": np.arange(168), "relative": 1.0})
    figure = workload.weeks(pd.concat([hours.assign(trace="t"), hours.assign(trace="u")]))
    assert [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes] == ["t", "u"]
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels(minor=True)]
    assert labels == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    plt.close(figure)


def test_contest_joins_the_same_case_and_writes_means():
    """Each thin line is a case, in the order of the labels, whatever the order of the rows."""
    rows = [("b", 0, "m", 4.0), ("a", 0, "m", 1.0), ("a", 1, "m", 3.0), ("b", 1, "m", 8.0)]
    figure = contest(pd.DataFrame(rows, columns=["scheduler", "seed", "metric", "value"]), {"a": "A", "b": "B"})
    ax = figure.axes[0]
    assert [list(line.get_ydata()) for line in ax.lines[:2]] == [[1.0, 4.0], [3.0, 8.0]]
    assert [text.get_text() for text in ax.texts] == ["2.0", "6.0"]
    plt.close(figure)


def test_trade_off_puts_choices_at_their_means():
    rows = pd.DataFrame(
        {"choice": ["z", "z", "y", "y"], "seed": [0, 1, 0, 1], "u": [1.0, 3.0, 5, 5], "v": [2.0, 2, 0, 4]}
    )
    figure = trade_off(rows, {"u": "U", "v": "V"})
    line = figure.axes[0].lines[0]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([2.0, 5.0], [2.0, 2.0])
    assert [text.get_text() for text in figure.axes[0].texts] == ["z", "y"]
    plt.close(figure)
