"""Facts that the notes and reasons of Sia's claims state, checked where they can be."""

import re
from pathlib import Path

import pytest
import yaml

from artifact.ledger.published import read_listed
from rarlib.traces.sources import read_sources

ROOT = Path(__file__).parents[4]
LISTED = yaml.safe_load((ROOT / "config/claims/sia.yaml").read_text())["claims"]
CLAIMS = {claim["published"]: claim for claim in LISTED}
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SETTINGS = CONFIG["experiments"]["sia"]


@pytest.fixture(scope="module")
def published():
    listed = read_listed(ROOT / "data")
    return listed[listed["paper"] == "sia"].set_index("id")


def test_files_at_hand_are_the_even_ones():
    """Four of Philly, five of every other kind; Table 3 runs all of Philly and Helios, and one of newTrace."""
    for family, numbers in {"philly": (2, 4, 6, 8), "saturn": (2, 4, 6, 8, 10), "newtrace": (2, 4, 6, 8, 10)}.items():
        assert all(f"sia-{family}-{number}" in read_sources() for number in numbers)
        assert not any(f"sia-{family}-{number}" in read_sources() for number in (1, 3, 5, 7, 9))
    files = SETTINGS["files"]
    assert [len(files[family]) for family in ("philly", "helios", "newtrace", "rate")] == [4, 5, 1, 1]
    assert len(SETTINGS["sweeps"]) == 2


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
