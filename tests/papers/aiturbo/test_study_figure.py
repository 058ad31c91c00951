"""The study's figure: what is drawn is what the table holds."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from rarlib.model.seeds import stream
from rarlib.papers.aiturbo.dataset import read_statistics
from rarlib.papers.aiturbo.figures import study
from rarlib.papers.aiturbo.generator import sample_study
from rarlib.papers.aiturbo.study import run_study
from rarlib.plot import style
from rarlib.records.tidy import read_table, write_table

PUBLISHED = pd.read_csv(Path(__file__).parents[3] / "data" / "published.csv")


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    jobs = sample_study(read_statistics(), 800, stream(0, "test"))
    (folder / "study.json").write_text(json.dumps({column: jobs[column].tolist() for column in jobs}))
    write_table(run_study("all", {"seeds": 2, "folds": 3}, folder / "study.json"), folder / "study.csv")
    return read_table(folder / "study.csv")


def test_panels_show_the_table(frame):
    """Published points on the curve of all jobs, one bar per factor, every type named."""
    style.use_style()
    figure = study.study(frame, PUBLISHED)
    times, tasks, types, factors, _, loss = figure.axes
    points = next(line for line in times.lines if line.get_label() == "published")
    assert list(points.get_xdata()) == [2.02, 7.9, 24.8]
    assert list(points.get_ydata()) == [50.0, 90.0, 100.0]
    assert [label.get_text() for label in factors.get_yticklabels()][-1] == "accuracy *"
    assert len(factors.get_yticklabels()) == len(study.STUDY_FACTORS)
    assert {label.get_text() for label in types.get_xticklabels()} == set(
        frame[(frame["x_name"] == "type") & (frame["metric"] == "jobs")]["x"]
    )
    heights = [patch.get_height() for patch in tasks.patches]
    assert sum(heights) == pytest.approx(300.0)
    assert len(loss.lines) == 2
    plt.close(figure)
