"""Standings, axes of the map, and errors of ratios of two policies, by hand."""

import numpy as np
import pandas as pd
import pytest

from artifact.arena import standings
from rarlib.comparison.fidelity import (
    SIMULATED_OVER_MEASURED,
    level_of,
    pair_errors,
    ratio_errors,
)
from tests.artifact.arena.small import BASE, rows, small_runs, varied_runs


def test_standings_by_hand():
    """Pollux on the window that it ran: 1.5 over 1.0, third, and nobody's place is taken."""
    runs = small_runs()
    table = standings.standings(runs)
    first = table[table["setup"] == "philly-pollux"].set_index("scheduler")
    assert first["rank"].to_dict() == {"sia": 1, "mine": 2, "pollux": 3, "srtf": 3}
    assert first["ratio"].to_dict() == pytest.approx(
        {"sia": 1, "mine": (1.05 * 3.1 / 3) ** 0.5, "pollux": 1.5, "srtf": 2}
    )
    assert first["close"].to_dict() == {"sia": True, "mine": True, "pollux": False, "srtf": False}
    assert first["whole"].to_dict() == {"sia": True, "mine": True, "pollux": False, "srtf": True}
    assert standings.by_rank(table) == ["sia", "srtf", "mine", "pollux"]


def test_the_nearest_flip_is_listed():
    varied = varied_runs()
    (row,) = standings.flips(varied, standings.on_map(varied)).to_dict("records")
    assert (row["better"], row["worse"]) == ("sia", "mine")
    assert (row["verdict"], row["nearest"]) == ("fragile", "cluster=homogeneous")


def test_the_pairs_are_those_of_policies_on_one_testbed():
    """15 pairs of six policies, and 3 of three, twice."""
    errors = ratio_errors()
    assert len(errors) == 21 and (np.diff(errors) >= 0).all() and errors[0] > 0
    pollux = SIMULATED_OVER_MEASURED["Pollux, 64 GPUs"]
    for one, other in (("Pollux", "Optimus"), ("Optimus", "Tiresias"), ("Pollux", "Tiresias")):
        ratio = pollux[one] / pollux[other]
        assert np.isclose(errors, max(ratio, 1 / ratio) - 1).any()


def test_the_published_summary():
    """Median 7.8 %, 80 % below 15 %, 90 % below 22 %; 13 of 21 within 10 %, to a whole percent."""
    errors = 100 * ratio_errors()
    assert np.median(errors) == pytest.approx(7.8, abs=0.1)
    assert (errors < 15).mean() >= 0.8
    assert (errors < 22.5).mean() >= 0.9 > (errors < 20).mean()
    assert (errors < 10.5).sum() == 13


def test_a_level_is_a_share_of_smaller_errors():
    errors = ratio_errors()
    assert level_of(1.0) == 0.0 and level_of(3.0) == 1.0
    for at, error in enumerate(errors):
        assert level_of(1 + error + 1e-9) == pytest.approx((errors < error + 1e-9).mean())
        assert level_of(1 + error + 1e-9) >= (at + 1) / 21
    assert level_of(0.8) == level_of(1.25)


def test_errors_of_other_runs_by_hand():
    """Of three policies, one right and one half, one twice as long: errors of 100, 100 and 300 %; a tie has none."""
    errors = pair_errors({"here": {"a": 1.0, "b": 0.5, "c": 2.0}, "there": {"a": 0.7, "b": 0.7}, "alone": {"a": 9.0}})
    assert errors == pytest.approx([0.0, 1.0, 1.0, 3.0])


def test_our_own_scheduler_is_beside_the_map():
    """Ours is best in both settings, a third and a half shorter than Sia and SRTF, who have the map to themselves."""
    given = {BASE: {"concert": [2.0, 2.0], "sia": [3.0, 3.0], "srtf": [4.0, 4.0]}}
    given[BASE.replace("k+0.3", "off")] = {"concert": [1.0, 1.0], "sia": [3.0, 3.0], "srtf": [2.0, 2.0]}
    runs = pd.concat([rows(values, reading=reading) for reading, values in given.items()])
    found = standings.map_of(runs)
    assert found.places["winner"].tolist() == ["sia", "srtf"]
    assert set(found.windows["winner"]) == {"sia"}
    assert found.margin.tolist() == pytest.approx([2 / 3, 1 / 2])
    assert standings.map_of(runs[runs["scheduler"] != "concert"]).margin.empty
