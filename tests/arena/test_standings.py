"""Standings, costs of contention and axes of the map, by hand."""

import pandas as pd
import pytest

from rarlib.arena import standings
from rarlib.arena.statistics import winners
from tests.arena.small import rows, small_runs, varied_runs


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


def test_who_wins_everywhere_steps_aside():
    """Clear of all others in both settings; not if tied in one, nor if another one wins one."""
    first = rows({"sia": [1.0] * 6, "srtf": [2.0] * 6, "mine": [3.0] * 6})
    for second, above in (
        ({"sia": 1.0, "srtf": 2.0, "mine": 3.0}, ["sia"]),
        ({"sia": 1.0, "srtf": 1.05, "mine": 3.0}, []),
        ({"sia": 2.0, "srtf": 1.0, "mine": 3.0}, []),
    ):
        other = rows({name: [value] * 6 for name, value in second.items()}, x="0.5")
        compared = standings.on_map(pd.concat([first, other]))
        places = winners(compared, standings.AXES)
        assert standings.undisputed(places) == above
        rest = winners(standings.among(compared, ["sia"]), standings.AXES)
        assert rest["winner"].tolist() == ["srtf", "srtf"]
