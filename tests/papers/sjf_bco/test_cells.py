"""Cells of SJF-BCO's evaluation, its guarantees, its calibration and its claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarlib.discovery import make_scheduler
from rarlib.evidence.ledger import build
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.seeds import stream
from rarlib.papers.sjf_bco.calibration import communication_share, statement_robustness
from rarlib.papers.sjf_bco.cells import measure, points, run_cell
from rarlib.papers.sjf_bco.instance import SETUPS, instance, part
from rarlib.papers.sjf_bco.lemmas import check_lemmas
from rarlib.papers.sjf_bco.readings import sjf_bco
from rarlib.papers.sjf_bco.theory import tight_instance
from rarlib.records.tidy import TIDY_COLUMNS, write_table
from rarlib.simulator.engine import simulate
from tests.papers.sjf_bco.headline import SMALL, headline

ROOT = Path(__file__).parents[3]
OWN = sjf_bco(headline("fig4"))


def _cell(figure, scheduler, data=None, **over):
    return run_cell(figure, scheduler, headline(figure, **SMALL | over), data)


def _value(frame, metric, **where):
    for column, wanted in {"metric": metric, **where}.items():
        frame = frame[frame[column] == wanted]
    return frame.set_index("seed")["value"]


def test_the_same_cell_twice_is_the_same_table():
    """Everything random hangs on the seed; a second run must not differ in a digit."""
    first, second = (_cell("fig4", "random") for _ in range(2))
    assert list(first.columns) == TIDY_COLUMNS
    pd.testing.assert_frame_equal(first, second)


def test_figures_agree_where_they_share_a_point():
    """No kappa of Fig. 5 beats Alg. 1, which tries them all, by much; Fig. 7 starts where Fig. 5 does."""
    fig4 = _value(_cell("fig4", "sjf-bco"), "makespan", reading="headline")
    fig5 = _cell("fig5", "sjf-bco")
    of_kappa = [_value(fig5, "makespan", reading="headline", x=k) for k in (1, 2, 4, 8, 16, 32)]
    # one bisection for all kappa follows another path than one for a single kappa
    np.testing.assert_allclose(fig4, np.min(of_kappa, axis=0), rtol=0.05)
    fig7 = _cell("fig7", "sjf-bco")
    at_one = _value(fig5, "makespan", reading="headline", x=1)
    # another horizon, another path of the bisection: nearly, not exactly the same
    np.testing.assert_allclose(_value(fig7, "makespan", x=1), at_one, rtol=0.05)


@pytest.mark.parametrize("setup", SETUPS)
def test_a_plan_on_idle_gpus_is_the_run(setup):
    """Cells read SJF-BCO's plan and cut the run after its first pass; the whole run gives the same, to the digit."""
    case = instance(3, 20, setup)
    read = {name: value for name, value, _ in measure(case, "sjf-bco", OWN, 1500, 3)}
    planner = make_scheduler("sjf-bco", {**OWN, "horizon": 1500})
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, seed=3)
    assert (read["makespan"], read["average"]) == (run.makespan_s, run.turnaround_s.mean())
    assert read["shortest"] == run.turnaround_s.min()
    alone = float((case.jobs.gpus * case.jobs.duration_s).sum())
    assert read["extra"] == pytest.approx(run.gpu_seconds.sum() / alone - 1)


def test_a_cluster_that_is_too_small_is_infeasible_not_fatal():
    """A gang of 32 on 4 GPUs: the run is reported as infeasible, with no number that could enter a mean."""
    small = part(instance(0, 20, "P200"), np.arange(160), Cluster.of([4]))
    rows = {name: value for name, value, _ in measure(small, "sjf-bco", {"tau_hat": 0.05}, 1200, 0)}
    assert rows["feasible"] == 0
    assert np.isnan(rows["makespan"])


def test_a_horizon_that_is_too_short_is_infeasible_not_fatal():
    """The same for a plan that cannot end by T."""
    rows = {name: value for name, value, _ in measure(instance(0, 20, "P200"), "random", {}, 50, 0)}
    assert rows["feasible"] == 0
    assert np.isnan(rows["average"])


@pytest.mark.parametrize(
    ("figure", "scheduler", "rule"), [("fig9", "sjf-bco", "unknown figure"), ("fig5", "random", "kappa|parameter")]
)
def test_cells_that_do_not_exist(figure, scheduler, rule):
    """A typo in the configuration is told, with what is known."""
    with pytest.raises(InputError, match=rule):
        list(points(figure, scheduler, headline("fig5")))


def test_any_scheduler_can_enter_a_comparison():
    """A scheduler that the paper does not know runs in Fig. 4 and 6 with its defaults."""
    frame = _cell("fig4", "fifo", seeds=1)
    assert _value(frame, "feasible").tolist() == [1.0]


def test_guarantees_hold_where_they_should():
    """On the evaluation's instances and parts of them; a broken bound, ratio or count would show as a 0."""
    frame = _cell("theory", "sjf-bco", limit=2)
    kinds = {
        kind: frame[(frame["x"] == kind) & (frame["reading"] == "headline")] for kind in ("paper", "parts", "tight")
    }
    for check in ("lemma4", "theorem5", "theorem6"):
        assert (_value(kinds["paper"], check) == 1.0).all()
    for kind in ("parts", "tight"):
        assert (_value(kinds[kind], "lemma3") == 1.0).all()
        assert (_value(kinds[kind], "theorem5_ratio") >= 1.0).all()  # nothing beats the optimum
    assert (_value(kinds["paper"], "theorem5_ratio") >= 1.0).all()  # nor the lower bound


def test_tight_instances_leave_nothing_to_spare():
    """phi = u = l = 1, so the guarantee is n_g itself; every gang fits."""
    largest = set()
    for seed in range(30):
        case = tight_instance(seed)
        assert case.jobs.gpus.max() <= case.cluster.total_gpus
        assert check_lemmas(case, {"tau_hat": 0.05}, 1.0)["guarantee"] == case.jobs.gpus.max()
        largest.add(int(case.jobs.gpus.max()))
    assert largest == {1, 2, 3}


def test_communication_share_by_hand():
    """Twice as long for two sharers without loss: all of the time was communication."""
    assert communication_share(100.0, 200.0, 2, 0.0) == 1.0
    assert communication_share(100.0, 130.0, 2, 0.0) == pytest.approx(0.3)


def test_robustness_leaves_infeasible_seeds_out():
    """A seed without a schedule is neither for nor against a statement."""
    tables = {
        "fig4": pd.concat([_cell("fig4", s) for s in ("sjf-bco", "list-scheduling", "first-fit", "random")]),
        "fig5": _cell("fig5", "sjf-bco"),
        "fig6": pd.concat([_cell("fig6", s) for s in ("sjf-bco", "list-scheduling", "first-fit")]),
        "fig7": _cell("fig7", "sjf-bco"),
    }
    fig4 = tables["fig4"]
    fig4.loc[(fig4["scheduler"] == "random") & (fig4["metric"] == "makespan") & (fig4["seed"] == 0), "value"] = np.nan
    shares = statement_robustness(tables, ["P200"])
    assert shares.loc["SJF-BCO < RAND in makespan", "P200"] == 1.0
    assert set(shares["class"]) <= {"robust", "fragile", "absent"}


def test_no_feasible_schedule_is_a_verdict(tmp_path):
    """RAND on 10 servers finds no schedule in any seed: the published value is not reproduced, not "not yet run"."""
    rows = [
        ("sjf-bco-fig6", "U15", "headline", "random", "servers", 10, s, "makespan", np.nan, "slot") for s in range(3)
    ]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), tmp_path / "sjf-bco-fig6.csv")
    write_text(tmp_path / "sjf-bco-fig6.json", '{"cells": [], "standin": false, "traces": []}')
    ledger = build(ROOT / "data", ROOT / "config" / "claims", tmp_path).set_index("published")
    assert ledger.loc["sjf-bco-023", "verdict"] == "not reproduced"
    assert "no feasible schedule in any of 3 seeds" in ledger.loc["sjf-bco-023", "reason"]


def test_iterations_scaled_down_from_a_trace(tmp_path):
    """The reading needs a trace, and then gives other instances than uniform iterations do."""
    with pytest.raises(InputError, match="need a trace"):
        _cell("calibration", "list-scheduling")
    rng = stream(0, "test-trace")
    gpus = rng.choice([1, 2, 4, 8, 16, 32], 300)
    trace = tmp_path / "trace.csv"
    durations = rng.exponential(3600.0 * gpus)
    pd.DataFrame({"submit_s": 0, "gpus": gpus, "duration_s": durations}).to_csv(trace, index=False)
    scaled = _value(_cell("calibration", "list-scheduling", trace), "makespan", reading="trace-iterations")
    uniform = _value(_cell("fig4", "list-scheduling"), "makespan", reading="headline")
    assert (scaled > uniform).all()  # here large gangs run longer, so they get more iterations than uniform ones do
