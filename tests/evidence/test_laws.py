"""Own statements under another law: formulas by hand, and small runs whose verdicts can be seen by eye."""

import pandas as pd
import pytest

from rarlib.evidence.claims import Claim
from rarlib.evidence.laws import BOTH, COUNTED_ONLY, FAST_ONLY, NEITHER, claim_counted, laws_table
from tests.arena.small import rows


def test_formulas_by_heads_counted():
    given = {"kind": "beats", "select": {"load": 0.9, "contention": ["links"]}}
    found = claim_counted(Claim("a", formula=given, select={"contention": "off"}))
    expected = {"select": {"load": 0.9, "contention": ["k", "k+0.3"]}}
    assert found.formula == given | expected
    assert found.select == {"contention": "off"}
    along = {"kind": "widens", "along": "contention", "levels": ["off", "links"]}
    assert claim_counted(Claim("a", formula=along)).formula == along | {"levels": ["off", "k", "k+0.3"]}
    other = {"kind": "widens", "along": "error", "levels": [0, "none"]}
    assert claim_counted(Claim("a", formula=other)).formula == other


@pytest.mark.parametrize(
    ("verdict", "shorter", "under"),
    [
        ("holds", "a", BOTH),
        ("holds", "b", FAST_ONLY),
        ("does not hold", "a", COUNTED_ONLY),
        ("does not hold", "b", NEITHER),
        ("not yet run", "a", ""),
    ],
)
def test_a_statement_holds_where_its_formula_does(verdict, shorter, under):
    """a is said to be faster than b; with heads counted it takes half as long, or twice."""
    formula = {"kind": "beats", "table": "runs", "better": "a", "worse": "b", "select": {"contention": "links"}}
    accepted = {"published": "s", "statement": "a beats b", "value": "true", "verdict": verdict, "reason": "as the law"}
    runs = rows({name: [2, 2] for name in "ab"} | {shorter: [1, 1]}, reading="c/k+0.3/profile/0.3/known")
    found = laws_table(pd.DataFrame([accepted | {"standin": "False"}]), {"s": Claim("s", formula=formula)}, runs)
    (row,) = found.to_dict("records")
    assert (row["fast"], row["holds_under"], row["fast_found"]) == (verdict, under, "as the law")
    assert row["counted"] == ("holds" if shorter == "a" else "does not hold")
    assert row["counted_found"].startswith("0.50" if shorter == "a" else "2.00")
    assert row["standin"] == "False"
