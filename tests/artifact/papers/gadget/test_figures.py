"""Figures of GADGET from small frames: what is drawn is what the frame says."""

import numpy as np
import pandas as pd

from artifact.papers.gadget.figures import evaluation
from rarlib.plot.style import MUTED

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


def _frame(metrics, policies=("gadget",), setups=("stated",), reading="fitted", jobs=(40, 60)):
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
    """The reading, and as stated with three times GADGET's utility."""
    policies, values = ("gadget", "drf", "las", "fifo"), {"utility": 10.0, "of_ceiling": 0.5}
    stated = _frame({"utility": 10.0, "of_ceiling": 0.5}, policies, reading="stated")
    stated.loc[(stated["scheduler"] == "gadget") & (stated["metric"] == "utility"), "value"] *= 3
    return pd.concat([_frame(values, policies), stated])


def test_ratios_are_taken_seed_by_seed():
    """Utilities 10 and 20 against 20 and 40: a half on every instance, without spread; as stated three times that."""
    ax = evaluation.total_utility(_fig4(), PUBLISHED).axes[1]
    means = [container.lines[0].get_ydata().tolist() for container in ax.containers]
    assert np.allclose(means, [[1 / 2] * 2, [1 / 3] * 2, [1 / 4] * 2])
    grey = [line.get_ydata() for line in ax.lines if line.get_color() == MUTED and len(line.get_ydata()) == 2]
    assert np.allclose(grey[:3], np.multiply(3, means))
    table = evaluation.ratios_by_jobs(_fig4(), PUBLISHED)
    assert table["fitted", "drf"].tolist() == [0.5, 0.5]
    assert table.loc[40.0, ("published", "fifo")] == 3.0
