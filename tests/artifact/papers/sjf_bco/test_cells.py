"""Cells of SJF-BCO's evaluation, its guarantees, claims and parameters."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from artifact.ledger.ledger import build
from artifact.notebook.parameters import with_parameters
from artifact.papers.sjf_bco import optimality
from artifact.papers.sjf_bco.cells import measure, run_cell
from artifact.papers.sjf_bco.choices import RUN_READINGS, options
from artifact.papers.sjf_bco.instance import JOB_MIX, gangs_of, instance, part
from artifact.papers.sjf_bco.theory import proven
from artifact.run.settings import configuration
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.records.tidy import TIDY_COLUMNS, write_table
from rarlib.simulator.engine import simulate
from tests.artifact.papers.sjf_bco.headline import SMALL, headline
from tests.artifact.papers.sjf_bco.setups import SETUPS

ROOT = Path(__file__).parents[4]
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


def test_the_paper_s_mix_is_scaled():
    """160 jobs are the stated ones; twice as many are each gang twice; any number is met, its shares within one job."""
    assert Counter(gangs_of(160).tolist()) == JOB_MIX
    assert Counter(gangs_of(320).tolist()) == {gang: 2 * count for gang, count in JOB_MIX.items()}
    for jobs in range(4, 200):
        counts = Counter(gangs_of(jobs).tolist())
        assert sum(counts.values()) == jobs
        assert all(abs(counts[gang] - jobs * count / 160) < 1 for gang, count in JOB_MIX.items())


@pytest.mark.parametrize(
    ("tables", "knobs", "rule"),
    [
        (["sjf-bco-fig4"], {"servers": 21}, "21"),
        (["sjf-bco-fig4"], {"readings": ["headline"]}, "headline"),
        (["sjf-bco-fig7"], {"lambdas": []}, "empty|short"),
        (["sjf-bco-inference"], {"seeds": 3}, "unknown parameter"),
    ],
)
def test_an_impossible_value_names_its_parameter(tables, knobs, rule):
    with pytest.raises(InputError, match=rule) as told:
        with_parameters(configuration(), tables, knobs)
    assert told.value.field == next(iter(knobs))


def test_what_only_a_cell_can_refuse_names_its_parameter():
    with pytest.raises(InputError) as told:
        optimality.run_cell("scale", "bounds", headline("scale", "optimality", servers=1))
    assert told.value.field == "servers"
