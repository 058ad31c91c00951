"""Own statements under another law: formulas by hand, and small runs whose verdicts can be seen by eye."""

import pandas as pd
import pytest

from rarlib.arena.settings import settings_of_choice
from rarlib.evidence.claims import Claim
from rarlib.evidence.laws import BOTH, COUNTED_ONLY, FAST_ONLY, NEITHER, claim_under, grid_under, laws_table
from tests.arena.small import rows

SECTION = {
    "traces": ["one", "two"], "cluster": "c", "load": 0.9, "contention": "k+0.3", "restart": "profile", "error": 0.3,
    "grid": [{"trace": ["one"], "contention": ["off", "k", "k+0.3"]}, {"trace": ["one"], "load": [0.5]}],
}  # fmt: skip


def test_settings_under_the_law():
    """One level for all but none, each setting once: base of both traces, no contention, another load."""
    found = settings_of_choice(grid_under(SECTION))
    assert [(each.trace, each.contention, each.load) for each in found] == [
        ("one", "links", "0.9"), ("two", "links", "0.9"), ("one", "off", "0.9"), ("one", "links", "0.5"),
    ]  # fmt: skip
    assert SECTION["contention"] == "k+0.3", "the section itself stays"


def test_formulas_under_the_law():
    given = {"kind": "wins", "among": {"contention": ["k", "k+1"]}, "select": {"load": 0.9, "contention": "k+0.3"}}
    found = claim_under(Claim("a", formula=given, select={"contention": "off"}))
    expected = {"kind": "wins", "among": {"contention": ["links"]}, "select": {"load": 0.9, "contention": "links"}}
    assert found.formula == expected
    assert found.select == {"contention": "off"}
    along = {"kind": "widens", "along": "contention", "levels": ["off", "k", "k+0.3"]}
    assert claim_under(Claim("a", formula=along)).formula == along | {"levels": ["off", "links"]}
    other = {"kind": "widens", "along": "error", "levels": [0, "none"]}
    assert claim_under(Claim("a", formula=other)).formula == other


@pytest.mark.parametrize(
    ("verdict", "faster", "under"),
    [
        ("holds", "a", BOTH),
        ("holds", "b", COUNTED_ONLY),
        ("does not hold", "a", FAST_ONLY),
        ("does not hold", "b", NEITHER),
        ("not yet run", "a", ""),
    ],
)
def test_a_statement_holds_where_its_formula_does(verdict, faster, under):
    """a is said to be faster than b; under the law it takes half as long, or twice."""
    formula = {"kind": "beats", "table": "runs", "better": "a", "worse": "b", "select": {"contention": "k+0.3"}}
    accepted = {"published": "s", "statement": "a beats b", "value": "true", "verdict": verdict, "reason": "counted so"}
    runs = rows({name: [2, 2] for name in "ab"} | {faster: [1, 1]}, reading="c/links/profile/0.3")
    found = laws_table(pd.DataFrame([accepted | {"standin": "False"}]), {"s": Claim("s", formula=formula)}, runs)
    (row,) = found.to_dict("records")
    assert (row["counted"], row["holds_under"], row["counted_found"]) == (verdict, under, "counted so")
    assert row["fast"] == ("holds" if faster == "a" else "does not hold")
    assert row["fast_found"].startswith("0.50" if faster == "a" else "2.00")
    assert row["standin"] == "False"


def test_what_was_not_run_is_open():
    formula = {"kind": "beats", "table": "runs", "better": "a", "worse": "b"}
    accepted = {"published": "s", "statement": "", "value": "true", "verdict": "holds", "reason": "", "standin": "True"}
    found = laws_table(pd.DataFrame([accepted]), {"s": Claim("s", formula=formula)}, rows({"a": [1]})).iloc[0]
    assert (found["fast"], found["holds_under"], found["standin"]) == ("not yet run", "", "True")
