"""Figures of AITurbo: ratios seed by seed, and what is drawn is what the tables say."""

import numpy as np
import pandas as pd
import pytest

from rarlib.papers.aiturbo.figures import evaluation
from rarlib.plot.published import published_points
from rarlib.plot.style import MUTED
from rarlib.records.tidy import TIDY_COLUMNS

PUBLISHED = pd.read_csv("data/published.csv")


def table(
    schedulers, setup, x_name, xs, seeds=3, jct=lambda name, x, seed: 3600.0 * (len(name) + seed), readings=("stated",)
):
    metrics = (*evaluation.EVALUATION_METRICS, "jct_unpredictable_s")
    rows = [
        ("aiturbo", setup, reading, name, x_name, x, seed, metric, jct(name, x, seed), "s")
        for reading in readings
        for name in schedulers
        for x in xs
        for seed in range(seeds)
        for metric in metrics
    ]
    return pd.DataFrame(rows, columns=TIDY_COLUMNS)


def test_ratios_are_taken_on_the_same_instance():
    """1 over 2, 4 over 2 and 9 over 3: the mean is 5.5 / 3, while the ratio of the means is 2."""
    values = {"aiturbo": [2.0, 2.0, 3.0], "optimus": [1.0, 4.0, 9.0]}
    frame = table(values, "study", "", [""], jct=lambda name, x, seed: values[name][seed])
    found = evaluation.relative_to(frame, "jct_all_s", along="setup")["optimus"]
    assert found.tolist() == [0.5, 2.0, 3.0]


def test_published_ratios_by_name():
    ratios = {
        series: published_points(PUBLISHED, "aiturbo", "later plots", series)
        for series in ("average JCT", "GPU:CPU 75:25")
    }
    assert ratios["average JCT"]["FCFS"] == 3.39
    assert ratios["GPU:CPU 75:25"]["Tiresias"] == 4.3


BOTH = ("fitted", "stated")


def test_every_metric_and_mix_has_published_numbers_beside_it():
    main = table(["aiturbo", *evaluation.BASELINES], "study", "", [""], readings=BOTH)
    trio = ["aiturbo", "optimus", "tiresias"]
    classes = table(trio, "class", "unpredictable", ["0", "25", "50", "75", "100"], readings=BOTH)
    mixes = pd.concat([classes, table(trio, "kind", "cpu_only", ["0", "25"], readings=BOTH)])
    left, middle, right = evaluation.scenarios(main, mixes, PUBLISHED).axes
    lines = [line for ax in (left, middle, right) for line in ax.lines]
    hollow = [line for line in lines if line.get_markerfacecolor() == "white"]
    assert sum(len(line.get_ydata()) for line in hollow) == 4 * 4 + 5 * 2 + 2 * 2
    means = [line for line in left.lines if line.get_label() == "Optimus"]
    assert np.asarray(means[0].get_ydata(), dtype=float) == pytest.approx(1.0)  # both names have seven letters
    grey = [line for line in lines if line.get_color() == MUTED and line.get_linestyle() == "None"]
    assert sum(len(line.get_ydata()) for line in grey) == 4 * 4 + 5 * 2 + 2 * 2
