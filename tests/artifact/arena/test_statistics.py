"""Comparisons in the arena: by hand, and against a bootstrap written as plain loops."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from rarlib.comparison.fidelity import level_of
from rarlib.comparison.statistics import (
    SETTING_COLUMNS,
    compare_schedulers,
    order_robustness,
    winners,
    with_factors,
)
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from tests.artifact.arena.small import rows

tidy = partial(rows, setup="philly", reading="c/k/profile/0/known", x="0.7")


def row_of(table, scheduler, rival):
    (row,) = table[(table["scheduler"] == scheduler) & (table["rival"] == rival)].to_dict("records")
    return row


def test_a_ratio_by_hand():
    """Ratios of the windows 1/2, 1/2, 1/2, 1/2: without spread. The other is 5 % off, within the band."""
    table = compare_schedulers(tidy({"a": [1, 2, 3, 4], "b": [2, 4, 6, 8], "c": [1.05, 2.1, 3.15, 4.2]}))
    assert len(table) == 6
    halved = row_of(table, "a", "b")
    assert [halved[name] for name in ("ratio", "low", "high", "windows")] == pytest.approx([0.5, 0.5, 0.5, 4])
    assert halved["distinguishable"] and halved["level"] == 1.0
    close = row_of(table, "c", "a")
    assert [close[name] for name in ("ratio", "low", "high")] == pytest.approx([1.05] * 3)
    assert not close["distinguishable"] and close["level"] == level_of(1.05) == pytest.approx(6 / 21)


def test_intervals_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    values = {name: rng.lognormal(mean, 0.3, 6).tolist() for name, mean in (("a", 0.0), ("b", 0.3), ("c", 0.05))}
    frame = tidy(values)
    table = compare_schedulers(frame, resamples=300, seed=5)
    key = tuple(frame.iloc[0][list(SETTING_COLUMNS)])
    drawn = stream(5, "bootstrap", "mean_jct", *key).integers(0, 6, (300, 6))
    for one, other in (("a", "b"), ("c", "a")):
        found = sorted(
            math.fsum(math.log(values[one][w]) - math.log(values[other][w]) for w in windows.tolist()) / 6
            for windows in drawn
        )
        ends = [found[7] + 0.475 * (found[8] - found[7]), found[291] + 0.525 * (found[292] - found[291])]
        row = row_of(table, one, other)
        assert [row["low"], row["high"]] == pytest.approx(np.exp(ends))
        mirror = row_of(table, other, one)
        assert mirror["ratio"] == pytest.approx(1 / row["ratio"])
        assert [mirror["high"], mirror["low"]] == pytest.approx([1 / row["low"], 1 / row["high"]])
        assert mirror["distinguishable"] == row["distinguishable"]


def test_the_interval_covers_what_it_says():
    """Of 30 windows with a true ratio of 1.2: about 94 % of the intervals hold it (they are a bit narrow)."""
    rng, inside = np.random.default_rng(1), 0
    for trial in range(200):
        spread = rng.lognormal(0.0, 1.0, 30)
        frame = tidy({"a": 1.2 * spread * rng.lognormal(0.0, 0.2, 30), "b": spread})
        row = row_of(compare_schedulers(frame, resamples=400, seed=trial), "a", "b")
        inside += row["low"] <= 1.2 <= row["high"]
    assert 177 <= inside <= 197


def test_strata_make_up_for_few_windows():
    """Two windows each of 40 traces: the variance of the mean is known, and drawing two of two would halve it."""
    rng = np.random.default_rng(3)
    frames, wanted = [], 0.0
    for trace in range(40):
        logs = rng.normal(trace, 0.5, 2)
        wanted += logs.var(ddof=1) / 2 / 40**2
        frames.append(tidy({"a": np.exp(logs), "b": [1.0, 1.0]}, setup=f"t{trace:02d}"))
    row = row_of(compare_schedulers(pd.concat(frames), by=["reading"], strata=True, resamples=4000), "a", "b")
    assert math.log(row["high"] / row["low"]) / (2 * 1.96) == pytest.approx(math.sqrt(wanted), rel=0.05)


def test_traces_weigh_the_same_however_many_windows_they_have():
    one, other = tidy({"a": [4], "b": [1]}), tidy({"a": [1, 1, 1], "b": [1, 1, 1]}, setup="saturn")
    row = row_of(compare_schedulers(pd.concat([one, other]), by=["reading"], strata=True), "a", "b")
    assert [row["ratio"], row["low"], row["high"]] == pytest.approx([2.0, 2.0, 2.0])


def test_a_scheduler_without_all_windows_is_left_out():
    frame = tidy({"a": [1, 2], "b": [2, 3], "c": [5]})
    assert set(compare_schedulers(frame)["scheduler"]) == {"a", "b"}


def test_winners():
    frame = tidy({"b": [4, 1], "a": [1, 4], "c": [8, 8], "d": [2.1, 2.1]})
    (won,) = winners(compare_schedulers(frame)).to_dict("records")
    assert (won["winner"], won["second"], won["tied"]) == ("a", "b", "b d")
    assert won["ratio"] == pytest.approx(1.0)
    (clear,) = winners(compare_schedulers(tidy({"a": [2, 2], "b": [1, 1], "c": [3, 3]}))).to_dict("records")
    assert (clear["winner"], clear["second"], clear["ratio"], clear["distinguishable"], clear["tied"]) == (
        "b", "a", pytest.approx(2.0), True, "",
    )  # fmt: skip


def on_map(ratios):
    """A map of a against b over load (0.5, 0.7, 0.9) and trace; ratios by (trace, load)."""
    frames = [
        tidy({"a": [ratio, ratio], "b": [1, 1]}, setup=trace, x=load, reading="c/k+0.3/profile/0/known")
        for (trace, load), ratio in ratios.items()
    ]
    return with_factors(compare_schedulers(pd.concat(frames)))


AXES = {"load": ["0.5", "0.7", "0.9"], "setup": {"philly", "saturn"}}
BASE = {"load": "0.5", "setup": "philly"}


def test_an_order_that_flips_is_fragile():
    """At load 0.9 it flips in philly (two steps), at 0.5 in saturn (one): the nearest counts."""
    compared = on_map({
        ("philly", "0.5"): 0.5, ("philly", "0.7"): 0.95, ("philly", "0.9"): 2.0,
        ("saturn", "0.5"): 1.5, ("saturn", "0.7"): 0.7, ("saturn", "0.9"): 0.6,
    })  # fmt: skip
    (found,) = order_robustness(compared, AXES, BASE).to_dict("records")
    assert (found["better"], found["worse"], found["verdict"]) == ("a", "b", "fragile")
    assert [found[name] for name in ("holds", "tied", "flips")] == pytest.approx([3 / 6, 1 / 6, 2 / 6])
    assert (found["nearest"], found["steps"], found["settings"]) == ("setup=saturn", 1, 6)
    (only,) = order_robustness(compared[compared["setup"] == "philly"], AXES, BASE).to_dict("records")
    assert (only["nearest"], only["steps"]) == ("load=0.9", 2)


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: compare_schedulers(tidy({"a": [0.0], "b": [1.0]})), "positive"),
        (lambda: compare_schedulers(pd.concat([tidy({"a": [1.0]})] * 2)), "two values"),
        (lambda: with_factors(tidy({"a": [1.0]}, reading="headline")), "cluster/contention/restart/error/knowledge"),
        (lambda: with_factors(pd.concat([tidy({"a": [1.0]}), tidy({"a": [1.0]}).assign(x_name="")])), "no level of"),
        (lambda: order_robustness(on_map({("philly", "0.8"): 0.5}), AXES, BASE), "no level"),
        (lambda: order_robustness(on_map({("philly", "0.7"): 0.5}), AXES, BASE, [("a", "b")]), "do not meet"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, rule):
    with pytest.raises(InputError, match=rule):
        call()
