"""Claims that differ from those accepted by no more than from seed to seed, and those that differ by more."""

import pandas as pd
import pytest

from rarlib.evidence.ledger import CLAIM_COLUMNS
from rarlib.workflow.manifest import compare_accepted

_CLAIM = {
    "published": "p-1",
    "ours": "1.0",
    "seeds": "2",
    "role": "tested",
    "verdict": "reproduced",
    "settled": "yes",
    "robustness": "fragile: nearest flip at load=2 (1 of 9 settings flip)",
    "reason": "somebody says how",
    "standin": "False",
}


@pytest.mark.parametrize(
    ("spread", "now", "moved"),
    [
        ("", {"ours": "1.004"}, True),
        ("", {"ours": "1.006"}, False),
        ("0.05", {"ours": "1.04", "settled": "no", "reason": "+4.0%"}, True),
        ("0.05", {"ours": "1.06"}, False),
        ("0.001", {"ours": "0.9", "spread": "0.2"}, True),
        ("0.05", {"ours": "1.04", "verdict": "wrong size"}, False),
        ("0.05", {"ours": "1.04", "robustness": "robust (holds in 9 of 9 settings, flips in none)"}, False),
        ("0.05", {"ours": "1.04", "robustness": "fragile: nearest flip at load=2 (2 of 9 settings flip)"}, True),
        ("0.05", {"robustness": "fragile: nearest flip at load=2 (2 of 9 settings flip)"}, True),
        ("0.05", {"robustness": "robust (holds in 9 of 9 settings, flips in none)"}, False),
        ("0.05", {"robustness": "fragile: nearest flip at load=2 (2 of 9 settings flip)", "seeds": "3"}, False),
        ("0.05", {"ours": ""}, False),
        ("0.05", {"reason": "nobody says how"}, False),
        ("0.05", {"spread": "0.06"}, False),
    ],
)
def test_a_claim_may_move_within_its_spread(tmp_path, spread, now, moved):
    """A number that moves by more, another verdict, or words without a number are differences."""
    before = {**dict.fromkeys(CLAIM_COLUMNS, ""), **_CLAIM, "spread": spread}
    pd.DataFrame([before]).to_csv(tmp_path / "accepted.csv", index=False)
    pd.DataFrame([{**before, **now}]).to_csv(tmp_path / "claims.csv", index=False)
    found = compare_accepted(tmp_path, tmp_path / "accepted.csv")
    assert (len(found.moved), len(found.lines) > 0) == (int(moved), not moved)
    told = next((name for name in ("ours", "robustness") if name in now), "")
    assert not moved or f"{told} was {before[told]}, here {now[told]}" in found.moved[0]
