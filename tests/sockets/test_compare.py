"""What the exact mode and the law say of trials whose answer is found by hand."""

import pandas as pd
import pytest

from tools.sockets.compare import compared, exact_times, law_means
from tools.sockets.measure import JobRow
from tools.sockets.plan import SEND_S, Trial


@pytest.mark.parametrize("jobs", [2, 3, 4])
def test_exchanges_at_once_take_as_long_as_all_of_them(jobs):
    assert exact_times(Trial("class", "fixed", jobs, 1.0, 0.0, 0), SEND_S) == pytest.approx([jobs * SEND_S] * jobs)


@pytest.mark.parametrize("shift", [0.25, 0.5, 1.0])
def test_two_shifted_exchanges_share_what_they_overlap(shift):
    """The first is alone for x, then both send at half the rate until the first has sent s - x more: 2 s - x each."""
    found = exact_times(Trial("class", "fixed", 2, 1.0, shift, 0), SEND_S)
    assert found == pytest.approx([SEND_S * (2.0 - shift)] * 2)


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_jobs_that_always_send_take_as_long_as_all_of_them(jobs):
    trial = Trial("fifo", "free", jobs, 1.0, 0.0, 0)
    assert exact_times(trial, SEND_S) == pytest.approx([jobs * SEND_S] * jobs)
    assert law_means(trial, SEND_S) == pytest.approx([jobs * SEND_S] * jobs, rel=1e-6)


def test_two_equal_jobs_that_begin_together_stay_in_step():
    """c + 2 s, but for the few milliseconds by which their starts are apart."""
    trial = Trial("class", "equal", 2, 0.4, 0.0, 0)
    assert exact_times(trial, SEND_S) == pytest.approx([trial.compute_s + 2 * SEND_S] * 2, rel=0.01)


def test_two_jobs_by_the_law():
    """Both lengthen by 1 + d d."""
    trial = Trial("class", "free", 2, 0.3, 0.0, 0)
    wanted = (trial.compute_s + SEND_S) * (1.0 + 0.3 * 0.3)
    assert law_means(trial, SEND_S) == pytest.approx([wanted] * 2)


def test_the_link_is_as_fast_as_a_job_alone_found_it():
    """Twice as slow as it should be, on one queue only."""
    trials = [
        Trial(queue, phases, jobs, 1.0, 0.0, 0)
        for queue in ("class", "fifo")
        for phases, jobs in (("alone", 1), ("fixed", 2))
    ]
    seconds = {("class", "alone"): 2 * SEND_S, ("fifo", "alone"): SEND_S}
    rows = pd.DataFrame(
        [
            (*trial, *JobRow(job, 5, seconds.get(trial[:2], 1.0), 1.0, 1.0, 0.1, 0.5))
            for trial in trials
            for job in range(trial.jobs)
        ],
        columns=[*Trial._fields, *JobRow._fields],
    )
    exact = compared(rows).set_index(["queue", "phases"])["exact_s"]
    assert exact["class", "fixed"].tolist() == pytest.approx([4 * SEND_S] * 2)
    assert exact["fifo", "fixed"].tolist() == pytest.approx([2 * SEND_S] * 2)
