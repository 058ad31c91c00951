"""Numbers of a paper: means and intervals against their definitions, and how they are written."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from artifact.paper.summary import MANY, share_interval, shown_value, summary_rows
from artifact.paper.tables import MOST, table_in_latex
from rarlib.records.tidy import tidy


def table(values, metric="makespan", reading="headline", x_name="servers", x="20", setup="A", scheduler="fifo"):
    rows = [(setup, reading, x_name, x, seed, metric, value, "slot") for seed, value in enumerate(values)]
    return tidy(rows, "toy", scheduler)


def test_mean_and_interval_are_those_of_scipy():
    values = np.random.default_rng(1).normal(100, 10, 12)
    row = summary_rows(table(values)).iloc[0]
    wanted = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    assert (row["mean"], row["low"], row["high"], row["n"]) == pytest.approx((values.mean(), *wanted, 12))


def test_seeds_without_a_value_do_not_count():
    row = summary_rows(table([1.5, math.nan, 2.5])).iloc[0]
    assert (row["mean"], row["n"]) == (2.0, 2)
    assert summary_rows(table([math.nan])).empty


def test_a_share_of_seeds_stays_between_0_and_1():
    """Clopper and Pearson: at either end of the interval, what was seen or more of it has a probability of 2.5 %."""
    low, high = share_interval(0.9, 10)
    assert stats.binom.sf(8, 10, low) == pytest.approx(0.025)
    assert stats.binom.cdf(9, 10, high) == pytest.approx(0.025)
    row = summary_rows(table([1] * 9 + [0])).iloc[0]
    assert (row["low"], row["high"]) == (low, high)


def test_draws_are_pooled_and_curves_are_left_out():
    draws = pd.concat([table([at], x_name="draw", x=str(at)) for at in range(MANY + 1)])
    assert summary_rows(draws)["n"].tolist() == [MANY + 1]
    assert summary_rows(draws.assign(x_name="job")).empty
    assert summary_rows(table([1.0], metric="param:alpha")).empty


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ((331.6, 311.4, 351.8), ("332", "[311, 352]")),
        ((0.0765, 0.0689, 0.0841), ("0.0765", "[0.0689, 0.0841]")),
        ((15.0, math.nan, math.nan), ("15", "")),
        ((1.25e-5,), ("1.25e-05", "")),
    ],
)
def test_numbers_are_rounded_to_two_digits_of_their_uncertainty(number, text):
    assert shown_value(*number) == text


def test_a_paper_s_table_shows_the_headline_and_as_much_as_fits():
    rows = [table([1.0, 2.0], setup=s, x=str(x), reading=r) for s in "AB" for x in range(9) for r in ("headline", "b")]
    few = table_in_latex("toy-a", summary_rows(pd.concat(rows)))
    assert few.count("makespan") == 2 * 9
    many = [table([1.0, 2.0], setup=s, scheduler=f"s{at}") for s in "AB" for at in range(MOST - 1)]
    code = table_in_latex("toy-a", summary_rows(pd.concat(many)))
    assert code.count("makespan") == MOST - 1 and "set-up A only" in code


def test_a_table_in_latex():
    both = pd.concat([table([1.0, 2.0, 4.0]), table([5.0, 7.0], metric="p99_jct")])
    code = table_in_latex("toy-a", summary_rows(both))
    for number in ("2.3", "[-1.5, 6.1]", "6 ", "[-7, 19]"):
        assert number.strip() in code
    assert r"p99\_jct" in code and r"95 \% interval" in code
    assert code.startswith(r"\begin{tabular}")
    assert code.count(r"\midrule") == 1


def test_a_long_table_may_break_across_pages():
    long = pd.concat([table([1.0, 2.0], scheduler=f"s{at}") for at in range(60)])
    code = table_in_latex("toy-a", summary_rows(long))
    assert code.startswith(r"\begin{longtable}")
    assert r"\label{tab:toy-a}" in code
