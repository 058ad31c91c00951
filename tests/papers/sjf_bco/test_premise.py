"""The map of SJF-BCO's lead: what is run, how leads are computed, and that the page says what the table holds."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.papers.sjf_bco.premise import LAWS, PREMISE_RIVALS, UnlikeRing, premise_batch, premise_runs, premise_shape
from rarlib.plot.premise import premise_picture
from rarlib.simulator.engine import simulate
from tools import fabric_premise


@pytest.mark.parametrize("duty", [0.1, 0.7])
def test_a_gang_alone_sends_for_its_duty(duty):
    """On two servers of one rack, by every law: computing is 1 - duty of its time, whatever its period."""
    shape = premise_shape(2, 4.0)
    cluster = laid_out(Cluster.of([2] * shape.servers), shape)
    jobs, cost = Jobs.build(submit_s=[0.0], gpus=[4], duration_s=[100.0]), UnlikeRing(share=duty, overhead=0.0)
    for each in (cost, on_fabric(cost, shape), on_fabric(cost, shape, grade="flow")):
        run = simulate(jobs, cluster, make_scheduler("fifo", {}), each)
        assert run.finish_s == pytest.approx([100.0 / (1.0 - duty)])


def test_batches_do_not_depend_on_the_law_and_runs_do():
    (jobs, cost), (again, _) = premise_batch(3, 0.5), premise_batch(3, 0.9)
    assert jobs.gpus.tolist() == again.gpus.tolist()
    assert len(set(cost.iteration_s)) == len(jobs)
    rows = pd.DataFrame(premise_runs([0.5], [4], [4.0], [3]))
    assert rows.groupby("law")["scheduler"].apply(set).tolist() == [{"sjf-bco", *PREMISE_RIVALS}] * len(LAWS)
    sjf = rows[rows["scheduler"] == "sjf"].set_index("law")["makespan_s"]
    assert sjf["law"] == pytest.approx(sjf["flow"], rel=0.02)
    assert sjf["counted"] != pytest.approx(sjf["law"], rel=0.02), "the effect must be alive"


def test_leads_by_hand():
    cell = {"law": "law", "duty": 0.1, "sharers": 2, "oversubscription": 1.0, "seed": 1}
    spans = {"sjf-bco": 100.0, "first-fit": 150.0, "list-scheduling": 90.0, "sjf": 100.0}
    found = fabric_premise.leads(
        pd.DataFrame([{**cell, "scheduler": who, "makespan_s": s} for who, s in spans.items()])
    )
    assert found[list(PREMISE_RIVALS)].iloc[0].tolist() == pytest.approx([0.5, -0.1, 0.0])


def test_the_picture_shows_every_mean():
    """Each cell has the mean over batches of one rival, law, over-subscription, duty and number of sharers."""
    found = fabric_premise.leads(pd.read_csv(fabric_premise.TABLE))
    figure = premise_picture(found, PREMISE_RIVALS, fabric_premise.TITLES)
    panels = {ax.get_title(loc="left"): ax for ax in figure.axes}
    duties, sharers = sorted(found["duty"].unique()), sorted(found["sharers"].unique())
    for law, title in fabric_premise.TITLES.items():
        for over in (1.0, 4.0):
            values = panels[f"{title}, {over:g}:1"].images[0].get_array()
            for at, rival in enumerate(PREMISE_RIVALS):
                for y, many in enumerate(sharers):
                    for x, duty in enumerate(duties):
                        cell = found[(found["law"] == law) & (found["oversubscription"] == over)]
                        cell = cell[(cell["sharers"] == many) & (cell["duty"] == duty)]
                        assert values[at * len(sharers) + y, x] == pytest.approx(100.0 * cell[rival].sum() / len(cell))
    plt.close(figure)


def test_the_page_says_what_the_table_holds():
    assert fabric_premise.SECTION.stated() == fabric_premise.render(pd.read_csv(fabric_premise.TABLE)).strip()
