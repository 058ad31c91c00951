"""What a verdict rests on: whether more seeds could change it, its spread, and its order in words."""

import numpy as np
import pandas as pd
import pytest

from artifact.ledger.claims import read_claims
from artifact.ledger.ledger import CLAIM_COLUMNS
from artifact.ledger.lookup import Outcome
from artifact.ledger.published import read_listed
from artifact.ledger.settled import NO, SINGLE, YES, settled_value
from artifact.ledger.tested_order import tested_order as in_words
from artifact.run.manifest import compare_accepted
from rarlib.model.project import ROOT


def of(sample):
    return Outcome(float(np.mean(sample)), float(np.std(sample, ddof=1)), len(sample))


def test_a_settled_mean_is_wrong_in_one_of_a_hundred_samples():
    """True mean 10.8, tolerance up to 11: at most 1 % of the samples that claim to be settled say "outside"."""
    rng, wrong, settled = np.random.default_rng(0), 0, 0
    for _ in range(4000):
        outcome = of(rng.normal(10.8, 1.0, 20))
        if settled_value(outcome, 10.0, 1.0) == YES:
            settled += 1
            wrong += abs(outcome.value - 10.0) > 1.0
    assert settled > 100
    assert wrong <= 0.01 * 4000


def test_a_mean_far_outside_is_settled_and_one_at_the_edge_is_not():
    assert settled_value(of([20.0, 20.1, 19.9]), 10.0, 1.0) == YES
    assert settled_value(of([11.0, 11.1, 10.9]), 10.0, 1.0) == NO
    assert settled_value(Outcome(5.0, np.nan, 1), 10.0, 1.0) == SINGLE


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
        ("0.001", {"ours": "0.9", "spread": "0.2"}, True),
        ("0.05", {"ours": "1.04", "verdict": "wrong size"}, False),
        ("0.05", {"ours": "1.04", "robustness": "robust (holds in 9 of 9 settings, flips in none)"}, False),
        ("0.05", {"ours": "1.04", "robustness": "fragile: nearest flip at load=2 (2 of 9 settings flip)"}, True),
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


def test_every_direction_of_the_project_has_words():
    """Each compares something, and no internal name of a column is left."""
    claims = read_claims(ROOT / "config/claims", set(read_listed(ROOT / "data")["id"]))
    directions = [claim.direction for claim in claims.values() if claim.direction is not None]
    assert len(directions) > 100
    for direction in directions:
        words = in_words(direction, lambda _: "load")
        assert any(word in words for word in (" < ", " ≤ ", "holds ("))
        assert "_" not in words and "headline" not in words
