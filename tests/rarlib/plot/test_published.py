"""Published numbers: only those that are meant, and all in one look."""

import pandas as pd
import pytest

from artifact.plot import published as numbers
from rarlib.plot.style import INK

PUBLISHED = pd.DataFrame(
    [
        ("sjf-bco", "Fig. 4", "SJF-BCO", "makespan", "535"),
        ("gadget", "Fig. 4", "SJF-BCO", "makespan", "1"),
        ("gadget", "Fig. 4", "GADGET", "jobs=60", "40"),
        ("gadget", "Fig. 4", "GADGET", "jobs=40", "30"),
        ("sia", "arrival-rate figure", "Sia", "rate=10/h", "0.5"),
        ("sia", "p sweep", "avg JCT", "p=-0.5", "1.006"),
        ("sia", "round-length figure", "Sia", "round=30s", "0.72"),
        ("pipedream", "Table 1", "VGG-16", "configuration", "15-1"),
    ],
    columns=["paper", "where", "series", "x", "value"],
)


def test_points_are_those_of_the_paper_and_figure():
    assert numbers.published_points(PUBLISHED, "sjf-bco", "Fig. 4", "SJF-BCO").to_dict() == {"makespan": 535.0}
    assert numbers.published_points(PUBLISHED, "sjf-bco", "Fig. 4", "RAND").empty
    assert numbers.published_curve(PUBLISHED, "gadget", "Fig. 5", "GADGET").empty


@pytest.mark.parametrize(
    ("where", "curve"),
    [
        (("gadget", "Fig. 4", "GADGET"), {40.0: 30.0, 60.0: 40.0}),
        (("sia", "arrival-rate figure", "Sia"), {10.0: 0.5}),
        (("sia", "p sweep", "avg JCT"), {-0.5: 1.006}),
        (("sia", "round-length figure", "Sia"), {30.0: 0.72}),
        (("sia", "rigid share", "makespan"), {}),
    ],
)
def test_curves_are_by_the_number_in_x(where, curve):
    """Ascending, without the name and the unit, and with the sign."""
    assert list(numbers.published_curve(PUBLISHED, *where).items()) == list(curve.items())


def test_all_are_hollow_diamonds(ax):
    numbers.draw_published(ax, [1, 2], [3, 4])
    numbers.draw_published(ax, 1, 2, "red", ls="--")
    for line, colour in zip((*ax.lines, numbers.published_key()), (INK, "red", INK), strict=True):
        assert (line.get_marker(), line.get_markerfacecolor(), line.get_markeredgecolor()) == ("D", "white", colour)
    assert [line.get_linestyle() for line in ax.lines] == ["None", "--"]
