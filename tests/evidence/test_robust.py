"""Robust, fragile or tied: hand-made maps of two schedulers."""

import pandas as pd
import pytest

from rarlib.evidence.robust import check_order, compared_settings, robustness_of
from rarlib.model.errors import InputError
from tests.arena.small import rows

ORDER = {"better": "a", "worse": "b"}


def on_map(ratios, order=ORDER):
    """a against b; (trace, contention, load) -> ratio, the first one is the base."""
    frames = [
        rows({"a": [ratio, ratio], "b": [1, 1]}, trace, f"three-types/{contention}/profile/0.3/known", load)
        for (trace, contention, load), ratio in ratios.items()
    ]
    return robustness_of(order, compared_settings(pd.concat(frames), "mean_jct"))


BASE = {("philly", "k", "0.9"): 0.5}


def test_holding_or_tied_everywhere_is_robust():
    told = on_map(BASE | {("saturn", "k", "0.9"): 0.95, ("philly", "off", "0.9"): 1.08})
    assert told == "robust (holds in 1 of 3 settings, flips in none)"


def test_the_nearest_flip_is_named():
    """Two steps of load, or one of contention: off is next to k."""
    told = on_map(BASE | {("philly", "k", "0.7"): 0.5, ("philly", "k", "0.5"): 3.0, ("philly", "off", "0.9"): 2.0})
    assert told == "fragile: nearest flip at contention=off (2 of 4 settings flip)"


def test_a_flip_at_the_base_itself():
    assert on_map({("philly", "k", "0.9"): 2.0}) == "fragile: nearest flip at the base setting (1 of 1 settings flip)"


def test_where_limits_the_settings():
    """The base is then the first setting that is left."""
    ratios = BASE | {("philly", "off", "0.9"): 2.0}
    assert on_map(ratios, ORDER | {"where": {"contention": "k"}}).startswith("robust")
    assert "the base setting" in on_map(ratios, ORDER | {"where": {"contention": "off"}})


@pytest.mark.parametrize(
    ("order", "complaint"),
    [
        ({"better": "a"}, "needs 'worse'"),
        ({"better": "a", "worse": "b", "when": {}}, "unknown key 'when'"),
        ({"better": "a", "worse": "b", "where": {"setup": "x"}}, "unknown factor"),
        ({"better": "a", "worse": "b", "where": {"contention": False}}, "quotes"),
        (["a", "b"], "must be a mapping"),
    ],
)
def test_bad_orders_are_refused(order, complaint):
    with pytest.raises(InputError, match=complaint):
        check_order(order, "test.yaml", "x-1.robustness")
