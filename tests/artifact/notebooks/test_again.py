"""What a reader's controls draw: the figure from its own cells, with the settings chosen; a draw of unstated ones."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from artifact.ledger.inference import Draws
from artifact.notebook.again import again, one_draw
from artifact.notebook.figure import open_figure
from artifact.notebook.tables import FigureTables
from artifact.papers.sjf_bco import cells
from tests.artifact.papers.sjf_bco.headline import headline


def test_a_figure_is_drawn_again_from_its_own_cells(monkeypatch):
    monkeypatch.setattr("artifact.notebook.figure._tables", lambda names, _: simulated(names))
    seen = []

    def draw(now):
        seen.append(now.frame)
        return plt.figure()

    redraw = again(open_figure("sjf-bco-fig7"), draw, seeds=1, readings="stated")
    redraw(kappa=2, lambdas=1.0)
    expected = cells.run_cell("fig7", "sjf-bco", headline("fig7", seeds=1, readings=["stated"], kappa=2, lambdas=[1.0]))
    pd.testing.assert_frame_equal(seen[0].astype({"x": float}), expected.astype({"x": float}))
    plt.close("all")


def simulated(names):
    """Tables that nothing reads."""
    return FigureTables({name: pd.DataFrame({"x": []}) for name in names}, {name: {} for name in names}, [], False), ""


def test_one_draw_counts_the_numbers_within_their_tolerance():
    published = pd.Series({"a": 10.0, "b": 20.0, "c": 30.0})
    empty = pd.DataFrame()
    draws = Draws(empty, empty, published, 0.1 * published, published.astype(str))
    redraw = one_draw(draws, draws.where, {"fitted": {"x y": 1.0}}, lambda values: {"a": 10 * values["x y"], "b": 23.0})
    for value, met in ((None, 1), (1.05, 1), (2.0, 0)):
        (ax,) = redraw(x_y=value).axes
        assert ax.get_title(loc="left") + ax.get_title() == f"{met} of 2 published numbers brought out"
        assert ax.lines[0].get_xdata().tolist() == pytest.approx([value or 1.0] * met)
