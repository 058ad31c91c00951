"""Own statements at levels of measured errors: rows by hand, and the accepted ledger."""

import pandas as pd
import pytest

from rarlib.evidence.ledger import read_ledger
from rarlib.evidence.levels import NO_POLICIES, judged_levels, own_formulas
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT


def judged(ratio, interval, kind="beats"):
    text = f"{ratio:.2f} {interval} on 4 windows of 4 traces"
    row = {"published": "arena-01", "statement": "s", "verdict": "holds", "ours": str(ratio), "reason": text}
    return judged_levels(pd.DataFrame([row]), {"arena-01": {"kind": kind}}).iloc[0]


@pytest.mark.parametrize(
    ("ratio", "interval", "at"),
    [
        (0.63, "[0.57, 0.69]", ("holds", "holds", "holds")),  # 59 %: beyond all measured errors
        (0.90, "[0.86, 0.94]", ("holds", "undecided", "undecided")),  # 11 %
        (0.85, "[0.80, 0.91]", ("holds", "holds", "undecided")),  # 18 %
        (0.63, "[0.30, 1.02]", ("undecided", "undecided", "undecided")),
        (1.40, "[1.24, 1.58]", ("contradicted", "contradicted", "contradicted")),
        (1.18, "[1.14, 1.21]", ("contradicted", "contradicted", "undecided")),
        (1.40, "[0.97, 1.58]", ("undecided", "undecided", "undecided")),
        (0.98, "[0.97, 0.99]", ("undecided", "undecided", "undecided")),  # 2 %: an interval alone is not enough
    ],
)
def test_ratio_interval_and_level_decide(ratio, interval, at):
    assert tuple(judged(ratio, interval)[["at_50", "at_80", "at_90"]]) == at


def test_the_last_ratio_of_a_widening_counts():
    row = {"published": "arena-01", "statement": "s", "verdict": "holds", "ours": "0.8",
           "reason": "1.04 at off, 0.99 at k; last over first 0.80 [0.75, 0.85] on 4 windows"}  # fmt: skip
    found = judged_levels(pd.DataFrame([row]), {"arena-01": {"kind": "widens"}}).iloc[0]
    assert (found["low"], found["high"], found["at_80"]) == (0.75, 0.85, "holds")


def test_what_compares_no_policies_says_so():
    assert judged(1.0, "", "gap")["at_80"] == NO_POLICIES
    with pytest.raises(InputError, match="arena-01: has no interval"):
        judged(0.5, "(one window: no interval)")


def test_all_accepted_own_statements_are_judged():
    """A statement that holds by its interval alone may be undecided; none turns into its opposite."""
    formulas = own_formulas(ROOT)
    found = judged_levels(read_ledger(ROOT / "results" / "expected" / "claims.csv"), formulas)
    assert len(found) == len(formulas) > 10
    for row in found.dropna(subset="level").to_dict("records"):
        wrong = {"holds": "contradicted", "does not hold": "holds"}[row["verdict"]]
        assert wrong not in (row["at_80"], row["at_90"]), row["published"]
