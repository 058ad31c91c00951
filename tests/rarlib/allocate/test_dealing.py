"""Dealing jobs to GPU types by hand; against every order and subset: `test_brute_force.py`."""

import numpy as np

from rarlib.allocate.by_type import FASTER, assign_types


def linear(speeds, capacity, jobs):
    """Rates of equal jobs whose speed is the number of GPUs times that of the type."""
    most = max(capacity)
    gpus = np.arange(most + 1)
    rate = np.array([np.where(gpus <= c, s * gpus, 0.0) for s, c in zip(speeds, capacity, strict=True)])
    return np.tile(rate, (jobs, 1, 1))


def dealt(rate, capacity, sizes, now=None, order=None):
    n, room = len(rate), np.array(capacity)
    now = np.full(n, -1) if now is None else np.array(now)
    order = np.arange(n) if order is None else np.array(order)
    found = assign_types(rate, order, np.array(sizes), now, np.array(capacity), room)
    return found.kind.tolist(), found.option.tolist(), room.tolist()


def test_a_running_job_moves_only_for_much_more():
    """Worth of the other type: just under and just over what keeps it."""
    for speed, kind in ((0.99 * FASTER, 0), (1.01 * FASTER, 1)):
        assert dealt(linear((1.0, speed), (4, 4), 1), (4, 4), [[1]], now=[0])[0] == [kind]


def test_the_first_size_that_fits_on_a_type_where_the_job_can_run():
    rate = linear((1.0, 5.0), (4, 2), 2)
    kind, option, room = dealt(rate, (4, 2), [[3, 1], [3, 1]])
    assert (kind, option, room) == ([0, 1], [0, 1], [1, 1])
    rate[:, 1] = 0.0
    assert dealt(rate, (4, 2), [[3, 2], [3, 2]])[:2] == ([0, -1], [0, -1])
