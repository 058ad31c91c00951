"""What the tables measure, by hand, and how the figures' ratios are formed."""

from types import SimpleNamespace

import numpy as np

from artifact.papers.sia.cells import chosen_files, relative_to_best, relative_to_none
from artifact.papers.sia.fairness import mean_jobs_present
from rarlib.model.jobs import Jobs
from rarlib.presets.sia import crowd


def record(submit_s, finish_s):
    """As much of a run as the measures look at."""
    jobs = Jobs.build(submit_s=submit_s, gpus=np.ones(len(submit_s)), duration_s=np.ones(len(submit_s)))
    finish = np.array(finish_s, dtype=float) - jobs.origin_s
    return SimpleNamespace(jobs=jobs, finish_s=finish, makespan_s=float(finish.max()))


def test_a_crowd_is_counted_at_the_ends_of_rounds():
    """Rounds of 60 s on the file's clock. Jobs at 10, 70, 120, which end at 130, 100, 250.

    At 60: the first. At 120: the first, and the third has just come. At 180 and 240: the third. At 300: none.
    """
    run = record([10, 70, 120], [130, 100, 250])
    np.testing.assert_array_equal(crowd(run, 60.0), [1, 2, 1, 1, 0])


def test_company_is_the_mean_crowd_of_a_jobs_own_rounds():
    """The first job meets crowds of 1 and 2, the third of 2, 1 and 1; the second is gone before a round ends."""
    run = record([10, 70, 120], [130, 100, 250])
    np.testing.assert_allclose(mean_jobs_present(run, 60.0)[[0, 2]], [1.5, 4 / 3])


def rows(metric, values, x_name="p"):
    return [("helios", "headline", x_name, x, seed, metric, value, "h") for x, seed, value in values]


def test_ratios_to_the_best_compare_means_over_files():
    made = list(relative_to_best(rows("avg_jct", [("-1", 2, 3.0), ("-1", 4, 5.0), ("0.5", 2, 2.0), ("0.5", 4, 3.0)])))
    assert [(row[3], row[5], row[6]) for row in made] == [
        ("-1", "avg_jct_relative", 1.6),
        ("0.5", "avg_jct_relative", 1.0),
    ]


def test_ratios_to_adaptive_jobs_compare_file_by_file():
    made = list(relative_to_none(rows("makespan", [("0", 2, 4.0), ("0", 4, 5.0), ("50", 2, 6.0), ("50", 4, 5.0)])))
    assert [(row[3], row[4], row[6]) for row in made] == [("0", 2, 1.0), ("0", 4, 1.0), ("50", 2, 1.5), ("50", 4, 1.0)]


def test_slow_policies_run_the_files_named_for_them_and_no_others():
    settings = {"files": {"philly": [2, 4], "rate": [6]}, "sweeps": [4], "few": {"pollux": {"philly": [4, 8]}}}
    assert chosen_files("table3", "sia", "philly", settings) == [2, 4]
    assert chosen_files("table3", "pollux", "philly", settings) == [4]
    assert chosen_files("rates", "pollux", "rate-30", settings) == []
    assert chosen_files("rates", "sia", "rate-30", settings) == [6]
    assert chosen_files("p-sweep", "sia", "philly", settings) == [4]
