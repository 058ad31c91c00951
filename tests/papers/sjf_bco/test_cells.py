"""Cells of SJF-BCO's evaluation, its guarantees and its claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarlib.cost.ring import SlottedRingCost
from rarlib.discovery import make_scheduler
from rarlib.evidence.ledger import build
from rarlib.ilp.rar_ddls.exact import least_makespan
from rarlib.ilp.rar_ddls.slotted import slotted
from rarlib.model.cluster import Cluster
from rarlib.model.files import write_text
from rarlib.model.jobs import Jobs
from rarlib.papers.sjf_bco.cells import measure, run_cell
from rarlib.papers.sjf_bco.choices import RUN_READINGS, options
from rarlib.papers.sjf_bco.instance import instance, part
from rarlib.papers.sjf_bco.theory import proven
from rarlib.records.tidy import TIDY_COLUMNS, write_table
from rarlib.simulator.engine import simulate
from tests.papers.sjf_bco.headline import SMALL, headline
from tests.papers.sjf_bco.setups import SETUPS

ROOT = Path(__file__).parents[3]
OWN = options("sjf-bco", RUN_READINGS["fitted"], 1500)


def _cell(figure, scheduler, **over):
    return run_cell(figure, scheduler, headline(figure, **SMALL | over))


def _rows(case, scheduler, given, horizon):
    rows = measure(case, make_scheduler(scheduler, given), horizon, 3, proven(case))
    return {name: value for name, value, _ in rows}


def _value(frame, metric, **where):
    for column, wanted in {"metric": metric, **where}.items():
        frame = frame[frame[column] == wanted]
    return frame.set_index("seed")["value"]


def test_figures_agree_where_they_share_a_point():
    """No kappa of Fig. 5 beats Alg. 1, which tries them all, by much; Fig. 7 starts where Fig. 5 does."""
    fig4 = _value(_cell("fig4", "sjf-bco"), "makespan")
    fig5 = _cell("fig5", "sjf-bco")
    of_kappa = [_value(fig5, "makespan", x=k) for k in (1, 2, 4, 8, 16, 32)]
    # one bisection for all kappa follows another path than one for a single kappa
    np.testing.assert_allclose(fig4, np.min(of_kappa, axis=0), rtol=0.05)
    fig7 = _cell("fig7", "sjf-bco")
    at_one = _value(fig5, "makespan", x=1)
    # another horizon, another path of the bisection: nearly, not exactly the same
    np.testing.assert_allclose(_value(fig7, "makespan", x=1), at_one, rtol=0.05)


@pytest.mark.parametrize("setup", SETUPS)
def test_a_plan_on_idle_gpus_is_the_run(setup):
    """Cells read SJF-BCO's plan and cut the run after its first pass; the whole run gives the same, to the digit."""
    case = instance(3, 20, SETUPS[setup])
    read = _rows(case, "sjf-bco", OWN, 1500)
    planner = make_scheduler("sjf-bco", OWN)
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, seed=3)
    assert (read["makespan"], read["average"]) == (run.makespan_s, run.turnaround_s.mean())
    assert read["shortest"] == run.turnaround_s.min()
    alone = float((case.jobs.gpus * case.jobs.duration_s).sum())
    assert read["extra"] == pytest.approx(run.gpu_seconds.sum() / alone - 1)


def test_a_cluster_that_is_too_small_is_infeasible_not_fatal():
    """A gang of 32 on 4 GPUs: the run is reported as infeasible, with no number that could enter a mean."""
    small = part(instance(0, 20, SETUPS["P200"]), np.arange(160), Cluster.of([4]))
    planner = make_scheduler("sjf-bco", {"tau_hat": 0.05})
    rows = {name: value for name, value, _ in measure(small, planner, 1200, 0, (0.0, 0.0))}
    assert rows["feasible"] == 0
    assert np.isnan(rows["makespan"])


def test_guarantees_hold_where_they_should():
    """On the evaluation's instances and parts of them; a broken bound, ratio or count would show as a 0."""
    frame = _cell("theory", "sjf-bco", limit=2)
    kinds = {kind: frame[frame["x"] == kind] for kind in ("paper", "parts", "tight")}
    for check in ("lemma4", "theorem5"):
        assert (_value(kinds["paper"], check) == 1.0).all()
    for times in (1, 2, 4):
        assert (_value(kinds["paper"], f"theorem6_ratio_{times}") <= 1.0).all()
    for kind in ("parts", "tight"):
        assert (_value(kinds[kind], "lemma3") == 1.0).all()
        assert (_value(kinds[kind], "theorem5_ratio") >= 1.0).all()  # nothing beats the optimum
    assert (_value(kinds["paper"], "theorem5_ratio") >= 1.0).all()  # nor the lower bound


def test_no_feasible_schedule_is_a_verdict(tmp_path):
    """RAND on 10 servers finds no schedule in any seed: the published value is missed, not "not yet run"."""
    rows = [
        ("sjf-bco-fig6", "batch", "fitted", "random", "servers", 10, s, "makespan", np.nan, "slot") for s in range(3)
    ]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), tmp_path / "sjf-bco-fig6.csv")
    write_text(tmp_path / "sjf-bco-fig6.json", '{"cells": [], "standin": false, "traces": []}')
    ledger = build(ROOT / "data", ROOT / "config" / "claims", tmp_path).set_index("published")
    assert ledger.loc["sjf-bco-023", "verdict"] == "wrong size"
    assert "no feasible schedule in any of 3 seeds" in ledger.loc["sjf-bco-023", "reason"]


def test_contention_changes_an_optimum():
    """Two gangs of 3 on three servers of 2 share a server at best, so p = 2; without contention both end earlier."""
    slots, tau0, alpha, extra = np.full(2, 100.0), np.full(2, 0.02), 0.3, 0.01
    jobs = Jobs.build(submit_s=np.zeros(2), gpus=[3, 3], duration_s=slots)
    cluster, found = Cluster.of([2, 2, 2]), []
    for xi, f in ((1.0, 2 + alpha), (1e-9, 1.0)):
        cost = SlottedRingCost(slots / tau0, tau0, extra, np.inf, alpha, xi)
        best = least_makespan(slotted(jobs, cluster, cost.price(jobs, cluster)), 5.0).schedule.makespan
        assert best == np.ceil(5000 / np.floor(1 / (0.02 * (1 + extra * (f + 2)))))
        found.append(best)
    assert found[0] > found[1]
