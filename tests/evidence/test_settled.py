"""Whether a verdict could change, against the coverage that a 99 % interval promises."""

import numpy as np

from rarlib.evidence.outcome import Outcome
from rarlib.evidence.settled import NO, SINGLE, YES, seeds_needed, settled_value


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


def test_as_many_seeds_as_estimated_settle_a_mean():
    """With the same mean and spread; the estimate is that of a large sample."""
    start = Outcome(10.5, 1.0, 5)
    needed = int(seeds_needed(start, 10.0, 1.0))
    assert settled_value(Outcome(10.5, 1.0, needed + 5), 10.0, 1.0) == YES
    assert settled_value(Outcome(10.5, 1.0, needed - 5), 10.0, 1.0) == NO
    assert seeds_needed(Outcome(11.0, 1.0, 5), 10.0, 1.0) == np.inf
