"""Pipelines at a glance: bars, titles and shares from small frames."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from rarlib.plot.learn import pipeline


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
