"""Figures of Sia from small frames: what is drawn is what the frame says."""

import numpy as np
import pandas as pd
import pytest

from artifact.papers.sia.figures import comparison, fairness

COLUMNS = ["setup", "reading", "scheduler", "x_name", "x", "seed", "metric", "value"]

PUBLISHED = pd.DataFrame(
    [
        ("sia", "Table 3", "Philly/Sia", "avg JCT", 0.6),
        ("sia", "Table 3", "Philly/Gavel+TJ", "avg JCT", 1.9),
        ("sia", "Table 4", "Philly/Sia", "avg JCT", 1.9),
        ("sia", "Table 4 text", "Sia", "restarts per job", 2.6),
        ("sia", "fairness text", "Shockwave", "worst rho", 3.3),
        ("aiturbo", "Table 3", "Philly/Sia", "avg JCT", 7.0),
    ],
    columns=["paper", "where", "series", "x", "value"],
)


def rows(metric, values, policy="sia", setup="philly", reading="headline", x=""):
    """A metric's values by workload file 1, 2, ...; what stands for all files comes from `together`."""
    listed = enumerate(values, 1)
    return [(setup, reading, policy, "", x, seed, metric, value) for seed, value in listed]


def together(metric, value, policy="sia", setup="philly", reading="headline", x=""):
    return [(setup, reading, policy, "", x, 0, metric, value)]


def frame(*blocks):
    return pd.DataFrame([row for block in blocks for row in block], columns=COLUMNS)


def test_tables_pool_what_the_paper_pools():
    """Averages are means over files; the percentile is that of all jobs together."""
    table = frame(rows("avg_jct", [1.0, 3.0]), rows("p99_jct", [4.0, 6.0]), together("p99_jct_pooled", 9.0))
    assert comparison.together(table, "avg_jct") == 2.0
    assert comparison.together(table, "p99_jct") == 9.0
    assert comparison.by_file(table, "p99_jct").tolist() == [4.0, 6.0]


def test_published_values_stand_beside_ours():
    """By trace and policy; of the right paper and table."""
    table = frame(rows("avg_jct", [0.5, 0.7]), rows("avg_jct", [2.0], "gavel"), rows("restarts", [3.0]))
    beside = comparison.beside(table, PUBLISHED, "Table 3", ["avg_jct"])
    assert beside.loc[("Philly", "Sia"), ("avg_jct", "ours")] == pytest.approx(0.6)
    assert beside.loc[("Philly", "Sia"), ("avg_jct", "published")] == 0.6
    assert beside.loc[("Philly", "Gavel"), ("avg_jct", "published")] == 1.9
    assert comparison.beside(table, PUBLISHED, "Table 4", ["restarts"]).iloc[0].tolist() == [3.0, 2.6]


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.texts]


def test_a_table_says_what_was_not_run_and_what_rests_on_one_file():
    """Gavel has run on one trace, Sia on two files of it; a second run of a file (seed 102) is no second file."""
    other = frame(rows("avg_jct", [0.5, 0.7], setup="helios"))
    again = frame(rows("avg_jct", [2.0], "gavel"), rows("avg_jct", [2.2], "gavel")).assign(seed=[2, 102])
    table = pd.concat([frame(rows("avg_jct", [0.5, 0.7])), again, other])
    figure = comparison.table_as_figure(table, PUBLISHED, "Table 3", ["avg_jct"])
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["Philly: Sia", "Philly: Gavel", "Helios: Sia", "Helios: Gavel (not run)"]
    half = [line.get_ydata()[0] for line in figure.axes[0].lines if line.get_fillstyle() == "left"]
    assert half == [figure.axes[0].get_yticks()[1]]
    assert "a single workload file" in legend_of(figure)
    both = comparison.table_as_figure(other, PUBLISHED, "Table 3", ["avg_jct"])
    assert "a single workload file" not in legend_of(both)


def test_fairness_distributions_end_at_all_jobs():
    """Steps of a quarter for four jobs; the published worst case of a policy of another name."""
    rho = [2.0, 0.5, 1.0, 4.0]
    table = frame(
        *(rows("rho", rho, "shockwave", reading=reading) for reading in ("coded", "paper")),
        *(together("worst_rho_pooled", 4.0, "shockwave", reading=reading) for reading in ("coded", "paper")),
        *(together("unfair_share_pooled", 50.0, "shockwave", reading=reading) for reading in ("coded", "paper")),
        rows("avg_jct", [1.0], "shockwave"),
    )
    ax = fairness.distributions(table, PUBLISHED, {"coded": "c", "paper": "p"}).axes[0]
    assert ax.lines[0].get_xdata().tolist() == [-np.inf, *sorted(rho)]
    assert np.allclose(ax.lines[0].get_ydata(), [0, 25, 50, 75, 100])
    summary = fairness.rho_summary(table, PUBLISHED)
    assert summary.loc["Shockwave-style", ("worst rho", "published")] == 3.3
    assert summary.loc["Shockwave-style", ("unfair share", "coded")] == 50.0
