"""The proof that Fig. 4's values of GADGET lie out of reach: the sum of lambda1 by convolution and by drawing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from artifact.papers.gadget.ceiling import PUBLISHED_UTILITY, ceiling
from artifact.papers.gadget.instance import PRIORITY, instance
from artifact.papers.gadget.slots import play_slots
from rarlib.model.seeds import stream
from rarlib.schedulers.gadget_parts.stated import Stated
from tests.artifact.papers.gadget.cases import CASES

PUBLISHED = pd.read_csv(Path(__file__).parents[4] / "data" / "published.csv")


def chance_to_reach(jobs: int, total: float) -> float:
    """Probability that the sum of lambda1, independent and uniform on the stated integers, is at least `total`."""
    low, high = PRIORITY
    chances = np.ones(1)
    for _ in range(jobs):
        chances = np.convolve(chances, np.full(high - low + 1, 1.0 / (high - low + 1)))
    return float(chances[max(int(np.ceil(total)) - low * jobs, 0) :].sum())


def test_published_utilities_exceed_the_sum_of_priorities():
    """At 40, 60 and 80 jobs fewer than one instance in a thousand reaches the published total; at 100 jobs some do."""
    chances = {jobs: chance_to_reach(jobs, total) for jobs, total in PUBLISHED_UTILITY.items()}
    assert max(chances[jobs] for jobs in (40, 60, 80)) < 1e-3
    assert chances[100] > 0.01
    for jobs in (40, 60, 80):
        mean = 50.5 * jobs
        assert 1.2 < PUBLISHED_UTILITY[jobs] / mean < 1.45
        assert 0.9 * PUBLISHED_UTILITY[jobs] > mean


def test_they_are_the_published_ones():
    rows = PUBLISHED[(PUBLISHED["where"] == "Fig. 4") & (PUBLISHED["series"] == "GADGET")]
    assert {int(x.removeprefix("jobs=")): float(v) for x, v in zip(rows["x"], rows["value"], strict=True)} == (
        PUBLISHED_UTILITY
    )


def test_published_ratios_are_quotients_of_published_values():
    """GADGET over DRF, printed nowhere, from the two values that are; two digits after the point."""
    rows = PUBLISHED[(PUBLISHED["paper"] == "gadget") & (PUBLISHED["where"] == "Fig. 4")].set_index(["series", "x"])
    value = rows["value"].astype(float)
    for jobs in PUBLISHED_UTILITY:
        ratio = value["GADGET", f"jobs={jobs}"] / value["DRF", f"jobs={jobs}"]
        assert value["GADGET / DRF", f"jobs={jobs}"] == pytest.approx(ratio, abs=0.005)


def test_no_run_exceeds_the_ceiling():
    for seed in range(3):
        case = instance(seed, 40, CASES["batch"])
        total = play_slots(case, Stated(case.jobs, stream(seed, "test"))).utility.sum()
        assert 0.9 * ceiling(case) < total <= ceiling(case) * (1 + 1e-12)
