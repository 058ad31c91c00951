"""Figures of GADGET from small frames: what is drawn is what the frame says."""

import numpy as np
import pandas as pd

from rarlib.papers.gadget.figures import evaluation
from rarlib.papers.gadget.figures.calibration import LABELS, reading_ratios

PUBLISHED = pd.DataFrame(
    [
        *(("gadget", "Fig. 4", name, "jobs=40", value) for name, value in
          (("GADGET", "30"), ("DRF", "20"), ("Tiresias", "15"), ("FIFO", "10"))),
        ("gadget", "Fig. 5", "factor=1", "jobs=40", "70"),
        ("gadget", "Fig. 7", "approximation ratio", "jobs=10", "0.6"),
        ("sjf-bco", "Fig. 4", "GADGET", "jobs=60", "1"),
    ],
    columns=["paper", "where", "series", "x", "value"],
)  # fmt: skip


def _frame(metrics, policies=("gadget",), setups=("stated",), reading="headline", jobs=(40, 60)):
    rows = [
        (setup, reading, policy, "jobs", float(x), seed, metric, value * (1 + seed) * (1 + at))
        for setup in setups
        for at, policy in enumerate(policies)
        for x in jobs
        for seed in range(2)
        for metric, value in metrics.items()
    ]
    return pd.DataFrame(rows, columns=["setup", "reading", "scheduler", "x_name", "x", "seed", "metric", "value"])


def _fig4():
    """As printed, and with a fill that triples GADGET's utility and places 97 % of its jobs."""
    policies, values = ("gadget", "drf", "las", "fifo"), {"utility": 10.0, "of_ceiling": 0.5}
    fill = _frame({"utility": 30.0, "of_ceiling": 0.5}, reading="fill")
    filled = _frame({"filled": 97.0}, reading="fill")
    return pd.concat([_frame(values, policies), fill, filled.assign(value=97.0)])


def test_ratios_are_taken_seed_by_seed():
    """Utilities 10 and 20 against 20 and 40: a half on every instance, without spread."""
    figure = evaluation.total_utility(_fig4(), PUBLISHED)
    means = [[container.lines[0].get_ydata().tolist() for container in ax.containers] for ax in figure.axes[1:]]
    assert np.allclose(means[0], [[1 / 2] * 2, [1 / 3] * 2, [1 / 4] * 2])
    assert np.allclose(means[1], np.multiply(3, means[0]))
    assert any("97.0 %" in text.get_text() for text in figure.legends[0].get_texts())


def test_published_ratios_are_drawn_beside_ours():
    """30 / 20, 30 / 15 and 30 / 10."""
    ax = evaluation.total_utility(_fig4(), PUBLISHED).axes[1]
    hollow = [line for line in ax.lines if line.get_marker() == "D" and line.get_markerfacecolor() == "white"]
    assert [line.get_ydata().tolist() for line in hollow] == [[1.5], [2.0], [3.0]]


def test_a_reading_without_rows_has_no_panel():
    """Panels follow the frame; the legend names every factor."""
    frame = _frame({"embedded": 30.0}, setups=("1", "0.5"))
    frame = pd.concat([frame, _frame({"filled": 25.0}, setups=("1",)).assign(value=25.0)])
    figure = evaluation.embedded_ratio(frame, PUBLISHED, "Fig. 5", {"headline": "one", "batch": "two"})
    titles = [ax.title.get_text() + ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["one\nnot placed by Alg. 2: 25.0 %"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["factor 0.5", "factor 1", "published (hollow)"]


def test_approximation_draws_the_mean():
    """Two instances of 0.4 and 0.8: 0.6."""
    figure = evaluation.rounding_quality(
        _frame({"ratio": 0.4, "jobs_per_slot": 2.0}, jobs=(10, 20)), PUBLISHED, {"headline": "ours", "batch": "none"}
    )
    ours = [line for line in figure.axes[0].lines if str(line.get_label()).startswith(("ours", "none"))]
    assert [line.get_label() for line in ours] == ["ours (3.0 jobs per slot)"]
    assert np.allclose(ours[0].get_ydata(), 0.6)


def test_calibration_draws_every_reading():
    """Known readings by their label and in order, an unknown one under its name, the published ratio as a line."""
    columns = pd.MultiIndex.from_product([("drf", "las", "fifo"), ("mean", "std")])
    ratios = pd.DataFrame(1.5, index=["mine", "batch", "headline", "published"], columns=columns)
    distances = pd.DataFrame(
        {"distance": [3.0, 4.0]}, index=pd.MultiIndex.from_tuples([("Fig. 5", "headline"), ("Fig. 5", "fill-batch")],
        names=["figure", "reading"])
    )  # fmt: skip
    guarantees = pd.DataFrame({"guarantee": ["a", "a", "b"], "ratio": [0.9, 1.0, 1.0], "bound": [0.5, 0.5, 0.3]})
    figure = reading_ratios(ratios, distances, guarantees)
    names = [[label.get_text() for label in ax.get_yticklabels()] for ax in figure.axes]
    assert names[0] == [LABELS["headline"], LABELS["batch"], "mine"]
    assert names[2] == ["a", "b"]
    assert [bar.get_width() for bar in figure.axes[1].patches] == [3.0, 4.0]
