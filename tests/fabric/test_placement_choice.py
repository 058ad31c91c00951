"""CASSINI's choice among placements against the best of them, by running every one."""

import numpy as np
import pandas as pd
import pytest

from rarlib.fabric.arranged import case_view
from rarlib.fabric.placement_choice import candidate_cases, choice_outcome
from rarlib.fabric.policies.cassini import MOST_PLACEMENTS, Cassini
from rarlib.fabric.policy_cases import case_of
from tests.fabric.cases import sender, shared
from tools import fabric_placements


def beside(duty):
    """A job that sends half of its second beside one that sends for another share of it."""
    case = shared(sender("new", 0.5, 0.5), sender("old", 1.0 - duty, duty))
    return case_of(case_view(case, [1, 1]), "beside", 0.0, [0, 1])


@pytest.mark.parametrize("duties", [(0.9, 0.7, 0.4), (0.3, 0.8, 0.6), (0.8, 0.95, 0.65)])
def test_of_jobs_with_equal_periods_it_finds_the_best(duties):
    """Two jobs take max(1, d + 1/2) s an iteration when interleaved as well as may be, so the least busy is best."""
    cases = [beside(duty) for duty in duties]
    assert choice_outcome(cases, Cassini()).chosen == pytest.approx(1.0, abs=1e-3)
    assert Cassini().choose([one.view for one in cases]) == int(np.argmin(duties))


def test_candidates_differ_in_the_new_jobs_hosts_only():
    cases = candidate_cases(3, 0, 3, (0.5,))
    assert len(cases) == MOST_PLACEMENTS
    assert len({one.view.jobs[-1].servers for one in cases}) > 1
    for one in cases:
        assert one.view.jobs[:-1] == cases[0].view.jobs[:-1]
        assert [job.seed for job in one.case.jobs] == [job.seed for job in cases[0].case.jobs]
        hosts = [host for job in one.view.jobs for host in job.servers]
        assert len(set(hosts)) == len(hosts) == 12


def test_the_page_says_what_the_table_holds():
    table = pd.read_csv(fabric_placements.TABLE)
    assert fabric_placements.SECTION.stated() == fabric_placements.render(table).strip()
    means = table.groupby("jobs")[["chosen", "any_"]].mean()
    assert (means["chosen"] > means["any_"]).all(), "a choice that is no better than any would be news"
    assert (table[["chosen", "any_"]].to_numpy() <= 1.0).all()
