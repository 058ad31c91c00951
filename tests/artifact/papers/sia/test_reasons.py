"""Facts that the notes and reasons of Sia's claims state, checked where they can be."""

import re
from pathlib import Path

import pytest
import yaml

from artifact.ledger.published import read_listed

ROOT = Path(__file__).parents[4]
LISTED = yaml.safe_load((ROOT / "config/claims/sia.yaml").read_text())["claims"]
CLAIMS = {claim["published"]: claim for claim in LISTED}


@pytest.fixture(scope="module")
def published():
    listed = read_listed(ROOT / "data")
    return listed[listed["paper"] == "sia"].set_index("id")


def printed(published, trace, policy, metric):
    rows = published[(published["where"] == "Table 3") & (published["series"] == f"{trace}/{policy}")]
    return float(rows[rows["x"] == metric]["value"].iloc[0])


@pytest.mark.parametrize("name", [f"sia-{number}" for number in range(296, 302)])
def test_the_named_pair_comes_nearest_to_the_printed_reduction(name, published):
    """Reductions of Sia against Pollux and Gavel, recomputed from the printed Table 3."""
    metrics = {
        "avg JCT": ["avg JCT"],
        "p99 JCT and makespan": ["p99 JCT", "makespan"],
        "GPU hours": ["GPU-hours per job"],
    }
    (kind,) = [kind for kind in metrics if kind in CLAIMS[name]["statement"]]
    off = {
        (policy, trace, metric): abs(
            100.0 * (1.0 - printed(published, trace, "Sia", metric) / printed(published, trace, policy, metric))
            - float(published.loc[name, "value"])
        )
        for policy in ("Pollux", "Gavel+TJ")
        for trace in ("Philly", "Helios", "newTrace")
        for metric in metrics[kind]
    }
    policy, trace, _ = min(off, key=off.__getitem__)
    said = re.search(r"Of the pairs in Table 3, (\w+) on (\w+) comes nearest", CLAIMS[name]["reason"])
    assert said is not None
    assert (said[1], said[2].lower()) == (policy.removesuffix("+TJ"), trace.lower())
