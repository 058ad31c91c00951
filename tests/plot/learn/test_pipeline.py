"""Pipelines at a glance: bars, titles and shares from small frames."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from rarlib.pipeline.schedule import one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.plot.learn import pipeline


def title(ax):
    """Titles stand left once the style is set."""
    return ax.get_title(loc="left") or ax.get_title()


def test_lanes_counts_what_is_done_before_the_cut():
    """Two stages of 1 + 2 s: minibatches leave the first one at 6, 9, 12 s."""
    operations = simulate_pipeline(Pipeline.build([1, 1], [1, 1], [2, 2]), one_f_one_b([1, 1], 3)).operations()
    assert operations.loc[(operations.stage == 0) & (operations.kind == "backward"), "end_s"].tolist() == [6, 9, 12]
    figure = pipeline.schedule_lanes({"x": operations, "y": operations}, until_s=10.0)
    assert [title(ax) for ax in figure.axes] == ["x  (2 minibatches done)", "y  (2 minibatches done)"]
    assert all(ax.get_xlim() == (0.0, 10.0) for ax in figure.axes)
    plt.close(figure)


def test_cuts_show_shares_of_layers_in_the_colour_of_their_stage():
    """A layer with most of the time and little of the weights, and the other way round."""
    layers = pd.DataFrame(
        {"layer": ["u", "v"], "compute_s": [3.0, 1.0], "parameter_bytes": [10.0, 90.0], "stage": [0, 1]}
    )
    figure = pipeline.draw_cuts({"plan": layers})
    bars = figure.axes[0].patches
    assert [bar.get_x() for bar in bars] == pytest.approx([0, 75, 0, 10])
    assert [bar.get_width() for bar in bars] == pytest.approx([75, 25, 10, 90])
    first, second = (to_rgba(colour) for colour in pipeline.STAGES[:2])
    assert [bar.get_facecolor() for bar in bars] == [first, second, first, second]
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["stage 0: 75 %", "stage 1: 25 %", "stage 0: 10 %", "stage 1: 90 %"]
    plt.close(figure)
