"""What AITurbo's notebooks simulate live is what the tables hold for the same instance."""

import numpy as np
import pandas as pd
import pytest

from artifact.papers.aiturbo import cells, inference, live
from artifact.papers.aiturbo.choices import AITURBO_STATED
from artifact.plot.published import read_published
from artifact.run.settings import configuration, section_of, settings_of
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.traces.load import Trace

SUBMIT_S = np.cumsum(stream(0, "test-live").exponential(100.0, 400))
PUBLISHED = read_published("data/published.csv")


@pytest.fixture(autouse=True)
def trace(monkeypatch, tmp_path):
    """A trace of random arrivals, for the cells and for what is live."""
    made = Jobs.build(submit_s=SUBMIT_S, gpus=np.ones(len(SUBMIT_S)), duration_s=np.ones(len(SUBMIT_S)))
    for module in (cells, live):
        monkeypatch.setattr(module, "load_trace", lambda *_: Trace(made, {}))
    (tmp_path / "trace.csv.json").write_text('{"standin": false}')
    return tmp_path / "trace.csv"


def headline(part, **other):
    return {**settings_of(section_of(configuration(), "aiturbo"), part), "seeds": 1, **other}


def title_of(figure):
    """Title of the first panel; where it stands is a matter of the style."""
    return figure.axes[0].get_title(loc="left") or figure.axes[0].get_title()


@pytest.mark.parametrize("member", ["aiturbo", "tiresias"])
def test_an_instance_is_the_tables(trace, member):
    shown = live.live_turnarounds(trace, member, 0, unpredictable=50, error=0.3)
    drawn = headline("mixes", jobs=live.JOBS_PER_GPU * 4, shares=[50], mixes=["class"], readings=["stated"])
    table = cells.run_cell("mixes", member, {**drawn, "error_first": 0.3, "error_repeated": 0.3}, trace)
    mean_s = table.loc[table["metric"] == "jct_all_s", "value"].item()
    assert shown["jct_h"].mean() * 3600 == pytest.approx(mean_s)


def test_a_reading_is_the_inferences(trace):
    """All numbers come out within a tolerance that is just wide enough for the values of the inference."""
    values = {**AITURBO_STATED, "load": 4, "servers on GPUs": True}
    ours = pd.Series(inference.ratios_to_aiturbo(values, 0, 6, inference.Replayed(SUBMIT_S)))
    off = (ours - PUBLISHED.set_index("id").loc[ours.index, "value"].astype(float)).abs()
    for wider, met in ((1e-9, len(ours)), (-1e-9, 0)):
        figure = live.one_reading_figure(
            trace, PUBLISHED, off + wider, "stated", jobs=6, load=4, servers_on_GPUs=True, classes=None
        )
        assert f"{met} of {len(ours)}" in title_of(figure)


@pytest.mark.parametrize(("part", "knob", "less", "more"), [
    ("load", "loads", [0.25], [8.0]), ("error", "errors", [0.0], [2.0]), ("main", "load", 0.25, 8.0),
])  # fmt: skip
def test_knobs_do_what_theory_says(trace, part, knob, less, more):
    """More load, and worse predictions, make jobs that are served by them wait longer."""
    member = "aiturbo" if part == "load" else "srtf"
    waits = [
        cells.run_cell(part, member, headline(part, jobs=20, readings=["stated"], **{knob: value}), trace)
        for value in (less, more)
    ]
    quick, slow = (table.loc[table["metric"] == "queue_mean_s", "value"].item() for table in waits)
    assert quick < slow
