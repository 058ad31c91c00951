"""How the figures' ratios are formed, and which files a table runs."""

from artifact.papers.sia.cells import chosen_files, relative_to_best, relative_to_none


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
