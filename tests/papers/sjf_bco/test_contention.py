"""Contention has an effect in the headline's set-up, and the rule that selects this set-up."""

import numpy as np
import pytest

from rarlib.cost.ring import SlottedRingCost
from rarlib.ilp.rar_ddls.exact import least_makespan
from rarlib.ilp.rar_ddls.slotted import slotted
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT
from rarlib.papers.sjf_bco.contention import STATED_SHARE, extra_share, headline, kept, run_once, without_contention
from rarlib.papers.sjf_bco.instance import SETUPS, Instance, instance
from rarlib.workflow.settings import configuration

SEEDS = range(30)


def _first_setups():
    for name in ("config", "smoke"):
        experiments = configuration(name)["experiments"]
        yield from (experiments[key]["setups"][0] for key in ("sjf_bco", "optimality"))


@pytest.mark.parametrize("scheduler", ["sjf-bco", "list-scheduling"])
def test_switching_contention_off_changes_schedules(scheduler):
    """In every instance of the headline some job ends at another time when eq. 6 and 7 are removed."""
    for seed in range(10):
        case = instance(seed, 20, next(_first_setups()))
        finish = [run_once(c, scheduler, seed).finish_s for c in (case, without_contention(case))]
        assert (finish[0] != finish[1]).any()


def test_contention_has_no_effect_in_the_clipped_set_ups():
    """P200 and PNAT cut iteration times at a value that they reach without contention: eq. 6 changes nothing there."""
    for setup in ("P200", "PNAT"):
        for seed in range(3):
            case = instance(seed, 20, setup)
            finish = [run_once(c, "sjf-bco", seed).finish_s for c in (case, without_contention(case))]
            assert (finish[0] == finish[1]).all()


def test_contention_changes_an_optimum():
    """Two gangs of 3 on three servers of 2 share a server at best, so p = 2; without contention both end earlier."""
    how = SETUPS[next(_first_setups())]
    slots = np.full(2, 100.0)
    jobs = Jobs.build(submit_s=np.zeros(2), gpus=[3, 3], duration_s=slots)
    tau0 = np.full(2, 0.02)
    cost = SlottedRingCost(slots / tau0, tau0, how.extra, np.inf, how.alpha)
    case = Instance(jobs, Cluster.of([2, 2, 2]), cost)
    with_it, without = (
        least_makespan(slotted(c.jobs, c.cluster, c.cost.price(c.jobs, c.cluster)), 5.0)
        for c in (case, without_contention(case))
    )
    per_slot = [np.floor(1 / (0.02 * (1 + how.extra * (f + 2)))) for f in (2 + how.alpha, 1.0)]
    assert with_it.schedule.makespan == np.ceil(5000 / per_slot[0])
    assert without.schedule.makespan == np.ceil(5000 / per_slot[1]) < with_it.bound


def test_the_rule_selects_the_headline():
    """The configuration runs what the rule selects, and the claims read it."""
    selected = headline(SEEDS)
    assert set(_first_setups()) == {selected}
    claims = yaml_file(ROOT / "config/claims/sjf-bco.yaml")
    assert claims["defaults"]["select"]["setup"] == selected


def test_the_weight_of_contention_is_the_largest_within_the_rule(monkeypatch):
    """0.005 more and some schedule has more than 15 % of contention and overhead."""
    found = kept("U15", SEEDS)
    assert found.largest_share <= STATED_SHARE
    monkeypatch.setitem(SETUPS, "U15", SETUPS["U15"].__class__(**{**vars(SETUPS["U15"]), "extra": 0.015}))
    assert kept("U15", SEEDS).largest_share > STATED_SHARE


def test_share_by_hand():
    """All of the GPU time beyond that of the jobs alone is contention and overhead."""
    case = instance(0, 20, "U15")
    run = run_once(case, "sjf-bco", 0)
    alone = float(np.sum(case.jobs.gpus * case.jobs.duration_s))
    total = float(np.sum(case.jobs.gpus * (run.finish_s - run.start_s)))
    assert extra_share(case, run) == pytest.approx((total - alone) / total)
