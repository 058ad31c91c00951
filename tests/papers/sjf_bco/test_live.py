"""What a reader simulates by moving controls is what the cells of the figures say."""

import pandas as pd
import pytest

from rarlib.model.project import ROOT
from rarlib.papers.sjf_bco import live
from rarlib.papers.sjf_bco.cells import run_cell
from rarlib.papers.sjf_bco.live_draw import one_draw
from rarlib.papers.sjf_bco.live_ring import on_one_link
from rarlib.plot.published import read_published
from rarlib.plot.style import look
from tests.papers.sjf_bco.headline import headline

PUBLISHED = read_published(ROOT / "data/published.csv")
ONE = {"seeds": 1, "readings": ["fitted"]}


def cell(figure, scheduler, metric="makespan", **over):
    frame = run_cell(figure, scheduler, headline(figure, **ONE | over))
    return frame[frame["metric"] == metric].set_index("x")["value"]


def legend(figure):
    """Makespan and mean completion by scheduler, as the legend prints them."""
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    return dict(text.split(": ") for text in texts if ": " in text)


@pytest.mark.parametrize("over", [{}, {"alpha": 1.0}, {"servers": 12, "T": 4000}])
def test_one_instance_is_that_of_the_cell(over):
    """Makespan and mean completion of all four, also with a control moved."""
    told = legend(live.one_instance(PUBLISHED, headline("fig4"), seed=0, **over))
    for name in live.COMPARED:
        makespan, mean = (cell("fig4", name, metric, **over).iloc[0] for metric in ("makespan", "average"))
        assert told[look(name).label] == f"{makespan:.0f}, {mean:.0f}"


@pytest.mark.parametrize(("where", "figure", "axis"), [("Fig. 5", "fig5", "kappas"), ("Fig. 7", "fig7", "lambdas")])
def test_a_curve_is_that_of_the_cell(where, figure, axis):
    settings = {**headline(figure), "kappa": headline("fig7")["kappa"]}
    drawn = live.parameter_sweep(PUBLISHED, settings, where, settings[axis], seed=0)
    assert drawn.axes[0].lines[0].get_ydata().tolist() == cell(figure, "sjf-bco").tolist()


def test_one_link_is_that_of_the_table():
    settings = headline("eq8")
    frame = run_cell("eq8", "all", settings)
    drawn = on_one_link(settings, [1, 8], gbps=25, workers=16, alpha=settings["alpha"]).axes[0].lines[0]
    rows = frame[(frame["setup"] == "ResNet-50") & (frame["reading"] == "25 Gbit/s") & (frame["x"] == 16)]
    shares = rows.set_index("metric")["value"][["lost:1", "lost:8"]]
    assert drawn.get_ydata().tolist() == pytest.approx((100 * shares).tolist())


def test_one_draw_of_the_reading_gives_the_figures_makespans():
    """The ratio that is drawn for SJF-BCO's makespan in Figure 4."""
    listed = PUBLISHED[PUBLISHED["id"].str.fullmatch(r"sjf-bco-0(0[1-9]|1\d|20|24|3[2-5])")].set_index("id")
    published = listed["value"].astype(float)
    labels = pd.Series(listed.index, index=listed.index)
    drawn = one_draw(published, 0.1 * published, labels).axes[0]
    dots = {round(y): x for line in drawn.lines[:2] for x, y in zip(*line.get_data(), strict=True)}
    at = listed.index.get_loc("sjf-bco-003")
    assert dots[at] == pytest.approx(cell("fig4", "sjf-bco").iloc[0] / published["sjf-bco-003"])
