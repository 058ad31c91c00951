"""What users leave open, and what a shared cluster adds to profiles: by hand, on the jobs of `test_training`."""

from rarlib.cost.goodput.goodput import GoodputCost
from tests.rarlib.cost.goodput.test_training import OPTIONS, ROWS, T4, jobs_of, training_of


def test_a_fixed_batch_may_be_cut_for_as_many_gpus_as_it_feeds(cost: GoodputCost) -> None:
    """24 samples in parts of at least 4: six replicas; a rigid job keeps its gang, and no other batch is considered."""
    for adaptivity, limit in (("scale-gpus", 6), ("rigid", 2)):
        training = training_of(cost, jobs_of(adaptivity=[adaptivity]), bootstrap="oracle", scaling="fed")
        assert training.limits(ROWS)[0, T4] == limit
        found = training.goodputs(ROWS, OPTIONS)[0]
        assert (found[[0, 1]] > 0).all() and found[3] == 0.0 and (found[2] > 0) == (limit >= 4)
    free = training_of(cost, jobs_of(), bootstrap="oracle").goodputs(ROWS, OPTIONS)[0]
    fixed = training_of(cost, jobs_of(adaptivity=["scale-gpus"]), bootstrap="oracle").goodputs(ROWS, OPTIONS)[0]
    assert (fixed[[0, 1]] <= free[[0, 1]]).all() and (fixed[[0, 1]] < free[[0, 1]]).any()
