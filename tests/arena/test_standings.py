"""Standings, costs of contention and axes of the map, by hand."""

import pytest

from rarlib.arena import standings
from tests.arena.small import small_runs, varied_runs


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
    assert (row["better"], row["worse"], row["verdict"], row["nearest"]) == (
        "sia",
        "mine",
        "fragile",
        "cluster=homogeneous",
    )
