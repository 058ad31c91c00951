"""The order behind the word "direction", as a reader meets it."""

import pytest

from rarlib.evidence.claims import read_claims
from rarlib.evidence.published import read_listed
from rarlib.evidence.tested_order import tested_order as in_words
from rarlib.model.project import ROOT


def order(along, ascending, **more):
    return {"kind": "order", "table": "t", "along": along, "ascending": ascending, **more}


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (
            order("scheduler", ["sjf-bco", "first-fit", "list-scheduling"], select={"metric": "avg_jct", "x": 20}),
            "SJF-BCO < FF < LS (avg jct, servers 20)",
        ),
        (
            order("x", [8, 32], select={"metric": "makespan", "reading": "headline", "scheduler": "sjf-bco"}),
            "servers 8 < servers 32 (makespan, SJF-BCO)",
        ),
        (order("setup", [0.5, 1], strict=False), "set-up 0.5 ≤ set-up 1"),
        (order("reading", ["oracle", "none"], select={"metric": "jct"}), "oracle < none (jct)"),
        ({"kind": "check", "table": "t", "select": {"setup": "A", "metric": "faster"}}, "holds (A, faster)"),
    ],
)
def test_values_that_must_ascend_in_words(formula, text):
    assert in_words(formula, lambda table: {"t": "servers"}[table]) == text


def test_every_direction_of_the_project_has_words():
    """Each compares something, and no internal name of a column is left."""
    claims = read_claims(ROOT / "config/claims", set(read_listed(ROOT / "data")["id"]))
    directions = [claim.direction for claim in claims.values() if claim.direction is not None]
    assert len(directions) > 100
    for direction in directions:
        words = in_words(direction, lambda _: "load")
        assert any(word in words for word in (" < ", " ≤ ", "holds ("))
        assert "_" not in words and "headline" not in words
